"""A trajectory as an ATIF document, and the `result.json` of a Harbor trial with its verdict.

ATIF has no verdict of its own; Harbor keeps it beside the document, in the trial's folder.
"""

from typing import Any

from schemas.episode import Episode
from tasks.exporters.trajectories.facts import facts_of, reward_of, tools_of
from tasks.exporters.trajectories.told import Told, ToldCall, tell

VERSION = "ATIF-v1.7"
_SOURCES = {"system": "system", "assistant": "agent"}


def atif_document(episode: Episode) -> dict[str, Any]:
    """The document; results stand in the step whose call they answer."""
    row = episode.trajectory
    agent: dict[str, Any] = {
        "name": row.environment,
        "version": row.harness_id,
        "model_name": row.model,
    }
    tools = tools_of(episode)
    if tools is not None:
        agent["tool_definitions"] = tools
    steps: list[dict[str, Any]] = []
    asked: dict[str, dict[str, Any]] = {}
    for told in tell(episode):
        if told.answers is not None and told.answers.identity in asked:
            _observe(asked[told.answers.identity], told)
            continue
        step = _step(told, len(steps) + 1)
        steps.append(step)
        asked |= {call.identity: step for call in told.calls}
    totals = {
        "total_prompt_tokens": row.prompt_tokens,
        "total_completion_tokens": row.completion_tokens,
        "total_cost_usd": row.cost_usd,
        "total_steps": len(steps),
    }
    return {
        "schema_version": VERSION,
        "session_id": row.trajectory_id,
        "trajectory_id": row.trajectory_id,
        "agent": agent,
        "steps": steps,
        "final_metrics": {name: value for name, value in totals.items() if value is not None},
        "extra": facts_of(episode),
    }


def trial_result(episode: Episode) -> dict[str, Any]:
    """The trial's result; without a reward where the outcome is unknown."""
    row = episode.trajectory
    reward = reward_of(episode)
    result: dict[str, Any] = {
        "trial_name": row.trajectory_id,
        "task_name": row.task_id,
        "source": row.environment,
        "agent_info": {"name": row.environment, "model_info": {"name": row.model}},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": None,
    }
    if row.fault is not None:
        told = {"exception_type": row.fault, "exception_message": row.termination_raw or ""}
        result["exception_info"] = told
    return result


def _step(told: Told, number: int) -> dict[str, Any]:
    step: dict[str, Any] = {
        "step_id": number,
        "source": _SOURCES.get(told.role, "user"),
        "message": told.text,
    }
    if told.copied:
        step["is_copied_context"] = True
    if told.reasoning:
        step["reasoning_content"] = told.reasoning
    if told.calls:
        calls = [_call(call) for call in told.calls]
        step |= {"tool_calls": calls} if _is_agent(told) else {"extra": {"tool_calls": calls}}
    if told.step is not None and told.role == "assistant":
        counted = {
            "prompt_tokens": told.step.prompt_tokens,
            "completion_tokens": told.step.completion_tokens,
        }
        known = {name: value for name, value in counted.items() if value is not None}
        step |= {"metrics": known} if known else {}
    return step


def _call(call: ToldCall) -> dict[str, Any]:
    """ATIF holds an object; a text that is none goes along under `extra`."""
    written: dict[str, Any] = {
        "tool_call_id": call.identity,
        "function_name": call.tool,
        "arguments": call.arguments if call.arguments is not None else {},
    }
    if call.arguments is None:
        written["extra"] = {"arguments_raw": call.raw, "arguments_error": call.error}
    return written


def _observe(step: dict[str, Any], told: Told) -> None:
    found: dict[str, Any] = {"content": told.text}
    if told.answers is not None:
        found["source_call_id"] = told.answers.identity
    if told.is_error is not None:
        found["extra"] = {"is_error": told.is_error, "error_kind": told.error_kind}
    place = step["extra"] if "extra" in step else step.setdefault("observation", {})
    place.setdefault("results", []).append(found)


def _is_agent(told: Told) -> bool:
    """Only agents call tools in ATIF; calls of a simulated user stand apart."""
    return told.role == "assistant"
