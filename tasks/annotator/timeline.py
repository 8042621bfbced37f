"""An episode as rules read it: agent turns with calls and what came back, for any origin.

Rollouts have one step per agent turn with its observation; imported episodes have one step per
message. Where a tool speaks to the user, its message is what the agent says and its result what the
user answers. All become the same turns here; `step_index` always points into the episode's rows.
"""

from dataclasses import dataclass, field
from typing import Any

from schemas.episode import Episode
from schemas.trajectories import StepRow, ToolCallRow
from tasks.annotator.canonical import (
    canonical_arguments,
    clip,
    parse_object,
    result_digest,
)


@dataclass(frozen=True)
class CallView:
    """One tool call of the agent.

    Attributes:
        tool: name as the model wrote it.
        arguments: arguments as the model wrote them; None when they are no object.
        run_tool: tool that ran, after rewrites; equals `tool` when nothing was rewritten.
        run_arguments: arguments that ran.
        result: what came back for it.
        failed: whether it could not be carried out or answered with an error.
        ran: whether the environment carried it out without an error.
    """

    tool: str
    arguments: dict[str, Any] | None
    raw: str | None
    arguments_error: str | None
    run_tool: str
    run_arguments: dict[str, Any]
    result: str
    failed: bool
    ran: bool
    error_kind: str | None
    step_index: int
    result_step_index: int | None

    @property
    def action_key(self) -> str:
        """The call itself, white space and key order aside."""
        return f"{self.run_tool} {canonical_arguments(self.run_arguments or None, self.raw)}"


@dataclass(frozen=True)
class Turn:
    """One turn of the agent: what it heard, said and called, and what came back."""

    index: int
    step_index: int
    text: str
    calls: tuple[CallView, ...]
    observation: str
    heard: str
    heard_step: int | None
    admissible: tuple[str, ...] | None = None
    state_before: str | None = None
    state_after: str | None = None
    forced: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether the turn made no call at all."""
        return not self.calls

    @property
    def action_key(self) -> str:
        """Everything the turn did."""
        return " | ".join(call.action_key for call in self.calls)

    @property
    def repetition_key(self) -> str:
        """Tool, canonical arguments and result hash (formats.md 5)."""
        results = self.observation or "".join(call.result for call in self.calls)
        return f"{self.action_key} -> {result_digest(results)}"


@dataclass(frozen=True)
class Timeline:
    """The turns of one episode, and what the other side said."""

    episode: Episode
    turns: tuple[Turn, ...]
    user_messages: tuple[tuple[int, str], ...]
    other_calls: tuple[CallView, ...] = ()
    has_user: bool = False
    _cache: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def budget(self) -> int:
        """Turns the episode was allowed, or took when no budget is known."""
        return self.episode.trajectory.budget or max(len(self.turns), 1)

    @property
    def last(self) -> Turn | None:
        """The agent's last turn."""
        return self.turns[-1] if self.turns else None

    @property
    def ended_by_limit(self) -> bool:
        """Whether a limit ended the episode, not the agent or its user."""
        return self.episode.trajectory.termination in ("budget", "too_many_errors", "rule_stop")

    def calls(self) -> list[tuple[Turn, CallView]]:
        """All calls with their turns, in order."""
        if "calls" not in self._cache:
            self._cache["calls"] = [(turn, call) for turn in self.turns for call in turn.calls]
        return self._cache["calls"]

    def told_before(self, turn_index: int) -> str:
        """Everything the agent was told before a turn: task, messages and observations."""
        parts = [clip(self.episode.task_text)]
        parts += [turn.heard for turn in self.turns[: turn_index + 1]]
        parts += [turn.observation for turn in self.turns[:turn_index]]
        return "\n".join(parts)

    def seen_before(self, turn_index: int) -> str:
        """Everything the agent was told before a turn, lower case."""
        key = f"seen {turn_index}"
        if key not in self._cache:
            self._cache[key] = self.told_before(turn_index).lower()
        return self._cache[key]

    def observed_before(self, turn_index: int) -> str:
        """Everything tools and environment answered before a turn, lower case."""
        key = f"observed {turn_index}"
        if key not in self._cache:
            parts = [clip(turn.observation) for turn in self.turns[:turn_index]]
            self._cache[key] = "\n".join(parts).lower()
        return self._cache[key]


