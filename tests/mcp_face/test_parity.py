"""Stored trajectories through the face: the same interventions, byte by byte."""

import asyncio
import json
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.ids import canonical_json
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.rollout import run_episodes
from tasks.agent.simulated_model import simulated_model
from tasks.environments.registry import resolve_environment
from tasks.harness import Harness, Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
PARROT = Path(__file__).parent / "parrot_server.py"
SEEN = ("rewrite", "block", "hint", "load")
COUNTS = {"on_demand": 40, "injected": 12}
FILES = {
    "contract.md": (
        "---\ntools:\n  execute_sql: One statement a call.\n---\n"
        "Call one tool at a time.\n\n## Answers\n\nGive bare values.\n"
    ),
    "skills/count-rows/SKILL.md": (
        "---\nname: count-rows\ndescription: Select, insert or update rows of a table.\n"
        "trigger: {any: [how many, what, which, list, update, change, insert]}\n---\n"
        "Look at the columns first.\n"
    ),
    "actions.py": '''def rule_rescue(action, context):
    """Prose is no work."""
    if action["tool"] is None:
        arguments = {"query": "SELECT 1"}
        return {"kind": "rescue", "tool": "execute_sql", "arguments": arguments}


def rule_end(action, context):
    """A statement ends without a mark."""
    for name, value in action["arguments"].items():
        if isinstance(value, str) and value.rstrip().endswith(";"):
            fixed = dict(action["arguments"])
            fixed[name] = value.rstrip().rstrip(";")
            return {"kind": "rewrite", "tool": action["tool"], "arguments": fixed}


def rule_more(action, context):
    """A later rewrite is suppressed by the first."""
    for name, value in action["arguments"].items():
        if isinstance(value, str) and "SELECT" in value and "  " not in value:
            return {
                "kind": "rewrite",
                "tool": action["tool"],
                "arguments": action["arguments"] | {name: value.replace("SELECT", "SELECT ")},
            }


def rule_empty(action, context):
    """Everything at once is too much."""
    if "*" in str(action["arguments"]):
        return {"kind": "block", "message": "Name the columns: «ä» is one."}
''',
    "regulation.py": '''def rule_error(history, context):
    """An error deserves a second look."""
    if history[-1]["is_error"]:
        return {"kind": "hint", "message": "Look again at: " + history[-1]["observation"][:60]}


def rule_rows(history, context):
    """Results are read."""
    if len(history[-1]["observation"]) % 3 == 0:
        return {"kind": "hint", "message": "Read all rows."}


def rule_long(history, context):
    """Five turns are enough."""
    if len(history) > 4:
        return {"kind": "stop"}
''',
}


def harness_of(delivery):
    settings = f"api: 1\nenvironment: sqldesk\ndelivery: {delivery}\nbudgets: {{hints: 200}}\n"
    return FILES | {"harness.yaml": settings}


async def episodes_of(harness, count):
    world = resolve_environment("sqldesk")
    specs = [EpisodeSpec(task, 7, 0) for task in world.tasks("train")[:count]]
    async with Sandbox() as sandbox:
        rig = Rig(
            world,
            simulated_model("simulated:weak"),
            harness,
            sandbox,
            datetime(2026, 1, 1, tzinfo=UTC),
        )
        return await run_episodes(specs, rig)


def can_be_sent(call, forced):
    """Whether a client of MCP can make this call: it exists, is JSON, and is its own."""
    is_written = call.arguments_raw is not None and call.arguments_error is None
    return is_written and call.error_kind != "not_run" and call.step_index not in forced


def bare_answer(call, hints):
    """What the tool itself said, the hint of the step taken off again where it was not kept."""
    if call.result is not None:
        return call.result
    said = call.observation or ""
    for hint in hints:
        said = said.removesuffix(f"\n\nHint: {hint}")
    return said


async def play(connect, url, episode):
    """Make the calls of an episode as a client; gives what it was answered and what ran."""
    forced = {step.step_index for step in episode.steps if step.forced}
    sent = [call for call in episode.calls if can_be_sent(call, forced)]
    told, ran = [], []
    async with connect(url) as client:
        for call in sent:
            hints = [
                row.after
                for row in episode.interventions
                if row.kind == "hint" and row.step_index == call.step_index and not row.suppressed
            ]
            answer = {"text": bare_answer(call, hints), "is_error": call.is_error}
            meta = {"test/answer": answer, "tackroom/task": episode.task_text}
            done = await client.call_tool(
                call.tool, json.loads(call.arguments_raw or "{}"), meta=meta
            )
            told.append("".join(block.text for block in done.content))
            ran.append((done.meta or {}).get("test/ran"))
    return sent, told, ran


def rows(done):
    names = ("layer", "artifact_id", "artifact", "kind", "before", "after")
    return [(*(one[name] for name in names), one["suppressed"]) for one in done]


@pytest.mark.parametrize("delivery", list(COUNTS))
def test_stored_trajectories_meet_the_same_interventions_through_mcp(
    face, connect, serve, serve_face, tmp_path, delivery
):
    files = harness_of(delivery)
    episodes = asyncio.run(episodes_of(Harness.from_files(files), COUNTS[delivery]))
    assert len(episodes) == COUNTS[delivery]
    tools = tmp_path / "tools.json"
    listed = [tool.as_openai()["function"] for tool in resolve_environment("sqldesk").tools]
    tools.write_text(json.dumps(listed))
    seen, unseen = Counter(), Counter()
    with serve((sys.executable, str(PARROT), str(tools))) as upstream:
        faced = face(upstream=upstream, **files, **{"skills/look-up/SKILL.md": None})
        with serve_face(faced) as url:
            played = [asyncio.run(play(connect, url, episode)) for episode in episodes]
        logged = faced.lines("intervention")
    for number, (episode, (sent, told, ran)) in enumerate(zip(episodes, played, strict=True), 1):
        steps = {call.step_index for call in sent}
        mine = [one for one in logged if one["session"] == number and one["kind"] in SEEN]
        found = rows([one | {"suppressed": one["status"] == "suppressed"} for one in mine])
        wanted = [
            row.model_dump()
            for row in episode.interventions
            if row.kind in SEEN and row.step_index in steps
        ]
        assert found == rows(wanted)
        assert told == [call.observation for call in sent]
        for call, one in zip(sent, ran, strict=True):
            if call.executed:
                assert one["name"] == call.executed_tool
                assert canonical_json(one["arguments"]) == call.executed_arguments
            elif call.error_kind == "blocked":
                assert one is None
        seen.update(row["kind"] for row in wanted)
        unseen.update(
            row.kind
            for row in episode.interventions
            if row.kind not in SEEN or row.step_index not in steps
        )
    if delivery == "on_demand":
        assert set(seen) == set(SEEN)
    assert set(unseen) <= {"rescue", "inject", "stop", *SEEN}
    assert ("inject" in unseen) == (delivery == "injected")
