"""Trajectories as samples of an Inspect log, one log for each environment and model."""

from typing import Any

from schemas.episode import Episode
from schemas.trajectories import TrajectoryRow
from tasks.exporters.trajectories.facts import facts_of, reward_of
from tasks.exporters.trajectories.told import Told, ToldCall, tell

SCORER = "outcome"
_ROLES = {"environment": "user"}


def log_head(row: TrajectoryRow, samples: int) -> dict[str, Any]:
    """What a log says once about its samples."""
    created = row.created_at.isoformat()
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": row.environment,
            "task_version": row.environment_fingerprint,
            "task_id": row.environment,
            "run_id": row.harness_id,
            "created": created,
            "model": row.model,
            "dataset": {"name": row.environment, "samples": samples},
            "config": {},
        },
    }


def sample(episode: Episode, epoch: int) -> dict[str, Any]:
    """One sample; a fault is its error, and an unknown outcome has no score."""
    row, reward = episode.trajectory, reward_of(episode)
    messages = [_message(told, row.model) for told in tell(episode) if _has_place(told)]
    written: dict[str, Any] = {
        "id": row.task_id,
        "epoch": epoch,
        "uuid": row.trajectory_id,
        "input": episode.task_text,
        "target": "",
        "messages": messages,
        "scores": {} if reward is None else {SCORER: {"value": reward, "answer": None}},
        "metadata": facts_of(episode),
    }
    if row.fault is not None:
        written["error"] = {
            "message": row.termination_raw or row.fault,
            "traceback": "",
            "traceback_ansi": "",
        }
    return written


def _has_place(told: Told) -> bool:
    """A log holds no copied context, and no results of calls that the agent did not make."""
    return not told.copied and not (told.answers is not None and told.answers.is_users)


def _message(told: Told, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": _ROLES.get(told.role, told.role), "content": told.text}
    if told.reasoning:
        thought = {"type": "reasoning", "reasoning": told.reasoning}
        message["content"] = [thought, {"type": "text", "text": told.text}]
    if told.role == "assistant":
        message |= {"source": "generate", "model": model}
    if told.calls:
        calls = [_call(call) for call in told.calls]
        is_agent = told.role == "assistant"
        message |= {"tool_calls": calls} if is_agent else {"metadata": {"tool_calls": calls}}
    if told.answers is not None:
        message |= {"tool_call_id": told.answers.identity, "function": told.answers.tool}
        if told.is_error:
            kind = told.error_kind if told.error_kind in _KINDS else "unknown"
            message["error"] = {"type": kind, "message": told.text}
    return message


_KINDS = frozenset({"parsing", "timeout", "unknown", "permission", "file_not_found", "limit"})
"""Kinds of tool errors that Inspect knows."""


def _call(call: ToldCall) -> dict[str, Any]:
    written: dict[str, Any] = {
        "id": call.identity,
        "function": call.tool,
        "arguments": call.arguments if call.arguments is not None else {},
        "type": "function",
    }
    if call.arguments is None:
        written |= {"arguments": {"raw": call.raw}, "parse_error": call.error or "not an object"}
    return written
