"""Weighted estimators: effective sample size and weighted centred least squares."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Effect:
    """A treatment effect with its cluster-robust standard error; null when not identified."""

    value: float | None
    standard_error: float | None
    status: Literal["ok", "not_identified"]


def ess(weights: Sequence[float]) -> float | None:
    """Effective sample size (sum w)^2 / sum w^2 (Kish 1965); null when all weights are 0."""
    peak = max((abs(weight) for weight in weights), default=0.0)
    if peak == 0:
        return None
    scaled = [weight / peak for weight in weights]
    return sum(scaled) ** 2 / sum(weight * weight for weight in scaled)


def wcls(
    outcomes: Sequence[float],
    treated: Sequence[int],
    propensities: Sequence[float],
    clusters: Sequence[Hashable],
    controls: Sequence[Sequence[float]] | None = None,
) -> Effect:
    """Weighted centred least squares with f(S) = 1 (Boruvka et al. 2018).

    Regresses Y on g(S) = (1, controls) and A - p~, weights p~/p for treated and (1-p~)/(1-p) for
    untreated points, p~ = mean of A; errors clustered. Points with a propensity of 0 or 1 carry
    no information and are left out.
    """
    import numpy as np

    kept = [i for i, p in enumerate(propensities) if 0 < p < 1]
    arms = {treated[i] for i in kept}
    if len(arms) < 2:
        return Effect(None, None, "not_identified")
    y = np.array([outcomes[i] for i in kept], dtype=float)
    a = np.array([treated[i] for i in kept], dtype=float)
    p = np.array([propensities[i] for i in kept], dtype=float)
    share = a.mean()
    weight = np.where(a == 1, share / p, (1 - share) / (1 - p))
    extra = [list(controls[i]) if controls else [] for i in kept]
    design = np.column_stack([np.ones(len(kept)), np.array(extra, dtype=float), a - share])
    weighted = design * weight[:, None]
    bread = np.linalg.pinv(weighted.T @ design)
    beta = bread @ (weighted.T @ y)
    scores: dict[Hashable, np.ndarray] = {}
    for row, i in zip(weighted * (y - design @ beta)[:, None], kept, strict=True):
        scores[clusters[i]] = scores.get(clusters[i], 0.0) + row
    meat = sum(np.outer(score, score) for score in scores.values())
    variance = (bread @ meat @ bread.T)[-1, -1]
    return Effect(float(beta[-1]), float(max(0.0, variance)) ** 0.5, "ok")
