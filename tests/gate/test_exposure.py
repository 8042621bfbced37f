"""Forks of train runs rank edits and refuse harm; they commit nothing and keep to their budget."""

from dataclasses import replace

import pytest

from schemas.trajectories import StepRow
from tasks.gate.candidate import History, Member
from tasks.gate.decide import decide_round
from tasks.gate.exposure import expose
from tasks.gate.touch import Replayer
from tasks.harness import Sandbox


@pytest.fixture
def stored(base, tasks, episode_of):
    """Stored train runs of the base: the first `passing` of them passed."""

    def make(count, passing, steps=3):
        runs = []
        for number, task in enumerate(tasks(count, "train")):
            run = episode_of(task, base, 0, number < passing, 100)
            rows = tuple(
                StepRow(trajectory_id=run.trajectory_id, step_index=i, role="assistant", text="x")
                for i in range(steps)
            )
            runs.append(replace(run, steps=rows))
        return runs

    return make


@pytest.fixture
def exposed(base, tasks, world_of, run, episode_of, has, synthetic):
    """Expose edits in a world where `passes(number, names)` says how a fork ends."""

    def go(edits, runs, passes, *, deterministic=True, whole_round=False, **settings):
        made = []

        async def fork(harness, moments, repeats):
            made.extend((harness.harness_id, m.source.trajectory_id, m.step_index) for m in moments)
            names = {artifact.name for artifact in harness.artifacts}
            return [
                episode_of(
                    tasks(99, "train")[number_of(m.source)],
                    harness,
                    repeat,
                    passes(number_of(m.source), names),
                    100,
                )
                for m in moments
                for repeat in repeats
            ]

        async def judge():
            async with Sandbox() as sandbox:
                world = replace(
                    world_of(
                        synthetic(lambda task, harness, repeat: "good" in names_of(harness)),
                        tasks(120),
                        deterministic=deterministic,
                        **settings,
                    ),
                    fork=fork,
                    history=History(tuple(runs), Replayer(sandbox)),
                )
                if whole_round:
                    from tasks.gate.findings import Checked

                    checked = [Checked(edit, "replay") for edit in edits]
                    return await decide_round(checked, base, world, slots=6)
                return await expose(world, edits)

        return run(judge()), made

    return go


def names_of(harness):
    return {artifact.name for artifact in harness.artifacts}


def number_of(run):
    return int(run.trajectory.task_id[-3:])


def members(runs, step=1):
    return tuple(Member(run.trajectory_id, step) for run in runs if run.is_failure)


def test_an_edit_that_loses_passing_forks_is_refused_and_says_by_how_much(
    exposed, stored, candidate
):
    bad = candidate("bad")
    result, _ = exposed([bad], stored(20, 10), lambda number, names: "bad" not in names)
    assert "at least" in result.refused[bad.edit_id]
    assert {row.result for row in result.rows} == {"loss"}


def test_one_lost_fork_refuses_nothing(exposed, stored, candidate):
    edit = candidate("x")
    result, _ = exposed([edit], stored(20, 10), lambda number, names: number != 0)
    assert result.refused == {}


def test_an_edit_that_wins_more_than_it_loses_is_not_refused(exposed, stored, candidate):
    runs = stored(40, 8)
    edit = candidate("x", members=members(runs))
    result, _ = exposed(
        [edit], runs, lambda number, names: number > 1 and ("x" in names or number < 8)
    )
    wins = sum(row.result == "win" for row in result.rows)
    assert wins > sum(row.result == "loss" for row in result.rows)
    assert result.refused == {}


def test_the_better_edit_comes_first(exposed, stored, candidate):
    runs = stored(30, 10)
    idle, good = candidate("idle", members=members(runs)), candidate("good", members=members(runs))
    result, _ = exposed([idle, good], runs, lambda number, names: number < 10 or "good" in names)
    assert result.order == (good.edit_id, idle.edit_id)


def test_failures_are_left_where_the_edit_is_needed_and_passing_runs_at_the_start(
    exposed, stored, candidate
):
    runs = stored(20, 10)
    edit = candidate("x", members=members(runs, step=2))
    result, _ = exposed([edit], runs, lambda number, names: number < 10)
    steps = {(number_of_row(row) < 10): row.step_index for row in result.rows}
    assert steps == {True: 0, False: 2}


def number_of_row(row):
    return int(row.task_id[-3:])


def test_forks_stay_within_the_budget_and_races_drop_the_worse_half(exposed, stored, candidate):
    runs = stored(80, 40)
    edits = [candidate(f"e{i}", members=members(runs)) for i in range(8)]
    result, _ = exposed(
        edits, runs, lambda number, names: number < 40 or "e5" in names, exposures=56
    )
    assert len(result.rows) <= 56
    last = max(row.rung for row in result.rows)
    assert last > 1
    raced = {row.edit_id for row in result.rows if row.rung == last}
    assert edits[5].edit_id in raced
    assert len(raced) <= 4


def test_without_a_budget_or_forks_nothing_is_run(exposed, stored, candidate):
    result, made = exposed([candidate("x")], stored(9, 4), lambda *_: True, exposures=0)
    assert (result.rows, made) == ((), [])


def test_where_replies_are_alike_the_stored_run_stands_for_the_old_arm(
    exposed, stored, candidate, base
):
    _, made = exposed([candidate("x")], stored(9, 9), lambda *_: True)
    assert base.harness_id not in {harness for harness, _, _ in made}
    _, made = exposed([candidate("x")], stored(9, 9), lambda *_: True, deterministic=False)
    assert base.harness_id in {harness for harness, _, _ in made}


def test_where_replies_vary_a_few_losses_are_chance(exposed, stored, candidate):
    edit, lost = candidate("x"), {0, 1}
    result, _ = exposed(
        [edit],
        stored(12, 12),
        lambda number, names: number not in lost or "x" not in names,
        deterministic=False,
    )
    assert result.refused == {}


def test_a_refused_edit_spends_no_slot_and_its_stage_is_named(exposed, stored, candidate):
    bad, good = candidate("bad"), candidate("good")
    result, _ = exposed(
        [bad, good],
        stored(20, 10),
        lambda number, names: "bad" not in names,
        whole_round=True,
    )
    rows = {row.edit_id: row for row in result.decisions}
    assert (rows[bad.edit_id].stage, rows[bad.edit_id].reason) == ("exposure", "regression")
    assert rows[bad.edit_id].slot is None
    assert result.accepted == (good.edit_id,)
    assert result.exposures


def test_winning_all_forks_commits_nothing(exposed, stored, candidate):
    runs = stored(20, 0)
    edit = candidate("train only", members=members(runs))
    result, _ = exposed([edit], runs, lambda number, names: bool(names), whole_round=True)
    assert any(row.result == "win" for row in result.exposures)
    assert result.accepted == ()


def test_clear_losses_foretell_regressions_on_all_runs_the_edit_touches(exposed, stored, candidate):
    result, _ = exposed(
        [candidate("bad")], stored(20, 10), lambda number, names: "bad" not in names
    )
    risks = {row.task_id for row in result.predictions if row.prediction == "risk"}
    assert len(risks) > sum(row.result == "loss" for row in result.rows if row.rung == 1) - 1
    assert {row.forecaster for row in result.predictions} == {"exposure"}
