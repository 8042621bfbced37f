"""The planted world: four faults, each with one cure that is read by its facts."""

import asyncio
from datetime import UTC, datetime

import pytest

from schemas.fields import Layer
from tasks.agent.builtin_models import GoldModel, NoopModel
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.rollout import run_episodes
from tasks.agent.simulated_model import simulated_model
from tasks.environments.registry import resolve_environment
from tasks.harness import Harness, Sandbox

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BARE = Harness.from_files({"harness.yaml": "api: 1\nenvironment: depot\n"})
SKILL = """---
name: shelve-steps
description: Steps that shelve a parcel.
trigger: {"any": ["shelve"]}
---

1. Call `find_bay` with the goods.
2. Call `place` with the parcel and that bay.
3. Call `report`.
"""
RESCUE = '''def rule_read(action, context):
    """Reads a call written as text."""
    import re
    import json
    names = "|".join(tool["function"]["name"] for tool in context["tools"])
    written = r"(" + names + r")\\W{1,40}(?:arguments\\W+|Action Input: |with )?(\\{.*?\\})"
    found = re.search(written, action["raw_text"], re.DOTALL)
    if not found:
        return None
    return {"kind": "rescue", "tool": found.group(1), "arguments": json.loads(found.group(2))}
'''
HINT = '''def rule_again(history, context):
    """Says that a call was repeated."""
    if len(history) > 1 and history[-1]["action"] == history[-2]["action"]:
        return {"kind": "hint", "message": "The same call brought the same result; go on."}
    return None
'''
CURES: dict[str, tuple[Layer, str, str]] = {
    "weigh": ("contract", "Report", '`report` takes `values`, a list of bare values like ["42"].'),
    "shelve": ("skills", "shelve-steps", SKILL),
    "scan": ("actions", "rule_read", RESCUE),
    "trace": ("regulation", "rule_again", HINT),
}


@pytest.fixture
def depot(planted, monkeypatch):
    monkeypatch.syspath_prepend(str(planted))
    return resolve_environment("depot")


def success(environment, model, harness=BARE, split="select"):
    """Share of solved tasks by family."""

    async def go():
        async with Sandbox() as sandbox:
            rig = Rig(environment, model, harness, sandbox, NOW)
            specs = [EpisodeSpec(task, 7) for task in environment.tasks(split)]
            return await run_episodes(specs, rig)

    shares = {}
    for episode in asyncio.run(go()):
        shares.setdefault(episode.trajectory.family, []).append(episode.is_success)
    return {family: sum(won) / len(won) for family, won in shares.items()}


@pytest.mark.parametrize(("model", "share"), [(GoldModel(), 1.0), (NoopModel(), 0.0)])
def test_the_expert_solves_everything_and_nothing_is_solved_by_doing_nothing(depot, model, share):
    assert set(success(depot, model, split="train").values()) == {share}


@pytest.mark.parametrize("family", CURES)
def test_a_cure_helps_its_family_and_no_other(depot, family):
    model = simulated_model("simulated:weak")
    before = success(depot, model)
    after = success(depot, model, BARE.put(*CURES[family]))
    assert after[family] - before[family] >= 0.2
    others = [name for name in CURES if name != family]
    assert all(abs(after[name] - before[name]) <= 0.05 for name in others)


def test_the_weak_model_fails_in_every_family(depot):
    assert all(
        0.1 < share < 0.7 for share in success(depot, simulated_model("simulated:weak")).values()
    )
