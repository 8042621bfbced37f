"""Phrases of task texts that tell one family from the others."""

import re
from collections import Counter
from collections.abc import Sequence

from tasks.editor.facts import Facts

MAX_PHRASES = 8
MIN_PRECISION = 0.85
MIN_TASKS = 2
_WORD = re.compile(r"[^\W\d_]{2,}")


def trigger_phrases(facts: Facts, family: str) -> tuple[str, ...]:
    """Pick phrases that few other task texts hold, until most of the family is covered.

    Phrases of one to three words; greedy cover, widest first; phrases that hold names of single
    tasks have no support and drop out.
    """
    own, others = _texts(facts, family)
    if not own:
        return ()
    least = max(MIN_TASKS, round(0.15 * len(own)))
    here = Counter(phrase for text in own for phrase in text)
    there = Counter(phrase for text in others for phrase in text)
    useful = {
        phrase: count
        for phrase, count in here.items()
        if count >= least
        and _precision(count, len(own), there[phrase], len(others)) >= MIN_PRECISION
    }
    return _cover(useful, own, there)


def _cover(useful: dict[str, int], own: Sequence[set[str]], there: Counter[str]) -> tuple[str, ...]:
    chosen: list[str] = []
    open_texts = list(own)
    while open_texts and len(chosen) < MAX_PHRASES:
        gains = {phrase: sum(phrase in text for text in open_texts) for phrase in useful}
        if not gains or max(gains.values()) < MIN_TASKS:
            break
        best = min(gains, key=lambda one: (-gains[one], there[one], len(one.split()), one))
        chosen.append(best)
        open_texts = [text for text in open_texts if best not in text]
    return tuple(chosen)


def _precision(here: int, own: int, there: int, others: int) -> float:
    """Share of the family among texts with the phrase, families weighed equally."""
    share = here / own
    rest = there / others if others else 0.0
    return share / (share + rest) if share else 0.0


def _texts(facts: Facts, family: str) -> tuple[list[set[str]], list[set[str]]]:
    by_task = {run.task_id: (run.family, run.task_text) for run in facts.runs}
    own = [_phrases(text) for name, text in by_task.values() if name == family]
    return own, [_phrases(text) for name, text in by_task.values() if name != family]


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
