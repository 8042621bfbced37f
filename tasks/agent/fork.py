"""Forks: a fresh world is brought to a step of a stored episode, and the model goes on anew."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.errors import EnvironmentFault
from schemas.ids import make_id
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.arguments import parse_arguments
from tasks.agent.conversation import turn_messages
from tasks.agent.episode_log import EpisodeLog
from tasks.agent.offers import FORKS
from tasks.agent.own_stage import PlaysItself
from tasks.agent.protocols import Call, Environment, Model
from tasks.agent.world_driver import WorldDriver
from tasks.harness import Action, HistoryEntry, Session

NOT_RUN = "not_run"
"""Kind of error of a call that was never looked at, such as one behind the end of an episode."""


@dataclass(frozen=True)
class Fork:
    """Where a fork leaves its source, and what is put before the model there."""

    source: Episode
    step_index: int
    name: str
    extra_text: str = ""

    @property
    def arm(self) -> str:
        """The arm in the key of the forked trajectory."""
        return f"fork:{self.source.trajectory_id}:{self.step_index}:{self.name}"


async def replay_prefix(
    fork: Fork, log: EpisodeLog, driver: WorldDriver, session: Session
) -> Call | None:
    """Bring world, session and conversation to the fork point.

    The executed calls are executed again; what the model saw is copied, so the fork sees the same
    turns. Returns the call that a rule of the source forced on the turn of the fork, when source
    and fork have one harness.

    Raises:
        EnvironmentFault: the world does not come to the recorded state.
    """
    _require_forkable(fork, driver)
    history: list[HistoryEntry] = []
    for step in fork.source.steps[: fork.step_index]:
        _require_state(fork, driver, step.state_hash_before)
        calls = fork.source.calls_at(step.step_index)
        for call in executed_calls(calls):
            await driver.act(call)
        _require_state(fork, driver, step.state_hash_after)
        history += turn_history(fork.source, step, calls)
        is_last = step.step_index == fork.step_index - 1
        _copy_turn(fork, log, step, calls, fork.extra_text if is_last else "")
    if fork.step_index == 0:
        log.add_to_task(fork.extra_text)
    session.resume(history)
    return _forced_next(fork, log)


def executed_calls(calls: Sequence[ToolCallRow]) -> list[Call]:
    """Calls of a turn that the world ran, as it ran them."""
    return [
        Call(row.executed_tool, json.loads(row.executed_arguments))
        for row in calls
        if row.executed and row.executed_tool is not None and row.executed_arguments is not None
    ]


def turn_history(
    episode: Episode, step: StepRow, calls: Sequence[ToolCallRow]
) -> list[HistoryEntry]:
    """One recorded turn as a session keeps it: actions as carried out, results without hints."""
    if not calls:
        action = Action(None, None, step.text or "")
        bare = _without_hint(episode, step, step.observation or "")
        return [HistoryEntry(action, bare, is_error=True)]
    looked_at = [row for row in calls if row.error_kind != NOT_RUN]
    return [_entry(episode, step, row) for row in looked_at]


def _entry(episode: Episode, step: StepRow, row: ToolCallRow) -> HistoryEntry:
    text = "" if step.forced else step.text or ""
    if row.executed and row.executed_arguments is not None:
        action = Action(row.executed_tool, json.loads(row.executed_arguments), text)
    else:
        parsed = parse_arguments(row.arguments_raw)
        action = Action(row.tool, parsed.arguments, text, parsed.error)
    bare = row.result
    if bare is None:
        bare = _without_hint(episode, step, row.observation or "")
    return HistoryEntry(action, bare, bool(row.is_error), row.call_index == 0)


def _without_hint(episode: Episode, step: StepRow, observation: str) -> str:
    for row in episode.interventions:
        if row.step_index == step.step_index and row.kind == "hint" and not row.suppressed:
            observation = observation.removesuffix(f"Hint: {row.after}").removesuffix("\n\n")
    return observation


def can_fork(environment: Environment, model: Model) -> bool:
    """Whether an episode can go on from the middle with this model."""
    return FORKS.is_there(environment) and not (
        isinstance(model, PlaysItself) and not model.is_forkable
    )


def _require_forkable(fork: Fork, driver: WorldDriver) -> None:
    environment = driver.environment
    if not FORKS.is_there(environment):
        what = f"environment `{environment.name}` does not restore bit-exactly"
        raise EnvironmentFault(what, hint="compare whole episodes instead of forks")
    if not 0 <= fork.step_index <= len(fork.source.steps):
        what = f"{fork.arm}: the source has {len(fork.source.steps)} steps"
        raise EnvironmentFault(what)


def _require_state(fork: Fork, driver: WorldDriver, recorded: str | None) -> None:
    if driver.state_hash != recorded:
        what = f"environment `{driver.environment.name}` is in another state than {fork.arm} needs"
        raise EnvironmentFault(what, hint="it does not restore bit-exactly, so use no forks")


def _copy_turn(
    fork: Fork, log: EpisodeLog, step: StepRow, calls: Sequence[ToolCallRow], extra: str
) -> None:
    """Copy a turn; tokens and time stay with the source, which spent them."""
    trajectory_id = log.identity.trajectory_id
    unspent = {"prompt_tokens": None, "completion_tokens": None, "latency_s": None}
    copied = step.model_copy(update={"trajectory_id": trajectory_id, **unspent})
    rows = [
        row.model_copy(
            update={
                "trajectory_id": trajectory_id,
                "tool_call_id": make_id("call", [trajectory_id, row.step_index, row.call_index]),
            }
        )
        for row in calls
    ]
    if extra:
        copied, rows = _with_extra(copied, rows, extra)
    log.steps.append(copied)
    log.calls.extend(rows)
    log.messages.extend(turn_messages(copied, rows))
    log.copy_interventions(fork.source, step.step_index)


def _with_extra(
    step: StepRow, rows: list[ToolCallRow], extra: str
) -> tuple[StepRow, list[ToolCallRow]]:
    """Put a text behind what the agent saw last; some endpoints refuse one more user message."""
    step = step.model_copy(update={"observation": join(step.observation, extra)})
    if rows:
        shown = join(rows[-1].observation, extra)
        rows = [*rows[:-1], rows[-1].model_copy(update={"observation": shown})]
    return step, rows


def join(text: str | None, extra: str) -> str:
    """Put two texts under one another; an empty one leaves the other alone."""
    return "\n\n".join(part for part in (text, extra) if part)


def _forced_next(fork: Fork, log: EpisodeLog) -> Call | None:
    if log.identity.harness_id != fork.source.trajectory.harness_id:
        return None
    if fork.step_index >= len(fork.source.steps) or not fork.source.steps[fork.step_index].forced:
        return None
    return next(iter(executed_calls(fork.source.calls_at(fork.step_index))), None)
