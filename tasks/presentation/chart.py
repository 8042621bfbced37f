"""Geometry of the charts of a page; the templates draw them as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

WIDTH = 720
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 56
HEIGHT = 300
BAR, GAP, LABEL_WIDTH = 14, 14, 200
GAIN_LABEL, GAIN_STEP = 330, 22


@dataclass(frozen=True)
class Score:
    """A share with its interval: one mark of a chart."""

    label: str
    series: str
    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class Mark:
    """A score with its place; `shape` tells series apart without colour."""

    score: Score
    x: float
    y: float
    y_lo: float
    y_hi: float
    shape: int


@dataclass(frozen=True)
class Bar:
    """One bar of a pair."""

    series: int
    y: float
    width: float
    value: int


@dataclass(frozen=True)
class BarRow:
    """A label and its bars."""

    label: str
    y: float
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Gain:
    """A difference of shares with its interval."""

    label: str
    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class GainRow:
    """A gain with its place."""

    gain: Gain
    y: float
    x: float
    x_lo: float
    x_hi: float


@dataclass(frozen=True)
class Chart:
    """A drawn chart.

    Attributes:
        title: what it shows, read out in place of the picture.
        series: names, in the order of shapes and colours.
        ticks: position and text of the axis marks; across for gains, else upwards.
    """

    title: str
    series: tuple[str, ...]
    height: float
    ticks: tuple[tuple[float, str], ...]
    marks: tuple[Mark, ...] = ()
    rows: tuple[BarRow, ...] = ()
    gains: tuple[GainRow, ...] = ()
    width: int = WIDTH


def draw_scores(title: str, scores: Sequence[Score]) -> Chart:
    """Shares from left to right, each with its interval."""
    series = tuple(dict.fromkeys(score.series for score in scores))
    inner = WIDTH - LEFT - RIGHT

    def height_of(share: float) -> float:
        return round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM), 1)

    marks = tuple(
        Mark(
            score=score,
            x=round(LEFT + inner * (position + 0.5) / len(scores), 1),
            y=height_of(score.value),
            y_lo=height_of(score.lo),
            y_hi=height_of(score.hi),
            shape=series.index(score.series),
        )
        for position, score in enumerate(scores)
    )
    ticks = tuple((height_of(share / 4), f"{25 * share} %") for share in range(5))
    return Chart(title, series, HEIGHT, ticks, marks=marks)


def draw_bars(
    title: str, series: Sequence[str], counts: Sequence[tuple[str, Sequence[int | None]]]
) -> Chart:
    """Counts by label, one bar for each series; a null draws none."""
    most = max((value or 0 for _, values in counts for value in values), default=0) or 1
    room = WIDTH - LABEL_WIDTH - 56
    rows: list[BarRow] = []
    y = float(GAP)
    for label, values in counts:
        bars = tuple(
            Bar(place, y + place * BAR, round(room * value / most, 1), value)
            for place, value in enumerate(values)
            if value is not None
        )
        rows.append(BarRow(label, y + len(values) * BAR / 2 + 4, bars))
        y += len(values) * BAR + GAP
    return Chart(title, tuple(series), y, (), rows=tuple(rows))


def draw_gains(title: str, gains: Sequence[Gain]) -> Chart:
    """Differences below one another, each with its interval, around a line at no difference."""
    reach = max((abs(end) for gain in gains for end in (gain.lo, gain.hi)), default=0.0) or 0.1
    edge = min(1.0, 0.1 * ceil(reach * 10))
    room = WIDTH - GAIN_LABEL - 2 * RIGHT

    def place_of(difference: float) -> float:
        return round(GAIN_LABEL + RIGHT + room * (difference + edge) / (2 * edge), 1)

    rows = tuple(
        GainRow(gain, TOP + GAIN_STEP * (n + 0.5), *map(place_of, (gain.value, gain.lo, gain.hi)))
        for n, gain in enumerate(gains)
    )
    height = TOP + GAIN_STEP * len(gains) + BOTTOM / 2
    ticks = tuple((place_of(edge * n / 2), f"{50 * edge * n:+.0f}") for n in range(-2, 3))
    return Chart(title, (), height, ticks, gains=rows)
