"""Fixture values to every digit that is given, and error rates of the tests over many draws."""

import random
from fractions import Fraction

import pytest

from tasks.statistics.evidence import PairResult, e_confirm, e_uniform, mcnemar_one_sided
from tasks.statistics.proportions import jeffreys, pass_hat_k, wilson
from tasks.statistics.ratio import fieller
from tasks.statistics.resampling import cluster_bootstrap
from tasks.statistics.stratified import Stratum, cochran_armitage, mh_log_or

TREND = (0.10, 0.17, 0.24, 0.31)


def rejections(shares, n, runs, seed):
    """Share of draws in which a rising trend is found at .05."""
    rng = random.Random(seed)
    found = 0
    for _ in range(runs):
        counts = [sum(rng.random() < share for _ in range(n)) for share in shares]
        p = cochran_armitage(counts, [n] * len(shares)).p_one_sided
        found += p is not None and p < 0.05
    return found / runs


@pytest.mark.parametrize(
    ("wins", "losses", "value"),
    [(0, 0, Fraction(1)), (1, 0, Fraction(3, 2)), (0, 1, Fraction(1, 2)), (7, 0, Fraction(255, 8))],
)
def test_e_values_that_are_fractions_are_met_exactly(wins, losses, value):
    assert e_uniform(wins, losses) == value


@pytest.mark.parametrize(
    ("found", "given"),
    [
        (e_uniform(10, 1), "30.93"),
        (e_uniform(12, 2), "23.92"),
        (e_uniform(5, 5), "0.369"),
        (mcnemar_one_sided(5, 0), "0.0312"),
        (mcnemar_one_sided(7, 1), "0.0352"),
        (mcnemar_one_sided(9, 2), "0.0327"),
        (mcnemar_one_sided(13, 5), "0.0481"),
        (pass_hat_k(5, 2, 2), "0.1"),
        (mh_log_or([Stratum(3, 4, 1, 4), Stratum(4, 4, 2, 4), Stratum(2, 4, 2, 4)]).value, "1.435"),
    ],
)
def test_values_agree_with_every_digit_that_is_given(found, given):
    digits = len(given.partition(".")[2])
    assert abs(found - float(given)) <= 0.5 * 10**-digits + 1e-12


def test_limits_agree_with_every_digit_that_is_given():
    a, b = [1, 0, 0, 1, 0, 0, 0, 1, 0, 0] * 6, [1, 1, 0, 1, 0, 1, 0, 1, 0, 0] * 6
    found = (wilson(116, 126), jeffreys(8, 10), fieller(a, b))
    limits = [(round(one.lo or 0, 3), round(one.hi or 0, 3)) for one in found if one is not None]
    assert limits == [(0.860, 0.956), (0.497, 0.956), (0.417, 0.783)]


def test_the_commit_is_the_first_crossing_not_the_running_maximum():
    wins: list[PairResult] = ["win"] * 7
    losses: list[PairResult] = ["loss"] * 5
    process = e_confirm([*wins, *losses], threshold=20)
    assert (process.crossed_at, process.losses) == (7, 0)


def test_basic_limits_mirror_the_percentile_limits_at_the_estimate():
    rows = [(task, float((task * 7) % 5 == 0)) for task in range(40)]
    found = cluster_bootstrap(
        rows,
        cluster=lambda row: row[0],
        statistic=lambda drawn: sum(value for _, value in drawn) / len(drawn),
        seed=11,
        resamples=500,
    )
    assert found is not None
    assert found.basic_lo == pytest.approx(2 * found.value - found.hi)
    assert found.basic_hi == pytest.approx(2 * found.value - found.lo)
    assert (found.seed, found.resamples) == (11, 500)


@pytest.mark.parametrize(("n", "power"), [(40, 0.81), (80, 0.97), (120, 0.995)])
def test_the_trend_test_finds_a_rising_share_as_often_as_is_known(n, power):
    assert rejections(TREND, n, 800, seed=n) == pytest.approx(power, abs=0.035)


def test_the_trend_test_keeps_its_size():
    assert rejections((0.2,) * 4, 80, 2000, seed=5) == pytest.approx(0.05, abs=0.016)
