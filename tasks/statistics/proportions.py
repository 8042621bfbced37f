"""Shares with intervals, and pass^k; undefined values are null, never a guess."""

from dataclasses import dataclass
from math import comb, sqrt

Z_95 = 1.96
"""Two-sided 95 % quantile as methods.md F rounds it; its fixtures rest on this value."""

CONFIDENCE = 0.95
"""Confidence of one-sided exact limits."""


@dataclass(frozen=True)
class Interval:
    """A value between two limits."""

    value: float
    lo: float
    hi: float


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Chance that k runs drawn from n with c successes all succeed (tau-bench pass^k).

    Null when fewer than k runs exist.
    """
    _require_counts(c, n)
    if k < 1 or n < k:
        return None
    return comb(c, k) / comb(n, k)


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Chance that at least one of k runs drawn from n with c successes succeeds."""
    _require_counts(c, n)
    if k < 1 or n < k:
        return None
    return 1 - comb(n - c, k) / comb(n, k)


def wilson(x: float, n: int, z: float = Z_95) -> Interval | None:
    """Score interval of a share (Wilson 1927); null for an empty sample.

    With `x` a sum of means in [0, 1] of n clusters it is conservative: no distribution on [0, 1]
    varies more than a coin of the same mean.
    """
    _require_counts(x, n)
    if n == 0:
        return None
    share = x / n
    spread = z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = z * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    lo = 0.0 if x == 0 else max(0.0, centre - half)
    hi = 1.0 if x == n else min(1.0, centre + half)
    return Interval(share, lo, hi)


def jeffreys(x: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Quantiles of Beta(x+1/2, n-x+1/2); a limit is 0 or 1 when x is 0 or n.

    Null for an empty sample. Brown, Cai and DasGupta 2001 give the end rule.
    """
    from scipy.special import betaincinv

    _require_counts(x, n)
    if n == 0:
        return None
    tail = (1 - confidence) / 2
    lo = 0.0 if x == 0 else float(betaincinv(x + 0.5, n - x + 0.5, tail))
    hi = 1.0 if x == n else float(betaincinv(x + 0.5, n - x + 0.5, 1 - tail))
    return Interval(x / n, lo, hi)


def lowest_share(hits: int, trials: int) -> float:
    """Exact one-sided 95 % lower limit of a share (Clopper and Pearson 1934); 0 when unknown."""
    from scipy.special import betaincinv

    _require_counts(hits, trials)
    return float(betaincinv(hits, trials - hits + 1, 1 - CONFIDENCE)) if hits else 0.0


def highest_share(hits: int, trials: int) -> float:
    """Exact one-sided 95 % upper limit of a share (Clopper and Pearson 1934); 1 when unknown."""
    return 1.0 - lowest_share(trials - hits, trials)


def _require_counts(x: float, n: int) -> None:
    if not 0 <= x <= n:
        message = f"a count of {x} successes in {n} trials is impossible; expected 0 <= x <= n"
        raise ValueError(message)
