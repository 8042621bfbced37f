"""Verdict and end of a tau-bench episode.

Keys of `reward_parts`: instruction, expected_actions [{name, arguments, requestor}], outputs,
output_checks {text: bool}, r_actions, r_outputs, base_reward (the environment's own verdict,
where a fork pays fractions), gt_data_hash, components, vacuous, error, traceback.
"""

from collections.abc import Sequence
from typing import Any

from schemas.fields import Termination
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftMessage, DraftVerdict
from tasks.importers.faults import classify_fault
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_list,
    as_number,
    as_object,
    as_text,
    drop_nulls,
)
from tasks.importers.verdicts import judge_reward

STEP_CAP = 30
"""Agent turns that the format's own loop allows."""
_STOP = "###STOP###"
_HANDOVER = "transfer_to_human_agents"
_TRACE = 4_000


def task_actions(info: JsonObject) -> list[JsonObject]:
    """Expected calls of the task in neutral form."""
    actions = as_list(as_object(info.get("task")).get("actions"))
    if not actions:
        actions = as_list(as_object(info.get("reward_info")).get("actions"))
    return [
        {
            "name": item["name"],
            "arguments": as_object(item.get("kwargs", item.get("arguments"))),
            "requestor": "assistant",
        }
        for item in actions
        if isinstance(item, dict) and isinstance(item.get("name"), str)
    ]


def _parts(info: JsonObject) -> dict[str, Any]:
    task = as_object(info.get("task"))
    graded = as_object(info.get("reward_info"))
    inner = as_object(graded.get("info"))
    r_actions, r_outputs = as_number(inner.get("r_actions")), as_number(inner.get("r_outputs"))
    base = [value for value in (r_actions, r_outputs) if value is not None]
    parts: dict[str, JsonValue] = {
        "instruction": as_text(task.get("instruction")),
        "expected_actions": task_actions(info) if task or graded else None,
        "outputs": task.get("outputs"),
        "output_checks": inner.get("outputs"),
        "r_actions": r_actions,
        "r_outputs": r_outputs,
        "base_reward": min(base) if base else None,
        "gt_data_hash": inner.get("gt_data_hash"),
        "components": graded.get("components"),
        "error": as_content(info.get("error")),
        "traceback": (as_content(info.get("traceback")) or "")[-_TRACE:] or None,
    }
    if r_outputs is not None and not inner.get("outputs"):
        parts["vacuous"] = ["OUTPUTS"]
    return drop_nulls(parts)


def _end(messages: Sequence[DraftMessage], info: JsonObject) -> tuple[Termination, str | None]:
    last = messages[-1] if messages else None
    if last is not None and last.role == "user" and _STOP in (last.text or ""):
        return "user_stop", _STOP
    if "reward_info" in info and info["reward_info"] is None:
        return "budget", None
    calls = [call.tool for message in messages[-2:] for call in message.calls]
    if last is not None and last.role == "tool" and calls[-1:] == [_HANDOVER]:
        return "finished", _HANDOVER
    is_said = last is not None and last.role == "user" and info.get("reward_info") is not None
    return ("user_stop", None) if is_said else ("unknown", None)


def judge(episode: JsonObject, messages: Sequence[DraftMessage]) -> DraftVerdict:
    """Judge an episode: a crash is a fault, a missing reward is unknown."""
    info = as_object(episode.get("info"))
    reward = as_number(episode.get("reward"))
    parts = _parts(info)
    error = as_content(info.get("error")) or as_content(info.get("traceback"))
    if error:
        fault = classify_fault(error)
        return DraftVerdict("unknown", "crash", "fault", None, fault, reward, parts)
    if not any(message.role == "assistant" for message in messages):
        return DraftVerdict(
            "unknown", "no_agent_turn", "fault", None, "no_agent_turn", reward, parts
        )
    outcome, rule = judge_reward(episode.get("reward"))
    termination, raw = _end(messages, info)
    return DraftVerdict(outcome, rule, termination, raw, None, reward, parts)
