"""Forks: same world, same conversation, another future."""

import pytest

from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.conversation import messages_before
from tasks.agent.episode_spec import EpisodeSpec, fork_spec
from tasks.agent.fork import turn_history
from tasks.agent.protocols import Call, ModelReply, RawCall

SCRIPT = [
    "prose",
    ModelReply(
        text="both", calls=(RawCall("add", '{"n":1}'), RawCall("add", "{")), prompt_tokens=9
    ),
    Call("nothing", {}),
    Call("add", {"n": 5}),
    Call("hand_in", {}),
]
COUNT_TURNS = '''def rule_turns(history, context):
    """Say how many turns there were."""
    said = [entry["observation"] for entry in history]
    return {"kind": "hint", "message": str(len(history)) + " of " + str(context["step"])
            + repr([line[-12:] for line in said])}
'''


@pytest.fixture
def source(bench, harness_of):
    bench.harness = harness_of(regulation=COUNT_TURNS)
    return bench.one(ScriptedModel(SCRIPT))


def forked(bench, source, step, script, **options):
    model = ScriptedModel(script)
    spec = fork_spec(source, bench.task, step, "arm", **options)
    return bench.one(model, spec), model


def test_a_fork_goes_on_from_the_state_of_its_source(bench, source):
    episode, _ = forked(bench, source, 2, [Call("add", {"n": 2}), Call("hand_in", {})])
    assert source.trajectory.outcome == "failure"
    assert episode.trajectory.outcome == "success"
    assert episode.steps[1].state_hash_after == source.steps[1].state_hash_after


def test_a_fork_is_sent_the_conversation_of_its_source(bench, source):
    for step in range(len(SCRIPT)):
        _, model = forked(bench, source, step, [Call("hand_in", {})])
        assert model.requests[0] == messages_before(source, step)


def test_a_fork_that_says_the_same_becomes_the_same_episode(bench, source):
    for step in range(1, len(SCRIPT)):
        episode, _ = forked(bench, source, step, SCRIPT[step:])
        assert episode.trajectory.transcript_sha256 == source.trajectory.transcript_sha256
        assert [row.after for row in episode.interventions] == [
            row.after for row in source.interventions
        ]
        assert [row.observation for row in episode.calls] == [
            row.observation for row in source.calls
        ]


def test_the_rules_of_a_fork_see_the_history_of_its_source(source):
    entries = [
        entry
        for step in source.steps
        for entry in turn_history(source, step, source.calls_at(step.step_index))
    ]
    assert len(entries) == 6
    assert all("Hint" not in entry.observation for entry in entries)
    assert [entry.is_new_turn for entry in entries] == [True, True, False, True, True, True]
    assert entries[2].action.parse_error


@pytest.mark.parametrize("step", [0, 1, 2, 3])
def test_extra_text_is_put_before_the_model_at_the_fork_point(bench, source, step):
    episode, model = forked(bench, source, step, [Call("hand_in", {})], extra_text="Remember this.")
    assert model.requests[0][-1]["content"].endswith("\n\nRemember this.")
    assert model.requests[0][:-1] == messages_before(source, step)[:-1]
    assert messages_before(episode, step) == model.requests[0]


def test_a_fork_has_rows_of_its_own(bench, source):
    episode, _ = forked(bench, source, 2, [Call("hand_in", {})], repeat=3)
    row = episode.trajectory
    assert row.arm == f"fork:{source.trajectory_id}:2:arm"
    assert row.repeat == 3
    assert row.trajectory_id != source.trajectory_id
    assert {item.trajectory_id for item in (*episode.steps, *episode.calls)} == {row.trajectory_id}
    assert not {c.tool_call_id for c in episode.calls} & {c.tool_call_id for c in source.calls}
    assert row.steps == 3


def test_tokens_of_the_prefix_stay_with_the_source(bench, source):
    episode, _ = forked(bench, source, 3, [Call("hand_in", {})])
    assert source.trajectory.prompt_tokens == 9
    assert episode.trajectory.prompt_tokens is None
    assert episode.steps[1].prompt_tokens is None


def test_a_fork_of_a_fork_works_as_well(bench, source):
    first, _ = forked(bench, source, 2, [Call("add", {"n": 1}), Call("add", {"n": 1})])
    second, model = forked(bench, first, 3, [Call("add", {"n": 1}), Call("hand_in", {})])
    assert model.requests[0] == messages_before(first, 3)
    assert second.trajectory.outcome == "success"


def test_a_world_in_another_state_makes_a_fault(bench, source):
    other = bench.environment.tasks("train")[2]
    episode = bench.one(ScriptedModel([]), fork_spec(source, other, 2, "arm"))
    assert episode.trajectory.fault == "environment"


def test_a_world_that_does_not_restore_cannot_be_forked(bench, source):
    bench.environment.is_forkable = False
    episode, _ = forked(bench, source, 2, [])
    assert episode.trajectory.fault == "environment"
    assert "bit-exactly" in (episode.trajectory.termination_raw or "")


def test_a_step_behind_the_end_of_the_source_cannot_be_forked(bench, source):
    episode, _ = forked(bench, source, 6, [])
    assert episode.trajectory.fault == "environment"


def test_a_call_that_a_rule_forced_at_the_fork_point_is_forced_again(bench, harness_of):
    bench.harness = harness_of(
        regulation='def rule_end(history, context):\n    """End."""\n'
        '    return {"kind": "force", "tool": "hand_in", "arguments": {}}\n'
    )
    source = bench.one(ScriptedModel([Call("add", {"n": 3})]), EpisodeSpec(bench.task, 7))
    episode, model = forked(bench, source, 1, [])
    assert model.requests == []
    assert episode.steps[1].forced
    assert episode.trajectory.outcome == "success"
