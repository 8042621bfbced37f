"""Rows of an episode that an agent of somebody else played, from both sides of it.

The proxy heard what the model said and what the agent told it; the world knows what was executed.
Where both tell of a call the world is right.
"""

from collections.abc import Sequence

from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.conversation import turn_messages
from tasks.agent.overheard import overhear
from tasks.agent.own_stage import OwnStage
from tasks.proxy.paths import longest_path
from tasks.proxy.service import Exchanged


def keep_episode(stage: OwnStage, kept: Sequence[Exchanged]) -> None:
    """Put what happened into the log of the stage."""
    log = stage.log
    overhear(log, (one.account for one in longest_path(kept)))
    state = stage.acted[0].state_before if stage.acted else stage.driver.state_hash
    steps, calls = list(log.steps), list(log.calls)
    log.steps.clear()
    log.calls.clear()
    for step in steps:
        rows = [_as_world_says(stage, row) for row in calls if row.step_index == step.step_index]
        told = [one for _, one in rows if one is not None]
        after = told[-1] if told else state
        update = {"state_hash_before": state, "state_hash_after": after}
        log.steps.append(step.model_copy(update=update | _observation(step, [r for r, _ in rows])))
        log.calls.extend(row for row, _ in rows)
        log.messages.extend(turn_messages(log.steps[-1], [row for row, _ in rows]))
        state = after


def _as_world_says(stage: OwnStage, row: ToolCallRow) -> tuple[ToolCallRow, str | None]:
    """A call with the world's result of it, and the state it left; null when it was not run."""
    executed = row.executed_arguments or row.arguments
    found = stage.take_result(row.executed_tool or row.tool, executed)
    if found is None or row.error_kind == "blocked":
        return row, None
    result = found.result
    update = {
        "executed": True,
        "executed_tool": found.call.tool,
        "executed_arguments": executed,
        "result": result.observation,
        "observation": row.observation if row.observation is not None else result.observation,
        "is_error": result.is_error,
        "error_kind": result.error_kind,
    }
    return row.model_copy(update=update), found.state_after


def _observation(step: StepRow, rows: Sequence[ToolCallRow]) -> dict[str, str]:
    """What came back in a turn whose results the agent never sent on, as at the end."""
    if step.observation or not rows:
        return {}
    return {"observation": "\n\n".join(row.observation or "" for row in rows)}
