"""A stored rollout gone through again by a loop like ours whose base URL is the proxy."""

from collections.abc import Sequence
from typing import Any

from schemas.episode import Episode
from tasks.agent.recording import condition, record, recover_opening
from tasks.harness import Harness, RecordedEpisode, RecordedStep
from tasks.harness.conduct import LOAD_TOOL

Row = tuple[int, str, str, str, str | None, str | None, bool]


def recorded(episode: Episode, harness: Harness) -> tuple[RecordedEpisode, str]:
    """The stored turns, and the system text before the harness."""
    opening = recover_opening(episode, harness)
    assert opening.is_exact
    return record(episode, opening, condition(harness, opening)), opening.system


def stored_interventions(episode: Episode) -> list[Row]:
    """What the rollout kept of its harness, in order."""
    rows = sorted(episode.interventions, key=lambda row: (row.step_index, row.ordinal))
    return [
        (r.step_index, r.layer, r.artifact_id, r.kind, r.before, r.after, r.suppressed)
        for r in rows
    ]


def model_turns(steps: Sequence[RecordedStep]) -> list[Any]:
    """What the model said, turn by turn; what a rule forced is left out."""
    turns: list[Any] = []
    for step in steps:
        if step.is_forced:
            continue
        if step.name is None:
            turns.append(step.raw_text)
        elif step.is_new_turn:
            turns.append([(step.name, step.raw_arguments or "")])
        else:
            turns[-1].append((step.name, step.raw_arguments or ""))
    return turns


def refused(episode: Episode, steps: Sequence[RecordedStep]) -> list[bool]:
    """For each stored call, whether it was answered by the harness and no client hears of it."""
    blocked = {
        r.step_index for r in episode.interventions if r.kind == "block" and not r.suppressed
    }
    rows = iter([row for row in episode.calls if row.error_kind != "not_run"])
    found: list[bool] = []
    turn = -1
    for step in steps:
        turn += step.is_new_turn
        is_call = step.name is not None or step.executed is not None or step.is_forced
        row = next(rows) if is_call else None
        if row is not None:
            found.append(row.error_kind == "blocked" or row.tool == LOAD_TOOL)
        else:
            found.append(turn in blocked)
    return found


async def live_again(desk: Any, recording: RecordedEpisode, system: str, gone: list[bool]) -> None:
    """Send the episode through the proxy request by request, with the stored results."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": recording.task_text})
    waiting = [step for step, is_gone in zip(recording.steps, gone, strict=True) if not is_gone]
    desk.upstream.turns = [*model_turns(recording.steps), "done"]
    while True:
        body: dict[str, Any] = {"model": "m", "messages": messages, "tools": recording.tools}
        done = sum(len(kept.account.turns) for kept in desk.kept)
        following = [step for step in recording.steps if step.is_new_turn][done:]
        if following and following[0].admissible is not None:
            body["tackroom"] = {"admissible": list(following[0].admissible)}
        message = (await desk.post(body))["choices"][0]["message"]
        if not waiting:
            return
        messages.append({key: value for key, value in message.items() if value is not None})
        for call in message.get("tool_calls") or [None]:
            step = waiting.pop(0)
            answer = (
                {"role": "user"} if call is None else {"role": "tool", "tool_call_id": call["id"]}
            )
            messages.append(answer | {"content": step.observation, "is_error": step.is_error})
