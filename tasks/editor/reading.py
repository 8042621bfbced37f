"""Episodes as sequences of moves: rollouts and imports look the same afterwards."""

import json
from dataclasses import dataclass
from functools import cached_property

from schemas.episode import Episode
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.protocols import JsonObject
from tasks.proxy.errors_in_text import reads_as_error

MAX_TEXT = 20_000


@dataclass(frozen=True)
class Move:
    """One thing the agent did and what came back.

    Attributes:
        text: what the agent said with it.
        tool: tool that ran or was asked for; empty when no call was made.
        arguments: arguments that ran, else those asked for; null when they could not be read.
        asked_tool: tool as the model wrote it, before any rewrite.
        asked: arguments as the model wrote them.
        raw: argument text as emitted.
        observation: what came back, bounded.
        is_error: whether the call failed.
        admissible: commands that were offered; null when the world offers none.
    """

    step_index: int
    text: str
    tool: str
    arguments: JsonObject | None
    asked_tool: str
    asked: JsonObject | None
    raw: str
    observation: str
    is_error: bool
    admissible: tuple[str, ...] | None = None

    @property
    def is_call(self) -> bool:
        """Whether a tool was called."""
        return bool(self.tool)

    @property
    def key(self) -> str:
        """Tool and arguments in canonical form; equal keys are the same call."""
        return json.dumps([self.tool, self.arguments], sort_keys=True)


@dataclass(frozen=True)
class Run:
    """An episode with its moves."""

    episode: Episode
    moves: tuple[Move, ...]

    @property
    def run_id(self) -> str:
        """Id of the trajectory."""
        return self.episode.trajectory_id

    @property
    def family(self) -> str:
        """Family of the task."""
        return self.episode.trajectory.family

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return self.episode.trajectory.task_id

    @property
    def task_text(self) -> str:
        """Text of the task."""
        return self.episode.task_text

    @cached_property
    def calls(self) -> tuple[Move, ...]:
        """Moves that called a tool."""
        return tuple(move for move in self.moves if move.is_call)

    @cached_property
    def good_calls(self) -> tuple[Move, ...]:
        """Calls that ran without an error."""
        return tuple(
            move for move in self.calls if not move.is_error and move.arguments is not None
        )


def read_run(episode: Episode, non_progress: tuple[str, ...] = ()) -> Run:
    """Read the moves of an episode; user-side calls and foreign messages are left out."""
    calls: dict[int, list[ToolCallRow]] = {}
    for call in episode.calls:
        if call.requestor == "assistant":
            calls.setdefault(call.step_index, []).append(call)
    moves: list[Move] = []
    for step in episode.steps:
        if step.role != "assistant":
            continue
        made = calls.get(step.step_index, [])
        moves.extend(_call_move(step, call, non_progress) for call in made)
        if not made:
            moves.append(_text_move(step))
    return Run(episode, tuple(moves))


def _call_move(step: StepRow, call: ToolCallRow, non_progress: tuple[str, ...]) -> Move:
    observation = (call.result if call.result is not None else step.observation) or ""
    asked = as_object(call.arguments)
    ran = as_object(call.executed_arguments)
    failed = call.is_error if call.is_error is not None else reads_as_error(observation)
    failed = failed or call.executed is False or observation.startswith(non_progress or ("\0",))
    return Move(
        step_index=step.step_index,
        text=(step.text or "")[:MAX_TEXT],
        tool=call.executed_tool or call.tool,
        arguments=ran if ran is not None else asked,
        asked_tool=call.tool,
        asked=asked,
        raw=(call.arguments_raw or "")[:MAX_TEXT],
        observation=observation[:MAX_TEXT],
        is_error=bool(failed),
        admissible=_commands(step.admissible),
    )


def _text_move(step: StepRow) -> Move:
    return Move(
        step_index=step.step_index,
        text=(step.text or "")[:MAX_TEXT],
        tool="",
        arguments=None,
        asked_tool="",
        asked=None,
        raw="",
        observation=(step.observation or "")[:MAX_TEXT],
        is_error=False,
        admissible=_commands(step.admissible),
    )


def as_object(text: str | None) -> JsonObject | None:
    """Parse a JSON object; null for anything else."""
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _commands(text: str | None) -> tuple[str, ...] | None:
    try:
        value = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return tuple(str(one) for one in value) if isinstance(value, list) else None
