"""Judges an episode: the books, what was said at the end, and whether the way there was right."""

import re
from typing import Protocol

from schemas.ids import canonical_json
from tasks.environments.orderdesk.problems import Problem
from tasks.environments.orderdesk.shop import Books

_TRACKING = re.compile(r"\bTR\d+\b")


class Judged(Protocol):
    """What the checker reads of a state."""

    books: Books
    read: list[str]
    end: str
    last_said: str
    is_unasked: bool


def judge(problem: Problem, state: Judged) -> dict[str, bool]:
    """Parts of the verdict; all must hold."""
    parts = {
        "is_ended_by_customer": state.end in ("accepted", "thanked"),
        "are_books_right": canonical_json(state.books) == problem.gold,
        "is_agreed": not state.is_unasked,
    }
    if problem.kind == "answer":
        parts["is_answer_right"] = set(_TRACKING.findall(state.last_said)) == {problem.answer}
    if problem.kind == "refuse":
        parts["is_refused"] = state.end == "accepted"
        parts["is_refusal_justified"] = problem.order_id in state.read
    return parts
