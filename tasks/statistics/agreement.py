"""Agreement of two annotators and of an order with a prescribed one."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

ItemT = TypeVar("ItemT", bound=Hashable)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's kappa (1960); 1 when both agree on one label throughout, null without items."""
    n = len(first)
    if n != len(second):
        message = f"two annotators need the same items; got {n} and {len(second)}"
        raise ValueError(message)
    if n == 0:
        return None
    observed = sum(a == b for a, b in zip(first, second, strict=True))
    left, right = Counter(first), Counter(second)
    chance = sum(left[label] * right[label] for label in left)
    if chance == n * n:
        return 1.0
    return (n * observed - chance) / (n * n - chance)


def kendall_order(items: Sequence[ItemT], prescribed: Mapping[ItemT, float]) -> float | None:
    """1 - discordant / (discordant + concordant) over items with a prescribed order.

    Items without a rank and pairs of equal rank say nothing; null when no pair is left.
    """
    ranks = [prescribed[item] for item in items if item in prescribed]
    pairs = [(a, b) for a, b in combinations(ranks, 2) if a != b]
    if not pairs:
        return None
    return 1 - sum(a > b for a, b in pairs) / len(pairs)
