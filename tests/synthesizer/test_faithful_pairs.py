"""Faithful pairs: one prefix, one side that obeys and succeeds, one that leaves and fails."""

import json

import pytest

from tasks.synthesizer.examples import synthesize
from tasks.synthesizer.guards import closed_texts
from tasks.synthesizer.lengths import equalised


@pytest.fixture
def bad(episode):
    return episode("load_skill", "write", "hand_in")


@pytest.fixture
def good(episode):
    return episode("load_skill", "look", "write", "hand_in", outcome="success")


@pytest.fixture
def drift(point, bad):
    return point(bad, 1, called=True, followed=False)


def names(text):
    return [
        call["function"]["name"]
        for message in json.loads(text or "[]")
        for call in message.get("tool_calls", [])
    ]


def test_both_sides_share_the_prefix_up_to_the_step_that_left_the_skill(
    bad, good, drift, fork, evidence
):
    forks = [fork(drift, "repaired", good, invoked=True)]
    rows = synthesize(evidence(bad, good, points=[drift], forks=forks))
    row = rows[0]
    assert (row.kind, row.path, row.step_index) == ("faithful_pair", "following", 1)
    assert names(row.messages) == ["load_skill"]
    assert names(row.chosen)[0] == "look"
    assert names(row.rejected)[0] == "write"
    assert (row.trajectory_id, row.rejected_trajectory_id) == (
        good.trajectory_id,
        bad.trajectory_id,
    )


def test_both_sides_end_with_the_assistant(bad, good, drift, fork, evidence):
    forks = [fork(drift, "repaired", good, invoked=True)]
    row = synthesize(evidence(bad, good, points=[drift], forks=forks))[0]
    assert json.loads(row.chosen)[-1]["role"] == "assistant"
    assert json.loads(row.rejected or "[]")[-1]["role"] == "assistant"


def test_the_models_own_success_is_chosen_before_a_repair(
    episode, bad, good, drift, fork, evidence
):
    own = episode("load_skill", "look", "look", "write", "hand_in", outcome="success")
    forks = [
        fork(drift, "repaired", good, invoked=True),
        fork(drift, "none", own, invoked=True),
    ]
    row = synthesize(evidence(bad, good, own, points=[drift], forks=forks))[0]
    assert row.trajectory_id == own.trajectory_id


def test_neither_a_failed_repair_nor_one_that_did_not_obey_is_chosen(
    episode, bad, good, drift, fork, evidence
):
    lost = episode("load_skill", "look", "hand_in")
    for forks in (
        [fork(drift, "repaired", lost, invoked=True)],
        [fork(drift, "repaired", good, invoked=False)],
        [],
    ):
        assert synthesize(evidence(bad, good, lost, points=[drift], forks=forks)) == []


def test_a_run_that_left_its_skill_and_still_succeeded_is_not_rejected(
    episode, point, good, fork, evidence
):
    lucky = episode("load_skill", "write", "hand_in", outcome="success")
    drift = point(lucky, 1, called=True, followed=False)
    forks = [fork(drift, "repaired", good, invoked=True)]
    assert synthesize(evidence(lucky, good, points=[drift], forks=forks)) == []


def test_a_natural_fork_that_failed_stands_in_for_a_lucky_run(
    episode, point, good, bad, fork, evidence
):
    lucky = episode("load_skill", "write", "write", "hand_in", outcome="success")
    drift = point(lucky, 1, called=True, followed=False)
    forks = [
        fork(drift, "repaired", good, invoked=True),
        fork(drift, "none", bad, invoked=False),
    ]
    row = synthesize(evidence(lucky, good, bad, points=[drift], forks=forks))[0]
    assert row.rejected_trajectory_id == bad.trajectory_id


def test_sides_with_another_history_make_no_pair(episode, bad, drift, fork, evidence):
    elsewhere = episode("look", "look", "write", "hand_in", outcome="success")
    forks = [fork(drift, "repaired", elsewhere, invoked=True)]
    assert synthesize(evidence(bad, elsewhere, points=[drift], forks=forks)) == []


def test_the_chosen_side_keeps_all_it_took_to_make_up_for_the_omission(
    episode, bad, drift, fork, check, evidence
):
    slow = episode("load_skill", "write", "write", "look", "hand_in", outcome="success")
    forks = [fork(drift, "repaired", slow, invoked=True)]
    checks = [check(bad, 0, "omitted"), check(slow, 0, "followed", 3)]
    row = synthesize(evidence(bad, slow, points=[drift], forks=forks, checks=checks))[0]
    assert "look" in names(row.chosen)


def turn(size):
    return [{"role": "assistant", "content": "x" * size}, {"role": "user", "content": "y" * 900}]


def test_sides_are_cut_to_like_lengths_and_results_do_not_count():
    long, short = [*turn(100), *turn(100), *turn(100)], turn(200)
    chosen, rejected = equalised(long, short, 1)
    assert [len(message["content"]) for message in chosen if message["role"] == "assistant"] == [
        100,
        100,
    ]
    assert len(rejected) == 1


def test_the_longest_like_cut_is_taken():
    chosen, rejected = equalised([*turn(100), *turn(100)], [*turn(100), *turn(100)], 1)
    assert len(chosen) == len(rejected) == 3


def test_what_must_stay_stays_however_long_it_is():
    chosen, rejected = equalised([*turn(100), *turn(400)], turn(100), 2)
    assert len(chosen) == 3
    assert len(rejected) == 1


def test_a_held_out_text_that_train_holds_too_gives_nothing_away():
    closed = closed_texts(["Walk.", "Make entry 7."], ["Walk.", "Make entry 1."])
    assert closed == ("make entry 7.",)
