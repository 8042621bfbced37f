"""The verdict on two unpaired arms at one look, from the evidence of `arm_evidence.py`."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Literal

from tasks.statistics.arm_evidence import (
    Tally,
    capital_of,
    log_evidence,
    log_mean,
    lower_limit,
    mirrored_tally,
)

TwoArmOutcome = Literal["better", "worse", "undecided"]

Z_POWER = 0.8416
"""Quantile of power .8."""
SKEWED = 100.0
"""Evidence at which arms count as not drawn with their propensities."""
_ODDS = (0.25, 0.5, 0.67, 0.8, 0.9, 1.11, 1.25, 1.5, 2.0, 4.0)


@dataclass(frozen=True)
class TwoArmVerdict:
    """What sessions say at one look; the limits hold at all looks together.

    Attributes:
        e_better: evidence that the treated arm has more success.
        e_worse: evidence that it has less.
        threshold: what either needs, 2 / alpha.
        difference: success of the treated less success of the others; null when an arm is empty.
        lo: lower limit of the difference; from 0 on exactly when the verdict is better.
        hi: upper limit; to 0 exactly when the verdict is worse.
        resolvable: smallest true difference that so many sessions show with power .8.
        is_skewed: whether the arms are not as they were drawn; nothing is decided then.
    """

    outcome: TwoArmOutcome
    e_better: float
    e_worse: float
    threshold: float
    treated: int
    treated_successes: int
    controls: int
    control_successes: int
    difference: float | None
    lo: float
    hi: float
    resolvable: float | None
    is_skewed: bool


def judge(counts: Tally, alpha: float = 0.05) -> TwoArmVerdict:
    """Read both directions and the limits; without sessions nothing is known.

    Either direction is tested at alpha / 2, so a verdict of either kind on arms that do not
    differ ever comes up with a chance of at most alpha.
    """
    if not 0 < alpha < 1:
        message = f"alpha is a chance between 0 and 1; got {alpha}"
        raise ValueError(message)
    threshold = 2 / alpha
    better, worse = log_evidence(counts), log_evidence(mirrored_tally(counts))
    outcome: TwoArmOutcome = "undecided"
    is_skewed = log_skew(counts) >= log(SKEWED)
    if max(better, worse) >= log(threshold) and not is_skewed:
        outcome = "better" if better > worse else "worse"
    total = [
        sum(numbers) for numbers in zip(*(cell.numbers for cell in counts.values()), strict=True)
    ]
    won, lost, other_won, other_lost = total or [0, 0, 0, 0]
    treated, controls = won + lost, other_won + other_lost
    is_full = treated > 0 and controls > 0
    return TwoArmVerdict(
        outcome=outcome,
        e_better=_exp(better),
        e_worse=_exp(worse),
        threshold=threshold,
        treated=treated,
        treated_successes=won,
        controls=controls,
        control_successes=other_won,
        difference=won / treated - other_won / controls if is_full else None,
        lo=-1.0 if is_skewed else lower_limit(counts, threshold),
        hi=1.0 if is_skewed else -lower_limit(mirrored_tally(counts), threshold),
        is_skewed=is_skewed,
        resolvable=resolvable_difference(total, threshold) if is_full else None,
    )


def log_skew(counts: Tally) -> float:
    """Logarithm of the e-value of arms being counted in other shares than they were drawn.

    A mixture over factors on the odds. It grows when propensities are logged wrongly, or when the
    arm decides whose outcome becomes known; the comparison is not sound then.
    """
    capitals: list[float] = []
    for factor in _ODDS:
        capital = 0.0
        for p, cell in counts.items():
            total = 1 - p + factor * p
            treated, others = sum(cell.numbers[:2]), sum(cell.numbers[2:])
            capital += treated * log(factor / total) - others * log(total)
        capitals.append(capital)
    peak = max(capitals)
    return peak + log(sum(exp(one - peak) for one in capitals) / len(capitals))


def resolvable_difference(total: Sequence[float], threshold: float) -> float | None:
    """Smallest true difference that so many sessions show with power .8; null when none is.

    The observed difference that reaches the threshold at the pooled rate, and .84 standard errors
    (power at the end of the sessions; looks before it only add).
    """
    treated, controls = total[0] + total[1], total[2] + total[3]
    share = treated / (treated + controls)
    rate = (total[0] + total[2]) / (treated + controls)
    low, high = 0.0, 1.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        up, down = min(rate + (1 - share) * middle, 1.0), max(rate - share * middle, 0.0)
        cells = (treated * up, treated * (1 - up), controls * down, controls * (1 - down))
        capital = capital_of(share, cells, 0.0)
        low, high = (low, middle) if log_mean(capital) >= log(threshold) else (middle, high)
    needed = high + Z_POWER * sqrt(rate * (1 - rate) * (1 / treated + 1 / controls))
    return needed if high < 1 - 1e-3 and needed <= 1 else None


def _exp(value: float) -> float:
    return exp(min(value, 700.0))
