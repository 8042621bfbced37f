"""Phrases of task texts that tell one family from the others."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tasks.editor.facts import Facts

MAX_PHRASES = 8
MIN_PRECISION = 0.85
MIN_TASKS = 2
_WORD = re.compile(r"[^\W\d_]{2,}")


def trigger_phrases(facts: Facts, family: str) -> tuple[str, ...]:
    """Pick phrases that few tasks of any other family hold, until most of the family is covered.

    Phrases of one to three words; greedy cover, widest first; phrases that hold names of single
    tasks have no support and drop out.
    """
    texts = _texts(facts)
    own = texts.pop(family, [])
    if not own:
        return ()
    least = max(MIN_TASKS, round(0.15 * len(own)))
    here = _shares([own])
    there = _shares(list(texts.values()))
    useful = {
        phrase: there.get(phrase, 0.0)
        for phrase, share in here.items()
        if share * len(own) >= least and share >= MIN_PRECISION * (share + there.get(phrase, 0.0))
    }
    return _cover(useful, own)


def _shares(families: Sequence[Sequence[set[str]]]) -> dict[str, float]:
    """Highest share of a family's tasks that hold a phrase."""
    highest: dict[str, float] = {}
    for tasks in families:
        counts = Counter(phrase for task in tasks for phrase in task)
        for phrase, count in counts.items():
            highest[phrase] = max(highest.get(phrase, 0.0), count / len(tasks))
    return highest


def _cover(useful: Mapping[str, float], own: Sequence[set[str]]) -> tuple[str, ...]:
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


def _texts(facts: Facts) -> dict[str, list[set[str]]]:
    by_task = {run.task_id: (run.family, run.task_text) for run in facts.runs}
    found: dict[str, list[set[str]]] = {}
    for name, text in by_task.values():
        found.setdefault(name, []).append(_phrases(text))
    return found


def _phrases(text: str) -> set[str]:
    found: set[str] = set()
    for clause in re.split(r"[^\w\s'-]+", text.casefold()[:4000]):
        words = clause.split()
        for size in (1, 2, 3):
            for start in range(len(words) - size + 1):
                group = words[start : start + size]
                if all(_WORD.fullmatch(word) for word in group):
                    found.add(" ".join(group))
    return found
