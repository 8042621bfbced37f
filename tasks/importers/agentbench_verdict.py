"""Verdict and end of an AgentBench run: the status says how it ended, the result who was right.

Keys of `reward_parts`: status, error, result (as the task gave it), info.
"""

from schemas.fields import Outcome, Termination
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftVerdict
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

_TERMINATIONS: dict[str, Termination] = {
    "completed": "finished",
    "agent context limit": "context_overflow",
    "agent validation failed": "agent_error",
    "agent invalid action": "agent_error",
    "task limit reached": "budget",
    "task error": "fault",
    "cancelled": "fault",
}
_GRADED = {"os": "result", "alfworld": "result", "webshop": "reward"}
"""Member of the result that holds the verdict, by task; other tasks are graded elsewhere."""
_NETWORK = frozenset({"NETWORK_ERROR", "START_FAILED", "INTERACT_FAILED", "NOT_AVAILABLE"})


def judge(line: JsonObject, task: str) -> DraftVerdict:
    """Judge a run: an error of client or task is a fault, no verdict is unknown."""
    output = as_object(line.get("output"))
    raw = as_text(output.get("status"))
    termination = _TERMINATIONS.get((raw or "").strip().lower(), "unknown")
    error = as_content(line.get("error"))
    reward, outcome, rule = _grade(output, task)
    parts: dict[str, JsonValue] = drop_nulls(
        {"status": raw, "error": error, "result": output.get("result"), "info": line.get("info")}
    )
    fault = _find_fault(error, as_content(line.get("info")), termination)
    if fault:
        return DraftVerdict("unknown", "fault", "fault", raw or error, fault, reward, parts)
    return DraftVerdict(outcome, rule, termination, raw, None, reward, parts)


def _find_fault(error: str | None, info: str | None, termination: Termination) -> str | None:
    if error in _NETWORK:
        return "api_error"
    if error:
        return classify_fault(f"{error} {info or ''}")
    return "task_error" if termination == "fault" else None


def _grade(output: JsonObject, task: str) -> tuple[float | None, Outcome, str]:
    """Reward, outcome and rule; the newer controller puts rewards among the turns."""
    result = output.get("result")
    given = as_object(result).get(_GRADED.get(task, ""))
    if given is None:
        rewards = [as_object(item).get("reward") for item in as_list(output.get("history"))]
        given = next((value for value in reversed(rewards) if value is not None), None)
    if isinstance(given, bool):
        return float(given), ("success" if given else "failure"), "result_is_true"
    outcome, rule = judge_reward(given)
    return as_number(given), outcome, rule
