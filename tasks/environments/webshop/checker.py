"""Judges a state: the right item is bought, with the options that are wanted."""

from typing import Protocol

from tasks.environments.webshop.problems import Problem


class Judged(Protocol):
    """What the checker reads of a state."""

    bought: int
    chosen: dict[str, str]


def judge(problem: Problem, state: Judged) -> dict[str, bool]:
    """Parts of the verdict; all must hold."""
    return {
        "is_bought": state.bought > 0,
        "is_item_right": state.bought == problem.target,
        "are_options_right": state.chosen == dict(problem.goal.options),
    }