def _call_view(row: ToolCallRow) -> CallView:
    arguments = parse_object(row.arguments)
    is_changed = row.executed_arguments not in (None, row.arguments)
    run_arguments = parse_object(row.executed_arguments) if is_changed else arguments
    is_refused = row.executed is False and row.is_error is not False
    failed = bool(row.is_error) or is_refused
    failed = failed or (row.executed is None and row.arguments_error is not None)
    return CallView(
        tool=row.tool,
        arguments=arguments,
        raw=clip(row.arguments_raw) if row.arguments_raw is not None else None,
        arguments_error=row.arguments_error,
        run_tool=row.executed_tool or row.tool,
        run_arguments=run_arguments or {},
        result=clip(row.result or row.observation),
        failed=failed,
        ran=not failed,
        error_kind=row.error_kind,
        step_index=row.step_index,
        result_step_index=row.result_step_index,
    )


def _admissible(step: StepRow) -> tuple[str, ...] | None:
    if not step.admissible:
        return None
    parsed = parse_object('{"commands":' + step.admissible[:1_000_000] + "}")
    commands = (parsed or {}).get("commands")
    if not isinstance(commands, list):
        return None
    return tuple(item for item in commands if isinstance(item, str))


@dataclass
class _Builder:
    """Collects turns while the rows go by."""

    talk_tools: frozenset[str] = frozenset()
    turns: list[Turn] = field(default_factory=list[Turn])
    heard: list[str] = field(default_factory=list[str])
    heard_step: int | None = None
    users: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    answers: dict[int, list[str]] = field(default_factory=dict[int, list[str]])

    def hear(self, step: StepRow) -> None:
        """Take what somebody other than the agent said."""
        text = clip(step.text)
        if step.role in ("tool", "environment"):
            if self.turns:
                self.answers.setdefault(len(self.turns) - 1, []).append(text)
            return
        if step.role == "user":
            self.users.append((step.step_index, text))
            self.heard.append(text)
            self.heard_step = step.step_index

    def speak(self, step: StepRow, calls: tuple[CallView, ...]) -> None:
        """Take a turn of the agent, with what it tells the user by a tool."""
        talks = [call for call in calls if call.ran and call.run_tool in self.talk_tools]
        told = [value for call in talks for value in _texts(call.run_arguments)]
        self.turns.append(
            Turn(
                index=len(self.turns),
                step_index=step.step_index,
                text=clip("\n".join(part for part in (step.text, *told) if part)),
                calls=calls,
                observation=clip(step.observation),
                heard="\n".join(self.heard),
                heard_step=self.heard_step,
                admissible=_admissible(step),
                state_before=step.state_hash_before,
                state_after=step.state_hash_after,
                forced=step.forced,
            )
        )
        self.heard, self.heard_step = [call.result for call in talks], None
        if talks:
            self.heard_step = step.step_index
            self.users += [(step.step_index, call.result) for call in talks]


def _texts(arguments: dict[str, Any]) -> list[str]:
    return [value for value in arguments.values() if isinstance(value, str)]


def _with_answers(turn: Turn, answers: list[str]) -> Turn:
    if turn.observation:
        return turn
    texts = answers or [call.result for call in turn.calls if call.result]
    values = {**turn.__dict__, "observation": clip("\n".join(texts))}
    return Turn(**values)


def build_timeline(episode: Episode, talk_tools: frozenset[str] = frozenset()) -> Timeline:
    """Read the rows of an episode as turns of the agent."""
    calls: dict[int, list[CallView]] = {}
    others: list[CallView] = []
    for row in episode.calls:
        if row.requestor == "assistant":
            calls.setdefault(row.step_index, []).append(_call_view(row))
        else:
            others.append(_call_view(row))
    builder = _Builder(talk_tools)
    for step in episode.steps:
        if step.role == "assistant":
            builder.speak(step, tuple(calls.get(step.step_index, ())))
        else:
            builder.hear(step)
    turns = tuple(
        _with_answers(turn, builder.answers.get(turn.index, [])) for turn in builder.turns
    )
    first = turns[0].step_index if turns else 0
    has_user = bool(talk_tools) or any(step > first for step, _ in builder.users)
    return Timeline(episode, turns, tuple(builder.users), tuple(others), has_user)
