"""Phrases of task texts that tell one family from the others."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from tasks.agent.commands import FUNCTION_WORDS
from tasks.editor.facts import Facts

MAX_PHRASES = 8
MIN_PRECISION = 0.85
MIN_TASKS = 2
MAX_CHARS = 4_000
MIN_LETTERS = 6
"""Shorter phrases say nothing where there is no other kind of task to compare with."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def trigger_phrases(facts: Facts, member_ids: Collection[str]) -> tuple[str, ...]:
    """Pick phrases that few other tasks hold, until most of the group is covered.

    Phrases of one to three words; greedy cover, widest first; phrases that hold names of single
    tasks have no support and drop out. Other tasks count family by family.
    """
    own, others = _texts(facts, member_ids)
    if not own:
        return ()
    least = max(MIN_TASKS, round(0.15 * len(own)))
    here, there = _shares([own]), _shares(others)
    useful = {
        phrase: there.get(phrase, 0.0)
        for phrase, share in here.items()
        if share * len(own) >= least and share >= MIN_PRECISION * (share + there.get(phrase, 0.0))
    }
    if not others:
        useful = {phrase: 0.0 for phrase in useful if len(phrase) >= MIN_LETTERS}
    return _cover(useful, own)


def _shares(families: Sequence[Sequence[frozenset[str]]]) -> dict[str, float]:
    """Highest share of a family's tasks that hold a phrase."""
    highest: dict[str, float] = {}
    for tasks in families:
        counts = Counter(phrase for task in tasks for phrase in task)
        for phrase, count in counts.items():
            highest[phrase] = max(highest.get(phrase, 0.0), count / len(tasks))
    return highest


def _cover(useful: Mapping[str, float], own: Sequence[frozenset[str]]) -> tuple[str, ...]:
    chosen: list[str] = []
    uncovered = list(own)
    while uncovered and len(chosen) < MAX_PHRASES:
        gains = {phrase: sum(phrase in text for text in uncovered) for phrase in useful}
        if not gains or max(gains.values()) < MIN_TASKS:
            break
        best = min(gains, key=lambda one: (useful[one] - gains[one], len(one.split()), one))
        chosen.append(best)
        uncovered = [text for text in uncovered if best not in text]
    return tuple(chosen)


def _texts(
    facts: Facts, member_ids: Collection[str]
) -> tuple[list[frozenset[str]], list[list[frozenset[str]]]]:
    """Phrases of the group's tasks, and of the other tasks by family."""
    inside = {run.task_id: run.task_text for run in facts.runs if run.run_id in member_ids}
    others: dict[str, dict[str, frozenset[str]]] = {}
    for run in facts.runs:
        if run.task_id not in inside:
            others.setdefault(run.family, {})[run.task_id] = _phrases(run.task_text[:MAX_CHARS])
    return [_phrases(text[:MAX_CHARS]) for text in inside.values()], [
        list(x.values()) for x in others.values()
    ]


@lru_cache(maxsize=1_024)
def _phrases(text: str) -> frozenset[str]:
    found: set[str] = set()
    for clause in re.split(r"[^\w\s'-]+", text.casefold()):
        words = clause.split()
        for size in (1, 2, 3):
            for start in range(len(words) - size + 1):
                group = words[start : start + size]
                is_named = any(word not in FUNCTION_WORDS for word in group)
                if is_named and all(_WORD.fullmatch(word) for word in group):
                    found.add(" ".join(group))
    return frozenset(found)
