"""Benefit rate: the gain of a model as a share of a reference's, where that is defined."""

from collections.abc import Iterable, Mapping, Sequence
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


def unchanged(tasks: int, *, has_reference: bool) -> Rate:
    """The rate when nothing was accepted: every pair is a tie by construction.

    A reference that cannot act in the world has no gain, not even one of 0.
    """
    reference_gain, status = (0.0, "both_zero") if has_reference else (None, "no_pairs")
    return Rate(tasks, 0.0, 0.0, 0.0, reference_gain, None, None, None, None, status)


def measure_rate(model: Arms, reference: Arms | None, *, seed: int) -> Rate:
    """Compare the gains over the tasks judged in all arms; without a reference only the gain.

    Interval of the ratio: Fieller with the covariance of the shared tasks (methods.md D.2).
    """
    shared = _shared(model, reference)
    delta = paired_delta(
        {task: [model.base[task]] for task in shared},
        {task: [model.updated[task]] for task in shared},
        seed=seed,
    )
    gain = (len(shared), delta.value, delta.lo, delta.hi)
    if reference is None:
        return Rate(*gain, None, None, None, None, None, "no_pairs")
    ratio = fieller(_gains(model, shared), _gains(reference, shared))
    if ratio.status == "too_few":
        return Rate(*gain, None, None, None, None, None, "no_pairs")
    headroom = _headroom(model, reference, shared) if ratio.status == "ok" else None
    return Rate(
        *gain,
        reference_gain=ratio.denominator,
        hbr=ratio.value,
        hbr_lo=ratio.lo,
        hbr_hi=ratio.hi,
        hbr_headroom=headroom,
        status=ratio.status,
    )


def _shared(model: Arms, reference: Arms | None) -> list[str]:
    arms = [model, *([reference] if reference else [])]
    return sorted(set.intersection(*(set(arm.base) & set(arm.updated) for arm in arms)))


def _gains(arms: Arms, tasks: Sequence[str]) -> list[float]:
    return [arms.updated[task] - arms.base[task] for task in tasks]


def _headroom(model: Arms, reference: Arms, tasks: Sequence[str]) -> float | None:
    """`[d_M / (1 - acc_M)] / [d_S / (1 - acc_S)]`; null when a side has no room left."""
    room = [1 - fmean(arms.base[task] for task in tasks) for arms in (model, reference)]
    gain, reference_gain = fmean(_gains(model, tasks)), fmean(_gains(reference, tasks))
    if min(room) <= 0 or not reference_gain:
        return None
    return gain / room[0] / (reference_gain / room[1])
