"""Hand-made episodes of two invented worlds: a SQL desk and a household, and a policy desk."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from schemas.episode import Episode
from schemas.ids import make_id
from schemas.trajectories import PromptRow, StepRow, ToolCallRow, TrajectoryRow
from tasks.agent.arguments import parse_arguments
from tasks.annotator.profile import EnvironmentProfile, OrderConstraint

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NO_CALL = "No tool call was found. Reply with a call."


def tool(name: str, required: list[str], **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TEXT = {"type": "string"}
SQL_TOOLS = (
    tool("run_sql", ["sql"], sql=TEXT | {"description": "one SQL statement"}),
    tool("hand_in", ["answers"], answers={"type": "array", "items": TEXT}),
)
COMMAND_TOOLS = (tool("do", ["action"], action=TEXT),)


def call(tool: str, result: str = "ok", **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments, "result": result}


def failed(tool: str, result: str, **arguments: Any) -> dict[str, Any]:
    return call(tool, result, **arguments) | {"is_error": True}


def broken(tool: str, raw: str, result: str = "not valid JSON") -> dict[str, Any]:
    return {"tool": tool, "raw": raw, "result": result, "is_error": True, "executed": False}


def say(text: str, observation: str = NO_CALL) -> dict[str, Any]:
    return {"text": text, "observation": observation}


def _call_row(trajectory_id: str, index: int, move: dict[str, Any]) -> ToolCallRow:
    """The row as a rollout would write it: argument text that is no JSON is kept and not run."""
    raw = move["raw"] if "raw" in move else json.dumps(move["arguments"])
    parsed = parse_arguments(raw)
    is_broken = "raw" in move or parsed.error is not None
    arguments = None if is_broken else parsed.canonical
    executed = move.get("executed", parsed.error is None)
    return ToolCallRow(
        tool_call_id=make_id("call", [trajectory_id, index]),
        trajectory_id=trajectory_id,
        step_index=index,
        call_index=0,
        tool=move["tool"],
        arguments_raw=raw,
        arguments=arguments,
        arguments_error="not valid JSON" if is_broken else None,
        executed=executed,
        executed_tool=move["tool"] if executed else None,
        executed_arguments=arguments if executed else None,
        result=move["result"],
        is_error=move.get("is_error", False),
        error_kind=move.get("error_kind"),
    )


def build(
    moves: list[dict[str, Any]],
    *,
    environment: str = "world",
    task: str = "Count the rows.",
    number: int = 0,
    family: str = "any",
    outcome: str = "failure",
    fault: str | None = None,
    termination: str = "finished",
    budget: int = 20,
    reward_parts: dict[str, Any] | None = None,
) -> Episode:
    key = [environment, task, number, moves, outcome]
    trajectory_id = make_id("traj", key)
    steps = tuple(
        StepRow(
            trajectory_id=trajectory_id,
            step_index=index,
            role="assistant",
            text=move.get("text", ""),
            observation=move.get("observation", move.get("result")),
            admissible=json.dumps(move["admissible"]) if "admissible" in move else None,
            state_hash_before=move.get("before"),
            state_hash_after=move.get("after"),
        )
        for index, move in enumerate(moves)
    )
    calls = tuple(
        _call_row(trajectory_id, index, move) for index, move in enumerate(moves) if "tool" in move
    )
    prompt = PromptRow(prompt_id=make_id("prm", task), kind="task", text=task)
    trajectory = TrajectoryRow.model_validate(
        {
            "trajectory_id": trajectory_id,
            "environment": environment,
            "environment_fingerprint": "f",
            "family": family,
            "task_id": f"{environment}/{family}/{number}",
            "split": "train",
            "model": "m",
            "model_fingerprint": "m",
            "harness_id": make_id("harn", environment),
            "seed": 0,
            "repeat": 0,
            "arm": "run",
            "origin": "rollout",
            "outcome": outcome,
            "outcome_rule": "test",
            "termination": termination,
            "fault": fault,
            "reward_parts": json.dumps(reward_parts or {}),
            "steps": len(steps),
            "budget": budget,
            "task_prompt_id": prompt.prompt_id,
            "transcript_sha256": "0",
            "created_at": NOW,
        }
    )
    return Episode(trajectory, steps, calls, prompts={prompt.prompt_id: prompt})


@pytest.fixture
def make() -> Callable[..., Episode]:
    return build


@pytest.fixture
def moves() -> SimpleNamespace:
    """The move builders, as attributes."""
    return SimpleNamespace(call=call, failed=failed, broken=broken, say=say)


@pytest.fixture
def sql_profile() -> EnvironmentProfile:
    return EnvironmentProfile(
        environment="sql",
        tools=SQL_TOOLS,
        is_tools_known=True,
        terminal_tools=frozenset({"hand_in"}),
        sql_arguments={"run_sql": "sql"},
        non_progress=("0 rows affected",),
        order=(OrderConstraint("hand_in", "run_sql"),),
    )


@pytest.fixture
def command_profile() -> EnvironmentProfile:
    return EnvironmentProfile(
        environment="house",
        tools=COMMAND_TOOLS,
        is_tools_known=True,
        non_progress=("Nothing happens.",),
        command_arguments={"do": "action"},
    )
