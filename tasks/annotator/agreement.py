"""How far labels of two sources agree: confusion, kappa with interval, support, step distance."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from schemas.failures import FailureLabelRow
from tasks.statistics.agreement import cohen_kappa

RESAMPLES = 2_000
_NEAR = 2


@dataclass(frozen=True)
class ReferenceLabel:
    """A label of a reading; `bullets` are all that the reading accepts."""

    trajectory_id: str
    category: str
    bullets: tuple[str, ...]
    step_index: int | None


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % percentile bounds; null where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Agreement:
    """Agreement over the items both sources have.

    Attributes:
        confusion: count by (reference category, given category).
        support: reference items by category; a kappa says nothing about a class without any.
        near_steps: share with both steps null, or at most two messages apart.
        rules: items decided by each rule.
        disagreements: ids whose categories differ.
    """

    items: int
    category_share: float | None
    bullet_share: float | None
    kappa: Interval
    near_steps: float | None
    confusion: dict[tuple[str, str], int]
    support: dict[str, int]
    rules: dict[str, int]
    disagreements: tuple[str, ...]


def measure_agreement(
    reference: Sequence[ReferenceLabel], labels: Sequence[FailureLabelRow], *, seed: int
) -> Agreement:
    """Compare labels with a reference, item by item, in the order of the reference."""
    given = {label.trajectory_id: label for label in labels}
    pairs = [(r, given[r.trajectory_id]) for r in reference if r.trajectory_id in given]
    categories: list[tuple[str, str]] = [(r.category, label.category) for r, label in pairs]
    return Agreement(
        items=len(pairs),
        category_share=_share([left == right for left, right in categories]),
        bullet_share=_share([label.bullet in r.bullets for r, label in pairs]),
        kappa=_kappa(categories, seed),
        near_steps=_share([_is_near(r.step_index, label.step_index) for r, label in pairs]),
        confusion=dict(Counter(categories)),
        support=dict(Counter(r.category for r, _ in pairs)),
        rules=dict(Counter(label.rule for _, label in pairs)),
        disagreements=tuple(r.trajectory_id for r, label in pairs if r.category != label.category),
    )


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None


def _is_near(first: int | None, second: int | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= _NEAR


def _kappa(pairs: Sequence[tuple[str, str]], seed: int) -> Interval:
    value = cohen_kappa([left for left, _ in pairs], [right for _, right in pairs])
    if value is None:
        return Interval(None)
    rng = Random(seed)
    draws = sorted(_resampled(pairs, rng) for _ in range(RESAMPLES))
    return Interval(value, draws[int(0.025 * RESAMPLES)], draws[int(0.975 * RESAMPLES) - 1])


def _resampled(pairs: Sequence[tuple[str, str]], rng: Random) -> float:
    drawn = rng.choices(pairs, k=len(pairs))
    return cohen_kappa([left for left, _ in drawn], [right for _, right in drawn]) or 0.0
