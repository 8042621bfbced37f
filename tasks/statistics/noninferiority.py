"""Lower bound of a paired difference of success, sound without a single discordant pair."""

from dataclasses import dataclass
from math import sqrt

from tasks.statistics.proportions import Interval, jeffreys


@dataclass(frozen=True)
class LowerBound:
    """Difference of success (new - old) and its one-sided lower limit."""

    value: float
    lo: float


def paired_lower_bound(
    wins: int, losses: int, touched: int, pairs: int, *, confidence: float = 0.95
) -> LowerBound | None:
    """One-sided lower limit of the paired difference; null without pairs.

    MOVER (Zou and Donner 2008): square-and-add over Jeffreys limits of the win and the loss rate,
    `d - sqrt((w - lower(w))^2 + (upper(l) - l)^2)`. Only `touched` of the `pairs` can differ; the
    others are ties by construction, so rates are taken among the touched and scaled back. A
    normal limit would be zero wide when nothing differs, an exact one would never let a harmless
    part go with fewer than 150 pairs.
    """
    if pairs <= 0:
        return None
    if touched == 0:
        return LowerBound(0.0, 0.0)
    two_sided = 2 * confidence - 1
    won, lost = jeffreys(wins, touched, two_sided), jeffreys(losses, touched, two_sided)
    difference = (wins - losses) / touched
    if won is None or lost is None:
        return None
    return LowerBound(
        difference * touched / pairs, (difference - _margin(won, lost)) * touched / pairs
    )


def _margin(won: Interval, lost: Interval) -> float:
    return sqrt((won.value - won.lo) ** 2 + (lost.hi - lost.value) ** 2)
