import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.statistics.noninferiority import paired_lower_bound
from tasks.statistics.proportions import (
    highest_share,
    jeffreys,
    lowest_share,
    pass_at_k,
    pass_hat_k,
    wilson,
)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(5, 2, 2, 0.1), (4, 3, 2, 0.5), (3, 2, 3, 0.0), (3, 3, 3, 1.0)],
)
def test_pass_hat_k_has_its_fixture_values(n, c, k, expected):
    assert pass_hat_k(n, c, k) == pytest.approx(expected, abs=1e-15)


def test_pass_hat_k_is_null_when_there_are_too_few_runs():
    assert pass_hat_k(2, 2, 3) is None
    assert pass_at_k(2, 2, 3) is None


def test_one_run_passes_at_k_as_often_as_it_passes_hat_k():
    assert pass_at_k(5, 2, 1) == pass_hat_k(5, 2, 1) == pytest.approx(0.4)


def test_wilson_has_its_fixture_value():
    interval = wilson(116, 126)
    assert interval is not None
    assert (round(interval.lo, 3), round(interval.hi, 3)) == (0.860, 0.956)


def test_jeffreys_has_its_fixture_value():
    interval = jeffreys(8, 10)
    assert interval is not None
    assert (round(interval.lo, 3), round(interval.hi, 3)) == (0.497, 0.956)


def test_an_empty_sample_has_no_interval():
    assert wilson(0, 0) is None
    assert jeffreys(0, 0) is None


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_intervals_hold_their_share_and_mirror_when_success_is_renamed(counts):
    x, n = counts
    for method in (wilson, jeffreys):
        one, other = method(x, n), method(n - x, n)
        assert one is not None
        assert other is not None
        assert 0 <= one.lo <= one.value <= one.hi <= 1
        assert one.lo == pytest.approx(1 - other.hi, abs=1e-9)


def test_an_impossible_count_is_refused():
    with pytest.raises(ValueError, match="expected 0 <= x <= n"):
        wilson(3, 2)


def test_removing_what_touches_no_pair_loses_nothing():
    bound = paired_lower_bound(0, 0, touched=0, pairs=50)
    assert bound is not None
    assert bound.lo == 0.0


def test_no_difference_in_few_touched_pairs_still_has_a_margin():
    bound = paired_lower_bound(0, 0, touched=40, pairs=40)
    assert bound is not None
    assert bound.value == 0
    assert bound.lo < -0.02


def test_losses_lower_the_bound_and_wins_raise_it():
    lost = paired_lower_bound(0, 3, touched=200, pairs=200)
    even = paired_lower_bound(0, 0, touched=200, pairs=200)
    won = paired_lower_bound(3, 0, touched=200, pairs=200)
    assert lost is not None
    assert even is not None
    assert won is not None
    assert lost.lo < even.lo < won.lo


def test_importing_the_statistics_loads_neither_numpy_nor_scipy():
    code = (
        "import sys, tasks.statistics.evidence, tasks.statistics.resampling, "
        "tasks.statistics.noninferiority, tasks.statistics.weighting, tasks.statistics.similarity;"
        "sys.exit(bool({'numpy', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("hits", "trials", "bound"), [(0, 5, 0.0), (1, 1, 0.05), (2, 2, 0.2236), (5, 10, 0.2224)]
)
def test_one_sided_limits_are_the_exact_ones(hits, trials, bound):
    assert lowest_share(hits, trials) == pytest.approx(bound, abs=1e-4)
    assert highest_share(trials - hits, trials) == pytest.approx(1 - bound, abs=1e-4)
