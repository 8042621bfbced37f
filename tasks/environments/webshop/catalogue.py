"""The catalogue of one task: products, and what a search of their titles finds."""

import re
from dataclasses import dataclass

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z]+)?")
_SMALL = frozenset({"a", "an", "the", "for", "with", "of", "in", "and"})


@dataclass(frozen=True)
class Product:
    """An article as its page shows it.

    Attributes:
        number: number of the item.
        features: what the page says beside title and price.
        options: what must be chosen, by name; empty when nothing.
    """

    number: int
    title: str
    price: int
    features: tuple[str, ...]
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def name(self) -> str:
        """How lists and commands call it."""
        return f"item {self.number}"


def find(catalogue: tuple[Product, ...], query: str) -> list[Product]:
    """Products whose titles have all words of a query, in the order of the catalogue."""
    wanted = {_stem(word) for word in _WORD.findall(query.lower())} - _SMALL
    if not wanted:
        return []
    return [one for one in catalogue if wanted <= _words(one.title)]


def _words(title: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(title.lower())}


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word
