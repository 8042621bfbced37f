"""Anchored calls: where a skill was due, the bare call of it is what is learned."""

import json

from tasks.synthesizer.examples import synthesize


def test_the_prefix_ends_at_the_point_and_the_target_is_the_bare_call(
    episode, point, evidence, gap
):
    run = episode("write", "hand_in")
    rows = synthesize(evidence(run, points=[point(run)], gaps=[gap(0.3)]))
    row = rows[0]
    assert [message["role"] for message in json.loads(row.messages)] == ["system", "user"]
    target = json.loads(row.chosen)
    assert len(target) == 1
    assert target[0]["tool_calls"][0]["function"] == {
        "name": "load_skill",
        "arguments": '{"name":"look-first"}',
    }
    assert (row.kind, row.path, row.rejected) == ("anchored_call", "activation", None)
    assert (row.trajectory_id, row.step_index) == (run.trajectory_id, 0)
    assert row.simulated


def test_a_later_point_keeps_the_turns_before_it(episode, point, evidence, gap):
    run = episode("write", "hand_in")
    rows = synthesize(evidence(run, points=[point(run, 1)], gaps=[gap(0.3)]))
    roles = [message["role"] for message in json.loads(rows[0].messages)]
    assert roles == ["system", "user", "assistant", "tool"]


def test_a_point_where_the_skill_was_called_teaches_no_call(episode, point, evidence, gap):
    run = episode("load_skill", "hand_in")
    called = point(run, called=True, forked=False)
    assert synthesize(evidence(run, points=[called], gaps=[gap(0.3)])) == []


def test_a_skill_that_does_no_good_is_not_taught(episode, point, evidence, gap):
    run = episode("write", "hand_in")
    vain, harmful = gap(0.0, verdict="called_in_vain"), gap(-0.2, verdict="undecided")
    for gaps in ([vain], [harmful], [], [gap(0.5, "following")]):
        assert synthesize(evidence(run, points=[point(run)], gaps=gaps)) == []


def test_where_forks_could_not_tell_the_place_in_the_harness_does(episode, point, evidence, gap):
    run = episode("write", "hand_in")
    for verdict, effect in (("unmeasured", None), ("not_called", 0.0), ("undecided", 0.0)):
        gaps = [gap(effect, verdict=verdict)]
        assert len(synthesize(evidence(run, points=[point(run)], gaps=gaps))) == 1


def test_a_fork_that_called_it_here_and_succeeded_is_proof_enough(
    episode, point, fork, evidence, gap
):
    run = episode("write", "hand_in")
    won = episode("load_skill", "look", "write", "hand_in", outcome="success")
    here = point(run)
    gaps = [gap(0.0, verdict="called_in_vain")]
    forks = [fork(here, "reference", won, invoked=True)]
    assert len(synthesize(evidence(run, points=[here], forks=forks, gaps=gaps))) == 1
    forks = [fork(here, "reference", won, invoked=False)]
    assert synthesize(evidence(run, points=[here], forks=forks, gaps=gaps)) == []


def test_equal_examples_are_told_once(episode, point, evidence, gap):
    one, other = episode("write"), episode("hand_in")
    rows = synthesize(evidence(one, other, points=[point(one), point(other)], gaps=[gap(0.3)]))
    assert len(rows) == 1


def test_nothing_of_held_out_tasks_becomes_an_example(episode, point, evidence, gap):
    sealed = episode("write", split="sealed")
    assert synthesize(evidence(sealed, points=[point(sealed)], gaps=[gap(0.3)])) == []
    quoted = episode("write", text="As in: count the  Red boxes of Hall 9.")
    closed = ("count the red boxes of hall 9.",)
    assert (
        synthesize(evidence(quoted, points=[point(quoted)], gaps=[gap(0.3)], closed_texts=closed))
        == []
    )


def test_an_example_with_a_secret_is_left_out(episode, point, evidence, gap):
    run = episode("write", text="Use the key sk-abcdef0123456789abcdef0123.")
    assert synthesize(evidence(run, points=[point(run)], gaps=[gap(0.3)])) == []


def test_an_episode_that_may_not_be_used_gives_no_example(episode, point, evidence, gap):
    run = episode("write")
    assert synthesize(evidence(points=[point(run)], gaps=[gap(0.3)])) == []
