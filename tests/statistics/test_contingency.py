import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.statistics.contingency import Contrast


def test_fishers_tea_has_its_value():
    assert Contrast(3, 4, 1, 4).p_value == pytest.approx(17 / 70)
    assert Contrast(4, 4, 0, 4).p_value == pytest.approx(1 / 70)


def test_an_empty_side_shows_nothing():
    assert Contrast(5, 5, 0, 0).p_value == 1.0
    assert Contrast(0, 0, 0, 9).p_value == 1.0


@settings(deadline=None)
@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12), st.integers(1, 12))
def test_the_value_is_that_of_scipy(x, n, x0, n0):
    from scipy.stats import fisher_exact

    x, x0 = min(x, n), min(x0, n0)
    table = [[x, n - x], [x0, n0 - x0]]
    _, expected = fisher_exact(table, alternative="greater")
    assert Contrast(x, n, x0, n0).p_value == pytest.approx(expected)


@given(st.integers(1, 12), st.integers(1, 12))
def test_the_sides_of_no_difference_add_up(n, n0):
    assert Contrast(0, n, n0, n0).p_value == pytest.approx(1)


@pytest.mark.parametrize("counts", [(3, 2, 0, 1), (-1, 2, 0, 1), (0, 1, 2, 1)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="impossible"):
        Contrast(*counts)
