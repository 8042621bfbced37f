"""An episode told message by message: what every format is written from.

Rollouts have one row for each turn of the agent, imports one for each message; both become the
same messages here, each call with its result behind it.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schemas.episode import Episode
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.conversation import call_id, is_native


@dataclass(frozen=True)
class ToldCall:
    """A call as it was written.

    Attributes:
        identity: the source's id where it names this call alone, else one of ours.
        raw: argument text as emitted; null when the source threw it away.
        arguments: the object it stands for; null when it is none.
        error: why the text could not be used.
        is_users: whether a simulated user made it.
    """

    identity: str
    tool: str
    raw: str | None
    arguments: dict[str, Any] | None
    error: str | None
    is_users: bool = False

    @property
    def text(self) -> str:
        """Arguments as text: as emitted, else made from the object."""
        if self.raw is not None:
            return self.raw
        return "" if self.arguments is None else json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Told:
    """One message.

    Attributes:
        answers: the call that a tool message answers; null for other messages, and for results
            that the source did not tie to a call.
        copied: whether it did not happen in this episode.
    """

    role: str
    text: str
    calls: tuple[ToldCall, ...] = ()
    answers: ToldCall | None = None
    is_error: bool | None = None
    error_kind: str | None = None
    reasoning: str | None = None
    step: StepRow | None = None
    copied: bool = False


@dataclass(frozen=True)
class _Names:
    """Ids of calls: the source's own where each names one call."""

    seen: Counter[str] = field(default_factory=Counter[str])

    def of(self, call: ToolCallRow) -> str:
        own = call.native_id
        return own if own and self.seen[own] == 1 else call_id(call.step_index, call.call_index)


def tell(episode: Episode) -> list[Told]:
    """All messages of an episode, in order."""
    names = _Names(Counter(call.native_id or "" for call in episode.calls))
    by_step: dict[int, list[ToolCallRow]] = {}
    for call in episode.calls:
        by_step.setdefault(call.step_index, []).append(call)
    if episode.trajectory.origin == "import":
        return list(_imported(episode, by_step, names))
    return [*_opening(episode), *_rollout(episode, by_step, names)]


def _opening(episode: Episode) -> Iterator[Told]:
    system = episode.prompt_text(episode.trajectory.system_prompt_id)
    if system:
        yield Told("system", system)
    yield Told("user", episode.task_text)


def _rollout(
    episode: Episode, by_step: dict[int, list[ToolCallRow]], names: _Names
) -> Iterator[Told]:
    for step in episode.steps:
        rows = [row for row in by_step.get(step.step_index, []) if is_native(row)]
        calls = [_call(row, names) for row in rows]
        yield Told("assistant", step.text or "", tuple(calls), reasoning=step.reasoning, step=step)
        for row, call in zip(rows, calls, strict=True):
            yield _result(row, call, row.observation if row.observation is not None else row.result)
        if not rows and step.observation:
            yield Told("user", step.observation)


def _imported(
    episode: Episode, by_step: dict[int, list[ToolCallRow]], names: _Names
) -> Iterator[Told]:
    answered = {row.result_step_index: row for row in episode.calls}
    for step in episode.steps:
        calls = tuple(_call(row, names) for row in by_step.get(step.step_index, ()))
        row = answered.get(step.step_index) if step.role == "tool" else None
        if row is not None:
            yield _result(row, _call(row, names), step.text, step)
            continue
        yield Told(
            step.role,
            step.text or "",
            calls,
            reasoning=step.reasoning,
            step=step,
            copied=step.copied,
        )


def _call(row: ToolCallRow, names: _Names) -> ToldCall:
    arguments = json.loads(row.arguments) if row.arguments is not None else None
    is_users = row.requestor == "user"
    told = (names.of(row), row.tool, row.arguments_raw, arguments, row.arguments_error)
    return ToldCall(*told, is_users)


def _result(
    row: ToolCallRow, call: ToldCall, text: str | None, step: StepRow | None = None
) -> Told:
    return Told(
        "tool",
        text or "",
        answers=call,
        is_error=row.is_error,
        error_kind=row.error_kind,
        step=step,
        copied=step is not None and step.copied,
    )
