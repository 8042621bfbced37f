"""Ratio of two paired means with Fieller limits and a status where it is undefined."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from tasks.statistics.proportions import Z_95

RatioStatus = Literal["ok", "unbounded", "reference_harmed", "both_zero", "too_few"]

MIN_TASKS = 2


@dataclass(frozen=True)
class Ratio:
    """`value` in `lo..hi` when the status is `ok`, else null.

    The means stay readable, so that a report can print them when the ratio is undefined.
    """

    numerator: float
    denominator: float
    value: float | None
    lo: float | None
    hi: float | None
    status: RatioStatus


def fieller(a: Sequence[float], b: Sequence[float], z: float = Z_95) -> Ratio:
    """Ratio mean(a)/mean(b) over the same tasks, with their covariance (Fieller 1954).

    Solves `(mb^2 - z^2 vb) x^2 - 2 (ma mb - z^2 cab) x + (ma^2 - z^2 va) <= 0` with variances
    of the means (methods.md D.2). Bounded only if `mb^2 > z^2 vb`.
    """
    n = len(a)
    if n != len(b):
        message = f"paired means need equal lengths; got {n} and {len(b)}"
        raise ValueError(message)
    ma, mb = (sum(a) / n, sum(b) / n) if n else (0.0, 0.0)
    if n < MIN_TASKS:
        return Ratio(ma, mb, None, None, None, "too_few")
    va, vb, cab = _covariance(a, a), _covariance(b, b), _covariance(a, b)
    status = _status(a, b, mb, z * sqrt(vb))
    if status != "ok":
        return Ratio(ma, mb, None, None, None, status)
    square = mb * mb - z * z * vb
    half = ma * mb - z * z * cab
    root = sqrt(max(0.0, half * half - square * (ma * ma - z * z * va)))
    return Ratio(ma, mb, ma / mb, (half - root) / square, (half + root) / square, "ok")


def _status(a: Sequence[float], b: Sequence[float], mb: float, margin: float) -> RatioStatus:
    if not any(a) and not any(b):
        return "both_zero"
    if mb + margin < 0:
        return "reference_harmed"
    return "ok" if mb - margin > 0 else "unbounded"


def _covariance(x: Sequence[float], y: Sequence[float]) -> float:
    n = len(x)
    mx, my = sum(x) / n, sum(y) / n
    return sum((u - mx) * (v - my) for u, v in zip(x, y, strict=True)) / (n - 1) / n
