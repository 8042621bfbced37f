"""Judges a state: enough items of the kind, treated as wanted, where they are wanted."""

from typing import Protocol

from tasks.environments.household.problems import Problem
from tasks.environments.household.things import kind_of


class Judged(Protocol):
    """What the checker reads of a state."""

    at: str
    hand: str
    where: dict[str, str]
    marks: dict[str, list[str]]
    is_lit: bool


def judge(problem: Problem, state: Judged) -> dict[str, bool]:
    """Parts of the verdict; all must hold."""
    goal = problem.goal
    if not goal.place:
        is_at_lamp = bool(state.at) and state.at == problem.lamp_place
        return {
            "is_held": kind_of(state.hand) == goal.item,
            "is_in_light": state.is_lit and is_at_lamp,
        }
    placed = [item for item, place in state.where.items() if _fits(item, place, problem)]
    treated = [item for item in placed if is_treated(item, problem, state)]
    return {
        "is_placed": len(placed) >= goal.count,
        "is_treated": len(treated) >= goal.count,
    }


def is_treated(item: str, problem: Problem, state: Judged) -> bool:
    """Whether an item has had the treatment that is wanted."""
    wanted = problem.goal.treatment
    return not wanted or wanted in state.marks.get(item, [])


def _fits(item: str, place: str, problem: Problem) -> bool:
    return kind_of(item) == problem.goal.item and kind_of(place) == problem.goal.place
