"""Benefit rate: the gain of a model as a share of a reference's, where that is defined."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from schemas.episode import Episode
from tasks.statistics.ratio import fieller
from tasks.statistics.resampling import paired_delta

Status = Literal["ok", "unbounded", "reference_harmed", "both_zero", "no_pairs"]


@dataclass(frozen=True)
class Arms:
    """Success by task of one model before and after a harness was evolved."""

    base: Mapping[str, float]
    updated: Mapping[str, float]


@dataclass(frozen=True)
class Rate:
    """The gain of a model, and its ratio to the reference's gain when the status is `ok`."""

    tasks: int
    gain: float | None
    gain_lo: float | None
    gain_hi: float | None
    reference_gain: float | None
    hbr: float | None
    hbr_lo: float | None
    hbr_hi: float | None
    hbr_headroom: float | None
    status: Status


def success_by_task(episodes: Iterable[Episode]) -> dict[str, float]:
    """Mean success of each task over its judged episodes; faults count for nothing."""
    outcomes: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.is_success or episode.is_failure:
            outcomes.setdefault(episode.trajectory.task_id, []).append(float(episode.is_success))
    return {task_id: fmean(values) for task_id, values in sorted(outcomes.items())}


def unchanged(tasks: int) -> Rate:
    """The rate when nothing was accepted: every pair is a tie by construction."""
    return Rate(tasks, 0.0, 0.0, 0.0, 0.0, None, None, None, None, "both_zero")


def measure_rate(model: Arms, reference: Arms, *, seed: int) -> Rate:
    """Compare the gains over the tasks judged in all four arms.

    Interval of the ratio: Fieller with the covariance of the shared tasks (methods.md D.2).
    """
    shared = sorted(
        model.base.keys() & model.updated.keys() & reference.base.keys() & reference.updated.keys()
    )
    gains = [model.updated[task] - model.base[task] for task in shared]
    reference_gains = [reference.updated[task] - reference.base[task] for task in shared]
    ratio = fieller(gains, reference_gains)
    if ratio.status == "too_few":
        return Rate(len(shared), None, None, None, None, None, None, None, None, "no_pairs")
    delta = paired_delta(
        {task: [model.base[task]] for task in shared},
        {task: [model.updated[task]] for task in shared},
        seed=seed,
    )
    headroom = None
    if ratio.status == "ok":
        headroom = _headroom(
            ratio.numerator,
            fmean(model.base[task] for task in shared),
            ratio.denominator,
            fmean(reference.base[task] for task in shared),
        )
    return Rate(
        tasks=len(shared),
        gain=delta.value,
        gain_lo=delta.lo,
        gain_hi=delta.hi,
        reference_gain=ratio.denominator,
        hbr=ratio.value,
        hbr_lo=ratio.lo,
        hbr_hi=ratio.hi,
        hbr_headroom=headroom,
        status=ratio.status,
    )


def _headroom(
    gain: float, base: float, reference_gain: float, reference_base: float
) -> float | None:
    """`[d_M / (1 - acc_M)] / [d_S / (1 - acc_S)]`; null when a side has no room left."""
    if base >= 1 or reference_base >= 1 or not reference_gain:
        return None
    return gain / (1 - base) / (reference_gain / (1 - reference_base))
