import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import beta, betaincc

from tasks.statistics.evidence import (
    EProcess,
    PairResult,
    e_confirm,
    e_uniform,
    mcnemar_one_sided,
    wins_needed,
)

COUNTS = st.integers(0, 60)
WIN: list[PairResult] = ["win"]
LOSS: list[PairResult] = ["loss"]


@pytest.mark.parametrize(
    ("wins", "losses", "expected"),
    [
        (0, 0, 1.0),
        (1, 0, 1.5),
        (0, 1, 0.5),
        (7, 0, 31.875),
        (10, 1, 30.93),
        (12, 2, 23.92),
        (5, 5, 0.369),
    ],
)
def test_the_e_value_has_its_published_values(wins, losses, expected):
    assert e_uniform(wins, losses) == pytest.approx(expected, abs=0.005 if expected > 1.5 else 5e-4)


@pytest.mark.parametrize(
    ("wins", "losses", "expected"),
    [(5, 0, 0.0312), (7, 1, 0.0352), (9, 2, 0.0327), (13, 5, 0.0481)],
)
def test_mcnemar_has_its_published_values(wins, losses, expected):
    assert mcnemar_one_sided(wins, losses) == pytest.approx(expected, abs=5.1e-5)


def test_mcnemar_is_one_without_a_discordant_pair():
    assert mcnemar_one_sided(0, 0) == 1.0


@pytest.mark.parametrize(
    ("threshold", "needed"),
    [(20, [7, 10, 12, 14, 16, 18]), (120, [10, 13, 16, 18, 20, 23])],
)
def test_the_wins_needed_are_those_of_the_table(threshold, needed):
    assert [wins_needed(losses, threshold) for losses in range(6)] == needed


@given(COUNTS, COUNTS)
def test_one_fair_pair_leaves_the_mean_of_the_e_value_unchanged(wins, losses):
    mean = (e_uniform(wins + 1, losses) + e_uniform(wins, losses + 1)) / 2
    # The uniform mixture lives on win rates above 1/2, so the fair coin keeps the mean exactly.
    assert mean == pytest.approx(e_uniform(wins, losses), rel=1e-12)


@given(COUNTS, COUNTS)
def test_a_win_never_lowers_and_a_loss_never_raises_the_evidence(wins, losses):
    assert e_uniform(wins + 1, losses) > e_uniform(wins, losses) > e_uniform(wins, losses + 1)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_closed_form_equals_the_beta_form(wins, losses):
    a, b = wins + 1, losses + 1
    expected = 2.0 ** (wins + losses + 1) * beta(a, b) * betaincc(a, b, 0.5)
    assert e_uniform(wins, losses) == pytest.approx(expected, rel=1e-6)


def test_the_process_stops_at_the_first_crossing_and_keeps_its_position():
    process = e_confirm(["tie", "invalid", *WIN * 7, *LOSS * 9], threshold=20)
    assert (process.wins, process.losses, process.ties, process.invalid) == (7, 0, 1, 1)
    assert process.crossed_at == 9


def test_a_later_fall_does_not_undo_a_crossing():
    process = EProcess(20)
    for result in WIN * 7 + LOSS * 9:
        process = process.after(result)
    assert process.crossed_at == 7
    assert process.e_value < 20


def test_ties_and_invalid_pairs_leave_the_evidence_unchanged():
    process = EProcess(20).after("win")
    assert process.after("tie").e_value == process.after("invalid").e_value == process.e_value
    assert process.after("invalid").pairs == process.pairs


def test_three_wins_and_four_losses_still_need_thirteen_straight_wins():
    process = e_confirm(WIN * 3 + LOSS * 4, threshold=20)
    assert process.can_reach(13)
    assert not process.can_reach(12)


def test_a_trial_without_wins_is_hopeless_once_that_is_plain():
    # 96 ties bound the share of wins at 3.1 %; 10 of the next 144 then come up in 2 % of trials.
    assert not EProcess(120, ties=72).is_hopeless(168)
    assert EProcess(120, ties=96).is_hopeless(144)


def test_nothing_is_hopeless_before_a_pair_or_after_enough_wins():
    assert not EProcess(120).is_hopeless(240)
    assert not EProcess(20, wins=12).is_hopeless(0)
    assert EProcess(20, wins=1, ties=3).is_hopeless(2)


@pytest.mark.parametrize("threshold", [20, 120])
@pytest.mark.parametrize(("win", "loss"), [(0.05, 0.0), (0.1, 0.0), (0.15, 0.05), (0.34, 0.14)])
def test_giving_up_what_is_hopeless_costs_no_more_than_a_point_of_power(threshold, win, loss):
    rng = random.Random(5)
    runs, cap, block = 400, 240, 24
    given_up = 0
    for _ in range(runs):
        process, was_hopeless = EProcess(threshold), False
        for read in range(1, cap + 1):
            draw = rng.random()
            result = "win" if draw < win else "loss" if draw < win + loss else "tie"
            process = process.after(result)
            if process.crossed_at is not None:
                given_up += was_hopeless
                break
            if read % block == 0:
                was_hopeless |= process.is_hopeless(cap - read)
    assert given_up / runs <= 0.01


def test_huge_counts_stay_finite_integers_until_the_last_division():
    assert e_uniform(400, 400) < 1
    assert e_uniform(900, 0) > 1e200


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="expected counts from 0"):
        e_uniform(-1, 0)
