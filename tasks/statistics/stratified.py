"""Tables over strata and trends: Mantel-Haenszel and Cochran-Armitage."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, log, sqrt
from typing import Literal


@dataclass(frozen=True)
class Stratum:
    """Successes `k1` of `n1` treated and `k0` of `n0` untreated runs at one point."""

    k1: int
    n1: int
    k0: int
    n0: int


@dataclass(frozen=True)
class ZTest:
    """A normal test; null with a status when the variance vanishes."""

    z: float | None
    p_one_sided: float | None
    status: Literal["ok", "no_information"]


@dataclass(frozen=True)
class LogOdds:
    """A common log odds ratio; null with a status when a side of the ratio is empty."""

    value: float | None
    status: Literal["ok", "no_information", "infinite"]


def mh_log_or(strata: Sequence[Stratum]) -> LogOdds:
    """Mantel-Haenszel log odds ratio (Mantel and Haenszel 1959), no continuity correction.

    `log(sum k1 (n0-k0)/n / sum k0 (n1-k1)/n)`, as methods.md F gives it.
    """
    used = [s for s in strata if s.n1 + s.n0]
    above = sum(s.k1 * (s.n0 - s.k0) / (s.n1 + s.n0) for s in used)
    below = sum(s.k0 * (s.n1 - s.k1) / (s.n1 + s.n0) for s in used)
    if above and below:
        return LogOdds(log(above / below), "ok")
    return LogOdds(None, "infinite" if above or below else "no_information")


def mh_test(strata: Sequence[Stratum]) -> ZTest:
    """`(sum k1 - E) / sqrt(sum V)` with hypergeometric mean and variance at each point."""
    observed = expected = variance = 0.0
    for s in strata:
        n, k = s.n1 + s.n0, s.k1 + s.k0
        if n < 2:
            continue
        observed += s.k1
        expected += s.n1 * k / n
        variance += s.n1 * s.n0 * k * (n - k) / (n * n * (n - 1))
    return _z_test(observed - expected, variance)


def cochran_armitage(successes: Sequence[int], trials: Sequence[int]) -> ZTest:
    """Linear trend in shares over groups with scores 0..L (Cochran 1954, Armitage 1955)."""
    total = sum(trials)
    if total == 0:
        return ZTest(None, None, "no_information")
    share = sum(successes) / total
    pairs = list(zip(successes, trials, strict=True))
    trend = sum(i * (k - n * share) for i, (k, n) in enumerate(pairs))
    mean_score = sum(i * n for i, (_, n) in enumerate(pairs)) / total
    spread = sum(n * (i - mean_score) ** 2 for i, (_, n) in enumerate(pairs))
    return _z_test(trend, share * (1 - share) * spread)


def _z_test(difference: float, variance: float) -> ZTest:
    if variance <= 0:
        return ZTest(None, None, "no_information")
    z = difference / sqrt(variance)
    return ZTest(z, erfc(z / sqrt(2)) / 2, "ok")
