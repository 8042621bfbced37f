"""Figures of a matrix of paired cells: gains, relative gains, transfer, and how sure they are.

A cell compares two arms on the same tasks. Cells of one pool share tasks, so resampling draws a
pool's tasks once and scores all of its cells on the draw: the interval of a mean over cells then
knows that one hard task moves many cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tasks.statistics.proportions import Interval, wilson
from tasks.statistics.ratio import RatioStatus, fieller
from tasks.statistics.resampling import RESAMPLES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MIN_BASE = 0.1
"""Base success below which a relative gain is no figure: it divides by next to nothing."""
RelativeStatus = Literal["ok", "base_zero", "base_small", "unbounded", "too_few"]


@dataclass(frozen=True)
class RelativeGain:
    """Gain as a share of the base success; null with the reason when it is undefined."""

    value: float | None
    lo: float | None
    hi: float | None
    status: RelativeStatus


@dataclass(frozen=True)
class TransferRatio:
    """Gain of one model as a share of another's; null unless the other gains for sure."""

    value: float | None
    lo: float | None
    hi: float | None
    status: RatioStatus


@dataclass(frozen=True)
class CellPair:
    """Mean success by task in both arms of a cell; `pool` names the tasks it draws from."""

    pool: str
    old: Mapping[str, float]
    new: Mapping[str, float]

    @property
    def shared(self) -> list[str]:
        """Tasks judged in both arms."""
        return sorted(self.old.keys() & self.new.keys())

    @property
    def gains(self) -> dict[str, float]:
        """Gain by task."""
        return {task: self.new[task] - self.old[task] for task in self.shared}

    @property
    def base(self) -> float | None:
        """Success of the old arm on the shared tasks."""
        return _mean([self.old[task] for task in self.shared])

    @property
    def gain(self) -> float | None:
        """Mean gain in success."""
        return _mean(list(self.gains.values()))

    @property
    def relative_gain(self) -> float | None:
        """Gain over base where the base is large enough to divide by."""
        base, gain = self.base, self.gain
        return None if base is None or gain is None or base < MIN_BASE else gain / base


@dataclass(frozen=True)
class Summary:
    """What a set of cells says together.

    Attributes:
        cells: cells with a task judged in both arms.
        improved: share of cells with a gain above 0; its interval treats cells as independent.
        gain: mean gain of a cell in success.
        best_gain: gain of the best cell, which is biased upwards; null without cells.
        relative_gain: mean over the cells where it is defined.
        relative_cells: how many those are.
    """

    cells: int
    improved: Interval | None
    gain: Interval | None
    best_gain: float | None
    relative_gain: Interval | None
    relative_cells: int


def relative_gain(cell: CellPair) -> RelativeGain:
    """Gain of one cell over its base, with Fieller limits over tasks."""
    tasks, base = cell.shared, cell.base
    if base is None:
        return RelativeGain(None, None, None, "too_few")
    if base == 0:
        return RelativeGain(None, None, None, "base_zero")
    if base < MIN_BASE:
        return RelativeGain(None, None, None, "base_small")
    ratio = fieller([cell.gains[task] for task in tasks], [cell.old[task] for task in tasks])
    if ratio.status == "ok":
        return RelativeGain(ratio.value, ratio.lo, ratio.hi, "ok")
    status = "too_few" if ratio.status == "too_few" else "unbounded"
    return RelativeGain(cell.relative_gain, None, None, status)


def transfer_ratio(source: CellPair, target: CellPair) -> TransferRatio:
    """Gain of the target over that of the source, on the tasks both cells have."""
    tasks = sorted(source.gains.keys() & target.gains.keys())
    ratio = fieller([target.gains[task] for task in tasks], [source.gains[task] for task in tasks])
    return TransferRatio(ratio.value, ratio.lo, ratio.hi, ratio.status)


def summarize(cells: Sequence[CellPair], *, seed: int, resamples: int = RESAMPLES) -> Summary:
    """Share of cells improved, mean gain and mean relative gain with 95 % limits."""
    usable = [cell for cell in cells if cell.shared]
    if not usable:
        return Summary(0, None, None, None, None, 0)
    gains = [cell.gain or 0.0 for cell in usable]
    relative = [cell.relative_gain for cell in usable]
    defined = [value for value in relative if value is not None]
    drawn = _resample(usable, seed, resamples)
    kept = [value is not None for value in relative]
    return Summary(
        cells=len(usable),
        improved=wilson(sum(gain > 0 for gain in gains), len(usable)),
        gain=_limits(gains, [one.gain for one in drawn]),
        best_gain=max(gains),
        relative_gain=_limits(
            defined, [one.relative for one, keep in zip(drawn, kept, strict=True) if keep]
        ),
        relative_cells=len(defined),
    )


@dataclass(frozen=True)
class _Drawn:
    """Gain and base of one cell in every resample."""

    gain: "Array"
    base: "Array"

    @property
    def relative(self) -> "Array":
        """Gain over base; a resample without any base success says nothing."""
        import numpy as np

        safe = np.where(self.base > 0, self.base, np.nan)
        return self.gain / safe


def _resample(cells: Sequence[CellPair], seed: int, resamples: int) -> list[_Drawn]:
    import numpy as np

    drawn: dict[int, _Drawn] = {}
    for pool in sorted({cell.pool for cell in cells}):
        members = [(n, cell) for n, cell in enumerate(cells) if cell.pool == pool]
        tasks = sorted({task for _, cell in members for task in cell.shared})
        rng = np.random.default_rng([seed, *pool.encode()])
        # How often each task is drawn is all that a mean needs.
        weights = rng.multinomial(len(tasks), np.full(len(tasks), 1 / len(tasks)), size=resamples)
        for place, cell in members:
            drawn[place] = _weigh(cell, tasks, weights.astype(float))
    return [drawn[place] for place in range(len(cells))]


def _weigh(cell: CellPair, tasks: Sequence[str], weights: "Array") -> _Drawn:
    import numpy as np

    gains = cell.gains
    present = np.array([float(task in gains) for task in tasks])
    gain = np.array([gains.get(task, 0.0) for task in tasks])
    base = np.array([cell.old[task] if task in gains else 0.0 for task in tasks])
    total = weights @ present
    total = np.where(total > 0, total, np.nan)
    return _Drawn(weights @ gain / total, weights @ base / total)


def _limits(values: Sequence[float], drawn: Sequence["Array"]) -> Interval | None:
    import numpy as np

    value = _mean(values)
    if value is None:
        return None
    columns = np.vstack(drawn)
    known = columns[:, ~np.isnan(columns).any(axis=0)].mean(axis=0)
    if known.size == 0:
        return Interval(value, value, value)
    lo, hi = np.quantile(known, [0.025, 0.975])
    return Interval(value, float(lo), float(hi))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
