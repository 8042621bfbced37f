"""Paired differences by task and the cluster bootstrap; every draw comes from a named seed."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

RESAMPLES = 10_000

RowT = TypeVar("RowT")
_CHUNK_CELLS = 2_000_000


@dataclass(frozen=True)
class Bootstrap:
    """An estimate with its percentile and basic 95 % limits, and what makes them repeatable."""

    value: float
    lo: float
    hi: float
    basic_lo: float
    basic_hi: float
    clusters: int
    resamples: int
    seed: int


@dataclass(frozen=True)
class PairedDelta:
    """Mean over tasks of (new - old), where each side is the mean of its runs of the task."""

    value: float | None
    lo: float | None
    hi: float | None
    wins: int
    losses: int
    ties: int
    seed: int


def cluster_bootstrap(
    rows: Sequence[RowT],
    cluster: Callable[[RowT], Hashable],
    statistic: Callable[[Sequence[RowT]], float],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Bootstrap | None:
    """Resample whole clusters with all their rows; null without rows.

    With one row a cluster it is the plain bootstrap. Limits: percentile and basic (Davison and
    Hinkley 1997).
    """
    import numpy as np

    groups: dict[Hashable, list[RowT]] = {}
    for row in rows:
        groups.setdefault(cluster(row), []).append(row)
    if not groups:
        return None
    members = list(groups.values())
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, len(members), size=(resamples, len(members)))
    values = [statistic([row for i in draw for row in members[i]]) for draw in draws.tolist()]
    return _limits(statistic(rows), values, len(members), seed)


def bootstrap_mean(
    values: Sequence[float], *, seed: int, resamples: int = RESAMPLES
) -> Bootstrap | None:
    """Bootstrap of a mean with one value a cluster; the fast case of `cluster_bootstrap`."""
    import numpy as np

    if not values:
        return None
    sample = np.asarray(values, dtype=float)
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK_CELLS // len(sample))
    means: list[float] = []
    for start in range(0, resamples, step):
        size = (min(step, resamples - start), len(sample))
        means += sample[rng.integers(0, len(sample), size=size)].mean(axis=1).tolist()
    return _limits(float(sample.mean()), means, len(sample), seed)


def paired_delta(
    old: Mapping[str, Sequence[float]],
    new: Mapping[str, Sequence[float]],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> PairedDelta:
    """Mean paired difference by task with a bootstrap interval over tasks.

    Tasks that either side lacks are left out. Swapping the arms negates value and limits exactly:
    the draws depend on seed and number of tasks only.
    """
    tasks = sorted(task for task in old.keys() & new.keys() if old[task] and new[task])
    gains = [_mean(new[task]) - _mean(old[task]) for task in tasks]
    wins, losses = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    interval = bootstrap_mean(gains, seed=seed, resamples=resamples)
    return PairedDelta(
        value=interval.value if interval else None,
        lo=interval.lo if interval else None,
        hi=interval.hi if interval else None,
        wins=wins,
        losses=losses,
        ties=len(gains) - wins - losses,
        seed=seed,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _limits(value: float, draws: Sequence[float], clusters: int, seed: int) -> Bootstrap:
    ordered = sorted(draws)
    tail = int(0.025 * len(ordered))
    lo, hi = ordered[tail], ordered[len(ordered) - 1 - tail]
    return Bootstrap(value, lo, hi, 2 * value - hi, 2 * value - lo, clusters, len(draws), seed)
