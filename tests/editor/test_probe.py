"""The editor's look at stored runs and the gate's replay come to the same."""

import asyncio
import random
from dataclasses import replace

import pytest

from schemas.episode import Episode
from schemas.ids import canonical_json, make_id
from schemas.trajectories import InterventionRow, PromptRow
from tasks.editor.facts import mine
from tasks.editor.rule_text import render_rule
from tasks.editor.ruleset import block, hint, rescue, rewrite
from tasks.gate.candidate import Candidate, Member
from tasks.gate.replay import replay_candidate
from tasks.gate.touch import Replayer
from tasks.harness import Sandbox

RULES = [
    (block.rule_block_known_failure, {"non_progress": ()}, "call"),
    (block.rule_block_before_required, {"tool": "hand_in", "required": ("run_query",)}, "call"),
    (rewrite.rule_match_schema, {}, "call"),
    (rescue.rule_rescue_invocation, {}, "text"),
    (hint.rule_hint_repeat, {"times": 2}, "result"),
    (hint.rule_hint_stall, {"window": 3, "most": 2, "non_progress": ()}, "result"),
    (
        hint.rule_force_next_tool,
        {
            "after": ("SELECT",),
            "tool": "run_query",
            "argument": "statement",
            "next_tool": "hand_in",
            "arguments": {"values": ["1"]},
        },
        "result",
    ),
]


@pytest.fixture
def stored(empty_harness, tools):
    """Make an episode look as the rollout stores it: under the harness, with its tools."""

    def store(episode: Episode) -> Episode:
        text = canonical_json(list(tools))
        prompt_id = make_id("prm", ["tools", text])
        prompt = PromptRow(prompt_id=prompt_id, kind="tools", text=text)
        row = episode.trajectory.model_copy(
            update={"harness_id": empty_harness.harness_id, "tools_prompt_id": prompt_id}
        )
        calls = tuple(
            call.model_copy(
                update={"executed_tool": call.tool, "executed_arguments": call.arguments}
            )
            for call in episode.calls
        )
        prompts = dict(episode.prompts) | {prompt_id: prompt}
        return replace(episode, trajectory=row, calls=calls, prompts=prompts)

    return store


@pytest.fixture
def judged(empty_harness, tools):
    """What the gate says of a rule: whether it is a false fire, and the failures it acts in."""

    async def ask(rule, parameters, stage, episodes):
        layer = "regulation" if stage == "result" else "actions"
        child = empty_harness.put(layer, rule.__name__, render_rule(rule, "r", parameters))
        members = tuple(Member(one.trajectory_id) for one in episodes if one.is_failure)
        name = rule.__name__
        candidate = Candidate("edit_" + "0" * 16, empty_harness, child, layer, name, members)
        async with Sandbox(workers=1) as sandbox:
            result = await replay_candidate(candidate, episodes, Replayer(sandbox, tools))
        return "false_fire" in {one.reason for one in result.findings}, result.acted

    return lambda *args: asyncio.run(ask(*args))


def turns_of(draw, turn, said):
    choices = [
        turn("run_query", {"statement": f"SELECT {draw.randint(1, 2)}"}, "[(1,)]"),
        turn("run_query", {"statement": "SELECT x"}, "no such column", error=True),
        turn("hand_in", {"values": "1"}, "not an array", error=True),
        turn("hand_in", {"values": ["1"]}),
        said('run_query(statement="SELECT 1")'),
        said("Let me think about it."),
    ]
    return [draw.choice(choices) for _ in range(draw.randint(2, 7))]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("rule", "parameters", "stage"), RULES)
def test_editor_and_gate_judge_a_rule_alike(
    rule, parameters, stage, seed, make_episode, make_brief, turn, said, stored, judged
):
    draw = random.Random(seed)
    episodes = [
        stored(make_episode(n, turns_of(draw, turn, said), won=n % 2 == 0)) for n in range(12)
    ]
    probe = mine(make_brief(episodes)).probe(rule, parameters, stage)
    assert (probe.is_false_fire, set(probe.acts)) == judged(rule, parameters, stage, episodes)


def rate(make_episode, make_brief, turn, hinted, passed):
    """Whether a hint on so many of so many successes is a false fire."""
    same = turn("run_query", {"statement": "SELECT 1"}, "[(1,)]")
    other = turn("run_query", {"statement": "SELECT 2"}, "[(2,)]")
    end = turn("hand_in", {"values": ["1"]})
    runs = [[same, same, end] if n < hinted else [same, other, end] for n in range(passed)]
    episodes = [make_episode(n, one, won=True) for n, one in enumerate(runs)]
    facts = mine(make_brief(episodes))
    return facts.probe(hint.rule_hint_repeat, {"times": 2}, "result").is_false_fire


def test_a_hint_may_reach_five_in_a_hundred_successes(make_episode, make_brief, turn):
    assert not rate(make_episode, make_brief, turn, 1, 20)
    assert rate(make_episode, make_brief, turn, 2, 20)


def test_a_call_put_into_a_success_must_be_the_one_the_agent_meant(
    make_episode, make_brief, turn, said
):
    text = said('run_query(statement="SELECT 1")')
    meant = [text, turn("run_query", {"statement": "SELECT 1"}), turn("hand_in", {"values": []})]
    other = [text, turn("hand_in", {"values": ["1"]})]
    for turns, is_false in ((meant, False), (other, True)):
        facts = mine(make_brief([make_episode(n, turns, won=True) for n in range(3)]))
        probe = facts.probe(rescue.rule_rescue_invocation, {}, "text")
        assert len(probe.passed_runs) == 3
        assert probe.is_false_fire is is_false


def test_what_a_rule_in_force_does_already_is_not_done_again(make_episode, make_brief, turn):
    same = turn("run_query", {"statement": "SELECT 1"}, "[(1,)]")
    plain = make_episode(1, [same, same, same], won=False)
    done = InterventionRow(
        trajectory_id=plain.trajectory_id,
        step_index=1,
        ordinal=0,
        layer="regulation",
        artifact_id="art_" + "0" * 16,
        artifact="rule_other",
        kind="hint",
        after="Go on.",
    )
    hinted = replace(plain, interventions=(done,))
    asked = [
        mine(make_brief([one])).probe(hint.rule_hint_repeat, {"times": 2}, "result").acts
        for one in (plain, hinted)
    ]
    assert asked == [{plain.trajectory_id: 1}, {}]


def test_a_rule_that_stumbles_is_silent(make_episode, make_brief, turn):
    def rule_stumble(action, context):
        return {"kind": "block"} if action["tool"] == "hand_in" else action["nothing"]

    turns = [turn("run_query", {"statement": "SELECT 1"}), turn("hand_in", {"values": []})]
    facts = mine(make_brief([make_episode(1, turns, won=False)]))
    assert facts.probe(rule_stumble, {}, "call").failures == ()
