"""A whole diagnosis of agents whose habits are known."""

import asyncio

import pytest

from tasks.benefit.diagnose import diagnose
from tasks.benefit.profile import Subject, benefit_gaps
from tasks.benefit.rows import diagnosis_rows

SUBJECT = Subject("cyc_0123456789abcdef", "habits", "ledger")


def diagnosed(world, base, final):
    found = asyncio.run(diagnose(world, base, final))
    rows = benefit_gaps(SUBJECT, found.uses, found.effects)
    return found, {row.gap_type: row for row in rows}


@pytest.fixture
def diagnosis(base_harness, skilled):
    return lambda world: diagnosed(world, base_harness, skilled)


def test_severity_of_an_activation_gap_is_what_the_habits_make_of_it(world_of, habits, diagnosis):
    model = habits(calls=0.4, heeds=1.0, follows=0.9, alone=0.3)
    _, gaps = diagnosis(world_of(model, tasks=200, points=100, train_tasks=200))
    gap = gaps["activation"]
    assert gap.reach == 1.0
    assert gap.prevalence == pytest.approx(0.6, abs=0.1)
    assert gap.effect == pytest.approx(0.6, abs=0.12)
    assert gap.severity == pytest.approx(0.6 * 0.6, abs=0.08)
    assert gap.verdict == "cures"


def test_severity_of_a_following_gap_is_what_the_habits_make_of_it(world_of, habits, diagnosis):
    model = habits(calls=0.9, follows=0.4, alone=0.4)
    _, gaps = diagnosis(world_of(model, tasks=200, points=100, train_tasks=200))
    gap = gaps["following"]
    assert gap.prevalence == pytest.approx(0.9 * 0.6, abs=0.1)
    assert gap.effect == pytest.approx(1.0)
    assert gap.severity == pytest.approx(0.54, abs=0.1)
    assert gaps["activation"].severity == pytest.approx(0.0, abs=0.01)


def test_a_skill_that_changes_nothing_has_no_severity(world_of, habits, diagnosis):
    model = habits(heeds=1.0, follows=0.5, alone=0.5)
    _, gaps = diagnosis(world_of(model, tasks=60, points=30))
    assert gaps["activation"].severity == 0.0
    assert gaps["activation"].verdict == "called_in_vain"


def test_both_arms_of_a_fork_share_their_luck(world_of, habits, diagnosis):
    model = habits(heeds=0.0, follows=0.5, alone=0.5, is_deterministic=False)
    found, gaps = diagnosis(world_of(model, tasks=20, rerolls=3))
    trial = next(trial for trial in found.trials if trial.gap == "activation")
    won = {
        arm: {fork.job.key: fork.use.episode.is_success for fork in trial.forks if fork.arm == arm}
        for arm in ("none", "reference")
    }
    assert won["none"] == won["reference"]
    assert {key[1] for key in won["none"]} == {0, 1, 2}
    assert gaps["activation"].effect == 0.0


def test_at_most_eight_points_of_a_gap_are_forked(world_of, habits, diagnosis):
    found, _ = diagnosis(world_of(habits(heeds=0.5, calls=0.3), tasks=60))
    assert [len(trial.points) for trial in found.trials] == [8, 8]


def test_failed_runs_of_the_family_are_split_by_what_went_wrong(world_of, habits, diagnosis):
    model = habits(calls=0.5, follows=0.5, alone=0.0)
    found, gaps = diagnosis(world_of(model, tasks=80, train_tasks=80))
    failed = sum(
        use.episode.is_failure for use in found.uses if use.episode.trajectory.family == "books"
    )
    split = [gaps["activation"].failed_runs, gaps["following"].failed_runs]
    assert all(split)
    assert sum(split) + gaps["activation"].unexplained_runs == failed
    assert gaps["activation"].unexplained_runs == 0


def test_a_harness_without_skills_has_a_rate_and_no_points(world_of, habits, base_harness):
    changed = base_harness.put("contract", "Order", "Look before you write.")
    world = world_of(habits(alone=0.5))
    found = asyncio.run(diagnose(world, base_harness, changed))
    assert found.rate.status == "both_zero"
    assert (found.uses, found.trials) == ([], [])
    assert set(world.run.purposes) == {"benefit:rate"}


def test_a_harness_that_did_not_change_is_not_run_for_the_rate(world_of, habits, skilled):
    world = world_of(habits(calls=1.0, follows=1.0))
    found = asyncio.run(diagnose(world, skilled, skilled))
    assert found.rate.status == "both_zero"
    assert "benefit:rate" not in world.run.purposes
    assert found.uses


def test_without_a_reference_there_is_no_repair_and_no_ratio(world_of, habits, diagnosis):
    found, gaps = diagnosis(world_of(habits(calls=1.0), reference=None))
    assert found.rate.status == "no_pairs"
    assert gaps["following"].verdict == "unmeasured"
    assert gaps["following"].severity == 0.0


def test_every_fork_row_has_its_point_and_every_point_is_told_once(
    world_of, habits, base_harness, skilled
):
    world = world_of(habits(calls=0.5, heeds=1.0, follows=0.5), tasks=40)
    found = asyncio.run(diagnose(world, base_harness, skilled))
    rows = diagnosis_rows(SUBJECT, "expert", base_harness.harness_id, skilled.harness_id, found)
    tables: dict[str, list] = {}
    for row in rows:
        tables.setdefault(type(row).__name__, []).append(row)
    points = [row.decision_point_id for row in tables["DecisionPointRow"]]
    forked = {row.decision_point_id for row in tables["DecisionPointRow"] if row.forked}
    assert len(points) == len(set(points))
    assert {row.decision_point_id for row in tables["CounterfactualRow"]} == forked
    assert {row.arm for row in tables["CounterfactualRow"]} == {"none", "reference", "repaired"}
    keys = [(row.trajectory_id, row.checkpoint) for row in tables["FollowingCheckRow"]]
    assert len(keys) == len(set(keys))
    assert len(tables["BenefitRateRow"]) == 1


def test_a_diagnosis_is_the_same_twice(world_of, habits, base_harness, skilled):
    def rows():
        world = world_of(habits(calls=0.5, heeds=1.0, follows=0.5), tasks=30)
        found = asyncio.run(diagnose(world, base_harness, skilled))
        return diagnosis_rows(SUBJECT, "expert", "harn_" + "0" * 16, "harn_" + "1" * 16, found)

    assert rows() == rows()
