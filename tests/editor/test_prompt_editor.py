"""Prompt evolution: GEPA over contract and skill text, with a scripted reflection model."""

import asyncio
import re
from dataclasses import replace

import pytest

from schemas.errors import ConfigError, ModelFault
from schemas.settings import EditorSettings
from tasks.agent.protocols import ModelReply
from tasks.editor.prompt_editor import PromptEditor
from tasks.editor.workshop import Report, Workshop

TASKS = tuple(f"desk/lookup/{n}" for n in range(40))
CURE = "Every task ends with a call of `hand_in`."
BASE = "## Work\n\nWork on the task.\n"


class ScriptedReflection:
    """Adds the cure to whatever text it is shown; keeps the prompts."""

    def __init__(self, text=f"\n## End\n\n{CURE}", **counts):
        self.text, self.counts, self.prompts = text, counts, []

    async def reply(self, messages, tools):
        self.prompts.append(messages[0]["content"])
        shown = re.findall(r"```\n(.*?)\n?```", messages[0]["content"], re.DOTALL)[0]
        return ModelReply(text=f"```\n{shown}\n{self.text}\n```", **self.counts)


class ScriptedWorld:
    """Runs that succeed on half of the tasks, and on nine in ten once the cure is in the text."""

    def __init__(self, make_run):
        self.make_run, self.asked = make_run, []

    async def __call__(self, harness, task_ids):
        self.asked.extend(task_ids)
        found = []
        for name in task_ids:
            number = int(name.rsplit("/", 1)[1])
            is_cured = CURE in harness.files["contract.md"]
            found.append(self.make_run(number, number % 2 == 0 or (is_cured and number % 10 != 9)))
        return found


@pytest.fixture
def world(make_episode, said, turn):
    def make_run(number, won):
        turns = [turn("hand_in", {})] if won else [said("All done.")]
        return make_episode(number, turns, won=won, text="Find the price.")

    return ScriptedWorld(make_run)


@pytest.fixture
def brief(make_brief, make_episode, said, turn, empty_harness):
    episodes = [
        make_episode(n, [said("All done.")] if n % 2 else [turn("hand_in", {})], won=n % 2 == 0)
        for n in range(40)
    ]
    return make_brief(episodes, harness=empty_harness.put("contract", "Work", "Work on the task."))


def evolve(brief, world, client, try_out=None, **caps):
    workshop = Workshop(EditorSettings(**caps), train_tasks=TASKS, run=world, try_out=try_out)
    editor = PromptEditor("prompt:scripted", client, workshop)
    return editor, asyncio.run(editor.propose(brief))


def test_a_text_that_cures_becomes_one_contract_edit_with_its_evidence(brief, world, capsys):
    client = ScriptedReflection(prompt_tokens=100, completion_tokens=10, cost_usd=0.01)
    editor, found = evolve(brief, world, client, rollouts=120)
    best = found[0]
    assert (best.layer, best.kind) == ("contract", "prompt_contract")
    assert CURE in best.child.files["contract.md"]
    assert best.child.files["actions.py"] == brief.harness.files["actions.py"]
    assert set(best.manifest.predicted_fixes) == {t for t in TASKS[:24] if t[-1] in "1357"}
    failed = {one.trajectory_id for one in best.manifest.evidence}
    assert len(failed) == len(best.manifest.predicted_fixes)
    (session,) = editor.sessions
    assert session.turns == len(client.prompts)
    assert session.prompt_tokens == 100 * session.turns
    assert session.cost_usd == pytest.approx(0.01 * session.turns)
    assert "All done." in client.prompts[0] or "hand_in" in client.prompts[0]
    assert capsys.readouterr().out == ""


def test_rollouts_never_exceed_the_rounds_budget(brief, world):
    editor, _ = evolve(brief, world, ScriptedReflection(), rollouts=70)
    (session,) = editor.sessions
    assert session.rollouts == len(world.asked) <= 70
    assert session.stop == "rollouts"


def test_a_budget_too_small_to_begin_is_said(brief, world):
    editor, found = evolve(brief, world, ScriptedReflection(), rollouts=3)
    assert found == []
    assert world.asked == []
    assert editor.sessions[0].stop == "rollouts"
    assert "allowed" in editor.sessions[0].detail


def test_tokens_end_the_search(brief, world):
    editor, _ = evolve(brief, world, ScriptedReflection(), tokens=100)
    assert editor.sessions[0].stop == "tokens"
    assert editor.sessions[0].turns == 0


def test_a_candidate_that_static_checks_refuse_is_never_run(brief, world):
    async def refuse(trial, *, replay):
        return Report(("It names an address.",))

    editor, found = evolve(brief, world, ScriptedReflection(), refuse, rollouts=100, turns=4)
    assert found == []
    assert set(world.asked)
    refused = [one.refused for one in editor.sessions[0].entries if one.refused]
    assert refused
    assert set(refused) == {"It names an address."}


@pytest.mark.parametrize("text", ["---\nbroken: [", "\ud800", "x" * 200_000, ""])
def test_texts_that_make_no_harness_do_no_harm(brief, world, text):
    editor, found = evolve(brief, world, ScriptedReflection(text), rollouts=100, turns=3)
    assert found == []
    assert editor.sessions[0].stop in ("turns", "rollouts", "finished")


class Broken:
    """An endpoint that is down from a reply on."""

    def __init__(self, good=0):
        self.good, self.inner = good, ScriptedReflection()

    async def reply(self, messages, tools):
        if len(self.inner.prompts) >= self.good:
            what = "the endpoint is down"
            raise ModelFault(what)
        return await self.inner.reply(messages, tools)


def test_an_endpoint_that_never_answers_is_an_error(brief, world):
    with pytest.raises(ModelFault, match="down"):
        evolve(brief, world, Broken())


def test_an_endpoint_that_breaks_leaves_what_was_found(brief, world):
    editor, found = evolve(brief, world, Broken(good=3), rollouts=400)
    assert editor.sessions[0].stop == "fault"
    assert found


def test_skills_are_evolved_too_and_are_edits_of_their_own(brief, world):
    skill = "---\nname: prices\ndescription: Prices.\n---\n\nLook first.\n"
    harness = brief.harness.put("skills", "prices", skill)

    async def run(harness, task_ids):
        moved = harness.put("contract", "Skill", harness.files["skills/prices/SKILL.md"][:3000])
        return await world(moved if CURE in str(moved.files) else harness, task_ids)

    client = ScriptedReflection(f"\n{CURE}")
    _, found = evolve(replace(brief, harness=harness), run, client, rollouts=200)
    assert {one.layer for one in found} <= {"contract", "skills"}
    for one in found:
        changed = {p for p in one.child.files if one.child.files[p] != harness.files.get(p)}
        assert len({path.split("/")[0] for path in changed}) == 1


def test_without_a_live_world_it_says_so(brief):
    editor = PromptEditor("prompt:x", ScriptedReflection(), Workshop())
    with pytest.raises(ConfigError, match="live world"):
        asyncio.run(editor.propose(brief))
