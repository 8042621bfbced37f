"""Whether a turn of the agent became an action of its world: told from stored rows alone.

A turn of the model is executable when one of its calls was run and the world took it as an action.
What the harness made of the turn counts as the turn's: a rescued or rewritten call that ran is an
action. Turns that a rule forced are not the model's and are left out. A turn without a call is not
executable; words count only where they reach the world as a call of a tool that takes words.

The view `executable_actions` says the same in SQL; a test holds the two together.
"""

from collections import defaultdict
from collections.abc import Iterable

from schemas.episode import Episode
from schemas.trajectories import ToolCallRow

NO_ACTION = frozenset({"unknown_tool", "schema", "inadmissible", "finished"})
"""Kinds of error by which a world says that what it was given is no action: no such tool,
arguments that the declared schema does not take, no such command now, or an episode that is over.
Every other error is the answer to an action, such as a statement that the database refuses."""


def executable_share(episode: Episode) -> float:
    """Share of an episode's turns that became actions; 0 when the model had no turn at all."""
    calls: dict[int, list[ToolCallRow]] = defaultdict(list)
    for call in episode.calls:
        if call.requestor == "assistant":
            calls[call.step_index].append(call)
    turns = [step for step in episode.steps if step.role == "assistant" and not step.forced]
    actions = sum(_is_action(calls[turn.step_index]) for turn in turns)
    return actions / len(turns) if turns else 0.0


def _is_action(calls: Iterable[ToolCallRow]) -> bool:
    return any(call.executed and call.error_kind not in NO_ACTION for call in calls)
