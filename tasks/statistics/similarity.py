"""Similarity of two sets of representations."""

from collections.abc import Sequence


def linear_cka(x: Sequence[Sequence[float]], y: Sequence[Sequence[float]]) -> float | None:
    """Linear CKA, columns centred (Kornblith et al. 2019); null when a side is constant.

    `norm(X'Y)^2 / (norm(X'X) norm(Y'Y))` with Frobenius norms; 1 for equal representations and
    unchanged by rotation and scale.
    """
    import numpy as np

    left, right = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    left, right = left - left.mean(axis=0), right - right.mean(axis=0)
    scale = np.linalg.norm(left.T @ left) * np.linalg.norm(right.T @ right)
    if scale == 0:
        return None
    return float(np.linalg.norm(left.T @ right) ** 2 / scale)
