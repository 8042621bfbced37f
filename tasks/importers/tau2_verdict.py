"""Verdict and end of a tau2 simulation.

Keys of `reward_parts`: instruction, expected_actions [{name, arguments, requestor}],
action_checks [{action, action_match, action_reward}], db_match, db_reward, env_assertions,
nl_assertions, communicate_checks, outputs (texts to communicate), reward_basis,
reward_breakdown, vacuous (components in the basis that had nothing to check), notes,
task_disputed, limits {max_steps, max_errors}, review, hallucination_check, error.
"""

from schemas.fields import Termination
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftMessage, DraftVerdict
from tasks.importers.faults import classify_fault, is_api_error
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_list,
    as_number,
    as_object,
    drop_nulls,
)
from tasks.importers.verdicts import judge_reward

_TERMINATIONS: dict[str, Termination] = {
    "user_stop": "user_stop",
    "agent_stop": "finished",
    "max_steps": "budget",
    "timeout": "timeout",
    "too_many_errors": "too_many_errors",
    "agent_error": "agent_error",
    "user_error": "user_error",
    "infrastructure_error": "fault",
    "context_window_exceeded": "context_overflow",
    "unexpected_error": "fault",
}
_CHECKS = {
    "ENV_ASSERTION": "env_assertions",
    "NL_ASSERTION": "nl_assertions",
    "COMMUNICATE": "communicate_checks",
    "ACTION": "action_checks",
    "DB": "db_check",
}
_SHORT = 3


def read_termination(simulation: JsonObject) -> tuple[Termination, str | None]:
    """Our word and the source's word for how it ended."""
    raw = simulation.get("termination_reason")
    if not isinstance(raw, str) or not raw.strip():
        return "unknown", None
    word = raw.rsplit(".", 1)[-1].strip().lower()
    return _TERMINATIONS.get(word, "unknown"), raw


def _vacuous(graded: JsonObject) -> list[str]:
    basis = [item for item in as_list(graded.get("reward_basis")) if isinstance(item, str)]
    return sorted({item for item in basis if item in _CHECKS and not graded.get(_CHECKS[item])})


def _error(simulation: JsonObject) -> str | None:
    for holder in (simulation, as_object(simulation.get("info"))):
        for key in ("error", "exception", "traceback"):
            if holder.get(key):
                return as_content(holder[key])
    return None


def collect_parts(simulation: JsonObject, task_parts: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Everything the file holds about why the reward is what it is."""
    graded = as_object(simulation.get("reward_info"))
    checked = as_object(graded.get("db_check"))
    parts = {
        **task_parts,
        "action_checks": graded.get("action_checks"),
        "db_match": checked.get("db_match"),
        "db_reward": checked.get("db_reward"),
        "env_assertions": graded.get("env_assertions"),
        "nl_assertions": graded.get("nl_assertions"),
        "communicate_checks": graded.get("communicate_checks"),
        "reward_basis": graded.get("reward_basis"),
        "reward_breakdown": graded.get("reward_breakdown"),
        "vacuous": _vacuous(graded) or None,
        "notes": graded.get("info"),
        "review": simulation.get("review"),
        "hallucination_check": simulation.get("hallucination_check"),
        "error": _error(simulation),
    }
    return drop_nulls(parts)


def _find_fault(
    simulation: JsonObject, termination: Termination, messages: tuple[DraftMessage, ...]
) -> str | None:
    error = _error(simulation)
    if termination == "fault":
        raw = str(simulation.get("termination_reason"))
        return raw.rsplit(".", 1)[-1].strip().lower()
    if as_number(as_object(simulation.get("reward_info")).get("reward")) is None and error:
        return classify_fault(error)
    if not any(message.role == "assistant" for message in messages):
        return "no_agent_turn"
    last = messages[-1].text or ""
    if len(messages) <= _SHORT and is_api_error(last):
        return "api_error"
    return None


def judge(
    simulation: JsonObject, messages: tuple[DraftMessage, ...], task_parts: dict[str, JsonValue]
) -> DraftVerdict:
    """Judge a simulation: infrastructure is a fault, a missing reward is unknown."""
    reward = as_object(simulation.get("reward_info")).get("reward")
    termination, raw = read_termination(simulation)
    parts = collect_parts(simulation, task_parts)
    fault = _find_fault(simulation, termination, messages)
    outcome, rule = judge_reward(reward)
    if fault is not None:
        outcome, rule = "unknown", "fault"
    return DraftVerdict(outcome, rule, termination, raw, fault, as_number(reward), parts)
