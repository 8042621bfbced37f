"""Which skill a task is given: filtered by trigger, ranked by BM25, the first one or none."""

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from .skills import Skill, words

K1 = 1.5
B = 0.75


def find_skill(skills: Sequence[Skill], text: str) -> Skill | None:
    """Choose the best matching skill; null when none matches.

    A skill with a trigger is a match when the trigger holds. A skill without one is a match
    when it shares a word with the text, common words left out. Ties go to the first name.
    """
    due = sorted((skill for skill in skills if skill.trigger.holds(text)), key=_name)
    if len(due) == 1 and due[0].has_trigger:
        return due[0]
    scores = _scores(due, text) if due else []
    ranked = [
        (score, skill)
        for score, skill in zip(scores, due, strict=True)
        if skill.has_trigger or score > 0
    ]
    return max(ranked, key=lambda pair: pair[0])[1] if ranked else None


def _name(skill: Skill) -> str:
    return skill.name


def _scores(skills: Sequence[Skill], text: str) -> list[float]:
    index = _index(tuple(map(_searchable, skills)))
    query = [token for token in _tokens(text) if token in index.known]
    if not query:
        return [0.0] * len(skills)
    scores = cast("list[float]", index.bm25.get_scores(query).tolist())
    return [round(score, 9) for score in scores]


class _Index(NamedTuple):
    bm25: Any
    known: frozenset[str]


@lru_cache(maxsize=64)
def _index(texts: tuple[str, ...]) -> _Index:
    """Index of some skills: built once, for all the tasks that choose among the same ones."""
    # Imported here because it takes over a second.
    import bm25s  # pyright: ignore[reportMissingTypeStubs]

    logging.getLogger("bm25s").setLevel(logging.WARNING)

    documents = [_tokens(text) for text in texts]
    known = frozenset(token for document in documents for token in document)
    bm25 = bm25s.BM25(k1=K1, b=B)
    if known:
        bm25.index(documents, show_progress=False)  # pyright: ignore[reportUnknownMemberType]
    return _Index(bm25, known)


def _searchable(skill: Skill) -> str:
    phrases = [*skill.trigger.any, *skill.trigger.all]
    return " ".join([skill.name.replace("-", " "), skill.description, *phrases])


def _tokens(text: str) -> list[str]:
    from bm25s.stopwords import STOPWORDS_EN  # pyright: ignore[reportMissingTypeStubs]

    return [word for word in words(text) if word not in STOPWORDS_EN]
