"""Charts put marks where the numbers say."""

from tasks.presentation.chart import Score, draw_bars, draw_scores


def test_a_higher_share_stands_higher_and_inside_its_interval():
    chart = draw_scores("t", [Score("a", "s", 0.2, 0.1, 0.4), Score("b", "s", 0.9, 0.8, 1.0)])
    low, high = chart.marks
    assert high.y < low.y
    assert low.y_hi < low.y < low.y_lo
    assert low.x < high.x


def test_series_differ_in_shape_not_in_colour_alone():
    chart = draw_scores("t", [Score("a", "sealed", 0.2, 0, 1), Score("b", "train", 0.2, 0, 1)])
    assert [mark.shape for mark in chart.marks] == [0, 1]
    assert chart.series == ("sealed", "train")


def test_bars_are_as_long_as_their_counts():
    chart = draw_bars("t", ("before", "after"), [("x", [10, 5]), ("y", [0, None])])
    first, second = chart.rows[0].bars
    assert first.width == 2 * second.width
    assert [bar.value for bar in chart.rows[1].bars] == [0]


def test_nothing_to_count_draws_nothing_and_does_not_fail():
    assert draw_bars("t", ("before",), [("x", [0])]).rows[0].bars[0].width == 0
