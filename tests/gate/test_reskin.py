"""Won tasks under other names: a gain that hangs on names is a leak, an honest one is not."""

from dataclasses import replace

import pytest

from tasks.gate.decide import decide_round


def number_of(task):
    return int(task.task_id[-3:])


@pytest.fixture
def judged(base, tasks, world_of, run, clean, synthetic):
    """Judge edits where `solves(task, names)` says whether a task, renamed or not, is solved."""

    def go(edits, solves, *, count=240, can_rename=True, **settings):
        world = synthetic(
            lambda task, harness, repeat: solves(task, {item.name for item in harness.artifacts})
        )
        gate = world_of(world, tasks(count), **settings)
        if can_rename:
            gate = replace(gate, reskin=lambda task, seed: replace(task, text="other", skin=seed))
        result = run(decide_round(clean(*edits), base, gate, slots=6))
        return result, {row.edit_id: row for row in result.decisions}, world

    return go


def test_an_edit_that_only_knows_the_original_names_is_a_leak(judged, candidate):
    edit = candidate("names")
    result, rows, _ = judged([edit], lambda task, names: "names" in names and not task.skin)
    row = rows[edit.edit_id]
    assert (row.verdict, row.reason, row.stage) == ("rejected", "leak", "reskin")
    assert (row.reskin_gain, result.accepted) == (0.0, ())


def test_an_edit_that_solves_renamed_tasks_is_accepted_and_its_gain_recorded(judged, candidate):
    edit = candidate("good")
    result, rows, _ = judged([edit], lambda task, names: "good" in names)
    assert result.accepted == (edit.edit_id,)
    assert (rows[edit.edit_id].reskin_gain, rows[edit.edit_id].reskin_pairs) == (1.0, 12)
    renamed = [row for row in result.trials if row.purpose == "reskin"]
    assert len(renamed) == 12


def test_half_of_the_gain_is_enough_and_less_is_not(judged, candidate):
    edit = candidate("x")

    def keeps(share):
        def solves(task, names):
            if task.skin and number_of(task) % 4 >= 4 * share:
                return False
            return "x" in names

        return judged([edit], solves, count=120, reskins=100, block=120)

    assert keeps(0.75)[0].accepted
    assert keeps(0.25)[1][edit.edit_id].reason == "leak"


def test_tasks_that_the_old_harness_solves_under_other_names_say_nothing(judged, candidate):
    edit = candidate("x")
    result, rows, _ = judged([edit], lambda task, names: "x" in names or bool(task.skin))
    assert result.accepted == (edit.edit_id,)
    assert rows[edit.edit_id].reskin_gain is None
    assert "not checked" in rows[edit.edit_id].findings


def test_a_world_that_cannot_rename_says_not_checked(judged, candidate):
    edit = candidate("x")
    _, rows, _ = judged([edit], lambda task, names: "x" in names, can_rename=False)
    assert "not checked" in rows[edit.edit_id].findings
    assert rows[edit.edit_id].verdict == "accepted"


def test_the_edit_of_a_bundle_that_knows_names_is_found_and_the_others_are_kept(judged, candidate):
    good, leaky = candidate("good"), candidate("leaky")

    def solves(task, names):
        if number_of(task) % 3 == 0:
            return "leaky" in names and not task.skin
        return "good" in names and number_of(task) % 3 == 1

    result, rows, _ = judged([good, leaky], solves)
    assert result.accepted == (good.edit_id,)
    assert (rows[leaky.edit_id].verdict, rows[leaky.edit_id].reason) == ("rejected", "leak")
    assert rows[good.edit_id].verdict == "accepted"
    judging = {row.ordinal for row in result.trials if row.trial_id == rows[good.edit_id].trial_id}
    chosen = {row.ordinal for row in result.trials if row.trial_id == rows[leaky.edit_id].trial_id}
    assert not judging & chosen


def test_only_won_pairs_are_tried_and_no_more_than_the_cap(judged, candidate):
    edit = candidate("x")
    result, _, _ = judged(
        [edit], lambda task, names: "x" in names and number_of(task) % 2 == 0, reskins=5
    )
    assert len([row for row in result.trials if row.purpose == "reskin"]) == 5


def test_tasks_without_other_names_are_not_tried(
    base, tasks, world_of, run, clean, synthetic, candidate
):
    edit = candidate("x")
    world = world_of(synthetic(lambda task, harness, repeat: bool(harness.artifacts)), tasks(60))
    gate = replace(world, reskin=lambda task, seed: task)
    result = run(decide_round(clean(edit), base, gate, slots=1))
    assert "not checked" in result.decisions[0].findings
    assert not [row for row in result.trials if row.purpose == "reskin"]
