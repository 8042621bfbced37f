import random

import pytest

from tasks.gate.arms import Arms
from tasks.gate.budget import LossLedger
from tasks.gate.paired import run_trial
from tasks.gate.pairs import order_tasks
from tasks.gate.power import pairs_needed, pairs_read, power, rates_of, resolvable_gain
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


def walked(pairs, win, loss, threshold):
    """The power by following every pair, ties too: slow, and nothing to get wrong."""
    alive, crossed = {(0, 0): 1.0}, 0.0
    for _ in range(pairs):
        following: dict[tuple[int, int], float] = {}
        for (wins, losses), mass in alive.items():
            for step, rate in (((0, 0), 1 - win - loss), ((1, 0), win), ((0, 1), loss)):
                key = (wins + step[0], losses + step[1])
                if step == (1, 0) and key[0] >= wins_needed(losses, threshold):
                    crossed += mass * rate
                elif step != (0, 1) or key[1] < wins_needed(key[0], 20):
                    following[key] = following.get(key, 0.0) + mass * rate
        alive = following
    return crossed


@pytest.mark.parametrize(
    ("pairs", "win", "loss", "threshold"),
    [(40, 0.25, 0.05, 20), (40, 0.6, 0.4, 120), (30, 0.1, 0.3, 20), (25, 1.0, 0.0, 120)],
)
def test_following_discordant_pairs_gives_what_following_every_pair_gives(
    pairs, win, loss, threshold
):
    slow = walked(pairs, win, loss, threshold)
    assert power(pairs, win, loss, threshold) == pytest.approx(slow, abs=1e-9)


def test_the_pairs_needed_are_the_fewest_with_the_power_aimed_at():
    rates = rates_of(0.2, 0.05)
    assert rates is not None
    needed = pairs_needed(rates, 120)
    assert needed is not None
    assert power(needed, rates.win, rates.loss, 120) >= 0.8
    assert power(needed - 1, rates.win, rates.loss, 120) < 0.8
    assert pairs_read(needed, rates, 120) < needed


def test_no_number_of_pairs_shows_a_gain_that_is_none():
    even = rates_of(0.0, 0.1)
    assert even is not None
    assert pairs_needed(even, 20) is None
    assert rates_of(0.9, 0.2) is None


def test_repeats_of_a_task_turn_a_noisy_gain_into_more_wins_for_each_loss():
    one, five = rates_of(0.1, 0.1), rates_of(0.1, 0.1, repeats=5)
    assert one is not None
    assert five is not None
    assert five.win / five.loss > one.win / one.loss
    assert five.win + five.loss <= 1


def test_losses_make_the_smallest_resolvable_gain_larger():
    clean, noisy = resolvable_gain(120, 120), resolvable_gain(120, 120, loss_rate=0.05)
    assert clean is not None
    assert noisy is not None
    assert noisy > clean
    assert power(120, noisy + 0.05, 0.05, 120) == pytest.approx(0.8, abs=0.005)
    assert resolvable_gain(120, 120, loss_rate=0.5) is None


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
