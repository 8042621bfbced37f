"""Acceptance rules that are in use elsewhere, to be measured beside the gate on the same pairs.

Each reads paired scores of the tasks, old and new, and says whether it takes the candidate.
"""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from types import MappingProxyType

from tasks.statistics.evidence import mcnemar_one_sided

TOLERANCE = 0.02
PEEK_EVERY = 5
ALPHA = 0.05

Differences = Sequence[float]
"""New minus old score of each task, in the order in which the pairs were made."""


def strict_mean(differences: Differences) -> bool:
    """Accept when the mean is higher at all (GEPA's minibatch rule, SkillOpt's split rule)."""
    return sum(differences) > 0


def tolerance(differences: Differences) -> bool:
    """Accept when the mean is not lower by more than .02."""
    return _mean(differences) >= -TOLERANCE - 1e-12


def any_regression(differences: Differences) -> bool:
    """Accept unless a task got worse."""
    return all(difference >= 0 for difference in differences)


def one_standard_error(differences: Differences) -> bool:
    """Accept when the mean gain exceeds its paired standard error."""
    return _exceeds(differences, 1.0)


def two_standard_errors(differences: Differences) -> bool:
    """Accept when the mean gain exceeds 1.96 paired standard errors."""
    return _exceeds(differences, 1.96)


def mcnemar_peeked(differences: Differences) -> bool:
    """Accept at the first of the looks, one every five pairs, at which p is below .05."""
    wins = losses = 0
    for count, difference in enumerate(differences, start=1):
        wins += difference > 0
        losses += difference < 0
        is_look = count % PEEK_EVERY == 0 or count == len(differences)
        if is_look and wins > losses and mcnemar_one_sided(wins, losses) < ALPHA:
            return True
    return False


RIVALS: Mapping[str, Callable[[Differences], bool]] = MappingProxyType(
    {
        "strict_mean": strict_mean,
        "tolerance_0.02": tolerance,
        "any_regression": any_regression,
        "paired_1se": one_standard_error,
        "paired_1.96se": two_standard_errors,
        "mcnemar_peeked": mcnemar_peeked,
    }
)
"""Rules by the name they have in results."""


def _exceeds(differences: Differences, errors: float) -> bool:
    n = len(differences)
    if n < 2:
        return False
    mean = _mean(differences)
    variance = sum((difference - mean) ** 2 for difference in differences) / (n - 1)
    return mean > 0 and mean > errors * sqrt(variance / n)


def _mean(differences: Differences) -> float:
    return sum(differences) / len(differences) if differences else 0.0
