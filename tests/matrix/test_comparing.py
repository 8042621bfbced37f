"""Rows of differences: paired, with intervals, or with the reason why there is no number."""

import pytest


def test_a_contrast_is_paired_and_bounded(compared):
    ((row,), _, _) = compared({"m": (20, 30)})
    assert (row.pairs, row.wins, row.losses, row.ties) == (40, 10, 0, 30)
    assert row.delta == pytest.approx(0.25)
    assert row.delta_lo < row.delta < row.delta_hi
    assert 0 < row.delta_bound < row.delta
    assert (row.old_success, row.new_success) == (0.5, 0.75)
    assert row.relative_gain == pytest.approx(0.5)
    assert row.transfer_status is None


def test_transfer_is_told_for_all_models_but_the_source(compared):
    rows, _, _ = compared({"weak": (10, 30), "mid": (20, 30), "strong": (38, 40)}, source="weak")
    by_model = {row.model: row for row in rows}
    assert by_model["weak"].transfer_status is None
    assert by_model["mid"].transfer_ratio == pytest.approx(0.5)
    assert by_model["strong"].transfer_ratio == pytest.approx(0.1)
    assert by_model["mid"].transfer_lo < 0.5 < by_model["mid"].transfer_hi


def test_a_source_without_a_sure_gain_gives_no_ratio_but_a_reason(compared):
    rows, _, _ = compared({"weak": (10, 11), "mid": (20, 30)}, source="weak")
    assert (rows[1].transfer_ratio, rows[1].transfer_status) == (None, "unbounded")
    assert rows[1].delta == pytest.approx(0.25)


def test_summaries_tell_clear_gains_from_any_gain(compared):
    _, (summary,), _ = compared({"a": (20, 30), "b": (20, 21), "c": (30, 20)})
    assert (summary.axis, summary.cells) == ("all", 3)
    assert summary.improved == pytest.approx(2 / 3)
    assert (summary.clear_gains, summary.clear_losses) == (1, 1)
    assert summary.gain == pytest.approx((10 + 1 - 10) / 40 / 3)


def test_a_base_of_nothing_has_points_but_no_relative_gain(compared):
    (row,), (summary,), _ = compared({"m": (0, 10)})
    assert (row.relative_gain, row.relative_status) == (None, "base_zero")
    assert (summary.relative_gain, summary.relative_cells) == (None, 0)
    assert summary.gain == pytest.approx(0.25)
