"""Figures of a matrix of paired cells."""

import math
from statistics import fmean

import pytest

from tasks.statistics.matrix import CellPair, relative_gain, summarize, transfer_ratio
from tasks.statistics.proportions import wilson
from tasks.statistics.resampling import paired_delta

TASKS = [f"t{n:02d}" for n in range(40)]


def cell(old, new, pool="world:select"):
    """A cell whose first `old` and first `new` tasks are solved."""
    return CellPair(
        pool,
        {task: float(n < old) for n, task in enumerate(TASKS)},
        {task: float(n < new) for n, task in enumerate(TASKS)},
    )


@pytest.mark.parametrize(
    ("old", "new", "value", "status"),
    [
        (20, 30, 0.5, "ok"),
        (20, 10, -0.5, "ok"),
        (0, 10, None, "base_zero"),
        (3, 10, None, "base_small"),
        (4, 6, 0.5, "ok"),
    ],
)
def test_a_relative_gain_is_told_only_over_a_base_to_divide_by(old, new, value, status):
    found = relative_gain(cell(old, new))
    assert found.status == status
    assert found.value == (None if value is None else pytest.approx(value))
    assert (found.lo is None) is (value is None)


def test_limits_of_a_relative_gain_lie_around_it():
    found = relative_gain(cell(20, 30))
    assert found.lo is not None
    assert found.hi is not None
    assert found.lo < 0.5 < found.hi


def test_without_a_shared_task_nothing_is_claimed():
    apart = CellPair("p", {"a": 1.0}, {"b": 1.0})
    assert relative_gain(apart).status == "too_few"
    assert summarize([apart], seed=1).cells == 0
    assert summarize([], seed=1).gain is None


def test_transfer_is_the_ratio_of_gains_and_has_none_where_the_source_does_not_gain():
    found = transfer_ratio(cell(10, 30), cell(10, 20))
    assert (found.value, found.status) == (pytest.approx(0.5), "ok")
    assert found.lo is not None
    assert found.lo < 0.5
    assert transfer_ratio(cell(10, 11), cell(10, 20)).status == "unbounded"
    assert transfer_ratio(cell(10, 11), cell(10, 20)).value is None
    assert transfer_ratio(cell(30, 10), cell(10, 20)).status == "reference_harmed"
    assert transfer_ratio(cell(10, 10), cell(20, 20)).status == "both_zero"


def test_a_summary_counts_improved_cells_and_averages_gains():
    cells = [cell(20, 30), cell(20, 24), cell(20, 18), cell(20, 20)]
    found = summarize(cells, seed=3)
    assert found.improved == wilson(2, 4)
    assert found.gain is not None
    assert found.gain.value == pytest.approx(fmean([0.25, 0.1, -0.05, 0.0]))
    assert found.gain.lo < found.gain.value < found.gain.hi
    assert found.best_gain == pytest.approx(0.25)


def test_cells_with_a_small_base_are_left_out_of_the_relative_mean_only():
    found = summarize([cell(20, 30), cell(0, 10)], seed=3)
    assert (found.cells, found.relative_cells) == (2, 1)
    assert found.relative_gain is not None
    assert found.relative_gain.value == pytest.approx(0.5)


def test_one_cell_has_the_limits_of_the_paired_bootstrap():
    pair = cell(20, 30)
    found = summarize([pair], seed=3).gain
    alone = paired_delta(
        {task: [value] for task, value in pair.old.items()},
        {task: [value] for task, value in pair.new.items()},
        seed=3,
    )
    assert found is not None
    assert alone.lo is not None
    assert alone.hi is not None
    assert found.lo == pytest.approx(alone.lo, abs=0.03)
    assert found.hi == pytest.approx(alone.hi, abs=0.03)


def test_cells_that_share_tasks_are_less_sure_than_cells_of_worlds_apart():
    together = summarize([cell(20, 30)] * 4, seed=3).gain
    apart = summarize([cell(20, 30, pool=f"world{n}:select") for n in range(4)], seed=3).gain
    assert together is not None
    assert apart is not None
    ratio = (together.hi - together.lo) / (apart.hi - apart.lo)
    assert ratio == pytest.approx(math.sqrt(4), rel=0.15)


def test_equal_seeds_give_equal_limits():
    assert summarize([cell(20, 30)], seed=3) == summarize([cell(20, 30)], seed=3)
    assert summarize([cell(20, 30)], seed=3) != summarize([cell(20, 30)], seed=4)


def test_the_interval_of_a_mean_over_tasks_covers_it_at_least_as_often_as_it_says():
    import numpy as np

    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(400):
        rates = rng.beta(0.7, 0.7, size=50)
        means = rng.binomial(3, rates) / 3
        interval = wilson(float(means.sum()), 50)
        assert interval is not None
        hits += interval.lo <= 0.5 <= interval.hi
    assert hits / 400 >= 0.94
