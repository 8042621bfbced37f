import random

import pytest

from tasks.gate.arms import Arms
from tasks.gate.budget import LossLedger
from tasks.gate.paired import run_trial
from tasks.gate.pairs import order_tasks
from tasks.gate.power import power, resolvable_gain
from tasks.statistics.evidence import wins_needed

TABLE = [
    (0.25, 0.05, 70, 20, 0.78),
    (0.25, 0.05, 110, 20, 0.94),
    (0.25, 0.05, 70, 120, 0.52),
    (0.25, 0.05, 110, 120, 0.80),
    (0.12, 0.02, 60, 20, 0.30),
    (0.12, 0.02, 60, 120, 0.07),
    (0.05, 0.0, 60, 20, 0.03),
    (0.05, 0.0, 60, 120, 0.0005),
    (0.25, 0.0, 60, 20, 0.996),
    (0.25, 0.0, 60, 120, 0.96),
]


@pytest.mark.parametrize(("wins", "losses", "pairs", "threshold", "expected"), TABLE)
def test_the_power_of_the_e_process_is_that_of_the_design(wins, losses, pairs, threshold, expected):
    assert power(pairs, wins, losses, threshold) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("pairs", [20, 50, 100])
def test_a_useless_candidate_is_accepted_in_under_two_percent(pairs):
    assert power(pairs, 0.1, 0.1, 20) <= 0.018


def test_the_resolvable_gain_shrinks_with_pairs_and_may_not_exist():
    small, large = resolvable_gain(60, 20), resolvable_gain(240, 20)
    assert small is not None
    assert large is not None
    assert large < small
    assert power(240, large, 0, 20) == pytest.approx(0.8, abs=0.01)
    assert resolvable_gain(wins_needed(0, 20) - 1, 20) is None


def trials(base, edit, world_of, tasks, synthetic, run, *, rates, count, runs, slots=1, share=0.02):
    """Accepted share of trials whose pairs are drawn anew each time."""
    win, loss = rates
    accepted = 0
    for seed in range(runs):
        rng = random.Random(seed)
        draws = {task.task_id: rng.random() for task in tasks(count)}

        def solves(task, harness, repeat, draws=draws):
            is_new, u = harness.harness_id != base.harness_id, draws[task.task_id]
            if repeat:
                return True
            if u < win:
                return is_new
            if u < win + loss:
                return not is_new
            return u < 0.6

        world = world_of(
            synthetic(solves),
            tasks(count),
            deterministic=False,
            slots=slots,
            seed=seed,
            regression_share=share,
        )
        arms = Arms(world, base, edit.child)
        trial = run(run_trial(arms, order_tasks(world.select, seed), LossLedger(arms)))
        accepted += trial.stop == "evidence"
    return accepted / runs


@pytest.mark.slow
def test_the_engine_accepts_the_harness_against_itself_in_under_two_percent(
    base, candidate, world_of, tasks, synthetic, run
):
    share = trials(
        base, candidate("x"), world_of, tasks, synthetic, run, rates=(0.1, 0.1), count=100, runs=600
    )
    assert share <= 0.018 + 0.012  # three standard errors of 600 runs would be .016


@pytest.mark.slow
def test_the_engine_finds_twenty_points_as_often_as_the_table_says(
    base, candidate, world_of, tasks, synthetic, run
):
    share = trials(
        base,
        candidate("x"),
        world_of,
        tasks,
        synthetic,
        run,
        rates=(0.25, 0.05),
        count=110,
        runs=300,
    )
    assert share == pytest.approx(0.94, abs=0.05)
