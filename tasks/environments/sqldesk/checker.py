"""Judges an episode: answers by value, changes by the content of the table."""

import math
from collections.abc import Sequence

RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 0.005


def answers_match(given: Sequence[str], gold: Sequence[str], *, is_set: bool) -> bool:
    """Compare two lists of values; numbers with a tolerance, order only when it matters."""
    if len(given) != len(gold):
        return False
    if not is_set:
        return all(_same(one, other) for one, other in zip(given, gold, strict=True))
    left = list(gold)
    for value in given:
        hit = next((place for place, other in enumerate(left) if _same(value, other)), None)
        if hit is None:
            return False
        left.pop(hit)
    return True


def _same(given: str, gold: str) -> bool:
    one, other = _number(given), _number(gold)
    if one is not None and other is not None:
        return math.isclose(
            one, other, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE + 1e-9
        )
    return given.strip() == gold.strip()


def _number(text: str) -> float | None:
    if len(text) > 64:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
