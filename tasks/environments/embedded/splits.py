"""Sizes and numbers of the splits of an embedded world, families interleaved."""

import random
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from schemas.fields import Split

P = TypeVar("P")
SIZES: dict[Split, int] = {"train": 120, "select": 240, "sealed": 120}
_FIRST_NUMBER: dict[Split, int] = {"train": 1, "select": 1001, "sealed": 2001}


def draw_split(
    split: Split, families: Iterable[str], draw: Callable[[Split, str, int], P]
) -> tuple[P, ...]:
    """All problems of a split; the number in a task's id tells its split."""
    names = tuple(families)
    first = _FIRST_NUMBER[split]
    numbers = range(first, first + SIZES[split] // len(names))
    return tuple(draw(split, family, number) for number in numbers for family in names)


def generator(*key: str | int) -> random.Random:
    """Random numbers of their own for each problem, such as world, version, split and number."""
    return random.Random("/".join(map(str, key)))


def all_splits() -> Iterator[Split]:
    """Names of the splits."""
    yield from SIZES
