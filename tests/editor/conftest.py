"""Episodes, briefs and a way to run rule text in the real sandbox."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.episode import Episode
from schemas.failures import FailurePatternRow
from schemas.ids import make_id
from schemas.trajectories import PromptRow, StepRow, ToolCallRow, TrajectoryRow
from tasks.editor.protocols import Brief
from tasks.harness import Action, Harness, HistoryEntry, Sandbox, Session

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Turn = dict[str, Any]


def tool(name: str, **types: Any) -> dict[str, Any]:
    """Tool definition in OpenAI form; every argument is required."""
    properties = {
        key: value if isinstance(value, dict) else {"type": value} for key, value in types.items()
    }
    parameters = {"type": "object", "properties": properties, "required": list(types)}
    function = {"name": name, "description": "", "parameters": parameters}
    return {"type": "function", "function": function}


QUERY = tool("run_query", statement="string")
HAND_IN = tool("hand_in", values={"type": "array", "items": {"type": "string"}})


@pytest.fixture
def tools() -> tuple[dict[str, Any], ...]:
    return (QUERY, HAND_IN)


@pytest.fixture
def make_tool() -> Callable[..., dict[str, Any]]:
    return tool


def call(name: str, arguments: Any, result: str = "ok", error: bool = False, **more: Any) -> Turn:
    return {"tool": name, "arguments": arguments, "result": result, "error": error, **more}


@pytest.fixture
def turn() -> Callable[..., Turn]:
    return call


def say(text: str, observation: str = "No tool call was found.", **more: Any) -> Turn:
    return {"text": text, "observation": observation, **more}


@pytest.fixture
def said() -> Callable[..., Turn]:
    return say


def episode(
    number: int, turns: Sequence[Turn], *, won: bool, family: str = "lookup", text: str = ""
) -> Episode:
    """One episode whose turns are calls or plain texts."""
    trajectory_id = make_id("traj", [family, number, won])
    steps, calls = [], []
    for index, one in enumerate(turns):
        admissible = one.get("admissible")
        steps.append(
            StepRow(
                trajectory_id=trajectory_id,
                step_index=index,
                role="assistant",
                text=one.get("text", ""),
                observation=one.get("observation", one.get("result")),
                admissible=json.dumps(admissible) if admissible is not None else None,
            )
        )
        if "tool" in one:
            arguments = json.dumps(one["arguments"])
            calls.append(
                ToolCallRow(
                    tool_call_id=make_id("call", [trajectory_id, index]),
                    trajectory_id=trajectory_id,
                    step_index=index,
                    call_index=0,
                    tool=one["tool"],
                    arguments_raw=arguments,
                    arguments=arguments,
                    executed=True,
                    result=one["result"],
                    is_error=one["error"],
                )
            )
    prompt_id = make_id("prm", ["task", text])
    trajectory = TrajectoryRow(
        trajectory_id=trajectory_id,
        environment="desk",
        environment_fingerprint="f",
        family=family,
        task_id=f"desk/{family}/{number}",
        split="train",
        model="m",
        model_fingerprint="m",
        harness_id="harn_" + "0" * 16,
        seed=0,
        repeat=0,
        arm="run",
        origin="rollout",
        outcome="success" if won else "failure",
        outcome_rule="world_verdict",
        termination="finished",
        steps=len(turns),
        budget=12,
        task_prompt_id=prompt_id,
        transcript_sha256="x",
        created_at=NOW,
    )
    prompts = {prompt_id: PromptRow(prompt_id=prompt_id, kind="task", text=text)}
    return Episode(trajectory, tuple(steps), tuple(calls), prompts=prompts)


@pytest.fixture
def make_episode() -> Callable[..., Episode]:
    return episode


def pattern(
    members: Sequence[Episode], signature: dict[str, Any], *, bullet: str = "AR1"
) -> FailurePatternRow:
    ids = [[member.trajectory_id, 0] for member in members]
    category = {
        "AR": "action_realization",
        "EC": "environment_contract",
        "TD": "trajectory_degeneration",
        "RR": "residual_reasoning",
    }[bullet[:2]]
    values = {
        "pattern_id": make_id("pat", [signature, ids]),
        "environment": "desk",
        "model": "m",
        "harness_id": "harn_" + "0" * 16,
        "category": category,
        "bullet": bullet,
        "rule": "r",
        "signature": json.dumps(signature, sort_keys=True),
        "family": None,
        "layer": "actions",
        "runs": len(members),
        "tasks": len(members),
        "eligible": True,
        "members": json.dumps(ids),
    }
    return FailurePatternRow.model_validate(values)


@pytest.fixture
def make_pattern() -> Callable[..., FailurePatternRow]:
    return pattern


@pytest.fixture
def empty_harness() -> Harness:
    return Harness.from_files({"harness.yaml": "api: 1\nenvironment: desk\n"})


@pytest.fixture
def make_brief(empty_harness: Harness) -> Callable[..., Brief]:
    def build(
        episodes: Sequence[Episode], patterns: Sequence[FailurePatternRow] = (), **more: Any
    ) -> Brief:
        values: dict[str, Any] = {
            "environment": "desk",
            "harness": empty_harness,
            "tools": (QUERY, HAND_IN),
            "episodes": tuple(episodes),
            "patterns": tuple(patterns),
        }
        return Brief(**(values | more))

    return build


def _entry(one: dict[str, Any]) -> HistoryEntry:
    action = Action(one.get("tool"), one.get("arguments"), one.get("text", ""))
    return HistoryEntry(action, one.get("observation", ""), one.get("is_error", False))


def _with_rule(layer: Any, source: str) -> Harness:
    name = source.split("(", 1)[0].removeprefix("def ")
    empty = Harness.from_files({"harness.yaml": "api: 1\nenvironment: desk\n"})
    return empty.put(layer, name, source)


@pytest.fixture
def run_action_rule() -> Callable[..., dict[str, Any] | None]:
    """Ask one action rule in a session; a fault of the rule fails the test."""

    async def ask(harness: Harness, action: dict[str, Any], more: dict[str, Any]) -> Any:
        async with Sandbox(workers=1) as sandbox:
            session = Session(harness, more["task_text"], more["tools"], sandbox=sandbox, budget=9)
            session.condition([{"role": "user", "content": more["task_text"]}], more["tools"])
            session.resume([_entry(one) for one in more["history"]])
            for words in more["heard"]:
                session.note_message({"role": "user", "content": words})
            raw = json.dumps(action["arguments"]) if "arguments" in action else None
            raw = more["raw"] if more["raw"] is not None else raw
            text = action.get("raw_text", "")
            offered = more["admissible"]
            return await session.before_call(
                action.get("tool"), raw, raw_text=text, admissible=offered
            )

    def run(
        source: str,
        action: dict[str, Any],
        *,
        tools: Sequence[dict[str, Any]] = (QUERY, HAND_IN),
        history: Sequence[dict[str, Any]] = (),
        admissible: Sequence[str] | None = None,
        task_text: str = "",
        heard: Sequence[str] = (),
        raw: str | None = None,
    ) -> dict[str, Any] | None:
        more = {
            "heard": heard,
            "raw": raw,
            "tools": tools,
            "history": history,
            "admissible": admissible,
            "task_text": task_text,
        }
        decision = asyncio.run(ask(_with_rule("actions", source), action, more))
        assert decision.faults == ()
        if not decision.interventions:
            return None
        kind = decision.interventions[0].kind
        if kind == "block":
            return {"kind": kind, "message": decision.message}
        return {"kind": kind, "tool": decision.call.tool, "arguments": decision.call.arguments}

    return run


@pytest.fixture
def run_regulation_rule() -> Callable[..., dict[str, Any] | None]:
    """Ask one regulation rule after the last turn of a history; a fault fails the test."""

    async def ask(harness: Harness, history: Sequence[Any], more: dict[str, Any]) -> Any:
        async with Sandbox(workers=1) as sandbox:
            budget = len(history) + more["remaining"]
            session = Session(harness, "", more["tools"], sandbox=sandbox, budget=budget)
            session.condition([{"role": "user", "content": ""}], more["tools"])
            session.resume([_entry(one) for one in history[:-1]])
            last = history[-1]
            raw = json.dumps(last["arguments"]) if "arguments" in last else None
            decision = await session.before_call(
                last.get("tool"), raw, raw_text=last.get("text", "")
            )
            return await session.after_result(
                decision.call,
                last.get("observation", ""),
                is_error=last.get("is_error", False),
                admissible=more["admissible"],
            )

    def run(
        source: str,
        history: Sequence[dict[str, Any]],
        *,
        tools: Sequence[dict[str, Any]] = (QUERY, HAND_IN),
        admissible: Sequence[str] | None = None,
        remaining: int = 5,
    ) -> dict[str, Any] | None:
        more = {"tools": tools, "admissible": admissible, "remaining": remaining}
        regulated = asyncio.run(ask(_with_rule("regulation", source), history, more))
        assert regulated.faults == ()
        if not regulated.interventions:
            return None
        first = regulated.interventions[0]
        return {"kind": first.kind, "message": first.after}

    return run
