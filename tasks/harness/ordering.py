"""Which of several results wins: by kind, then by file order; the rest are suppressed."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from .results import Proposed
from .values import InterventionKind

WITHOUT_CALL: tuple[InterventionKind, ...] = ("rescue", "block")
WITH_CALL: tuple[InterventionKind, ...] = ("block", "rewrite")
AFTERWARDS: tuple[InterventionKind, ...] = ("stop", "force", "hint")


@dataclass(frozen=True)
class Ranked:
    """The result that takes effect, if any, and those that do not, in file order."""

    winner: Proposed | None
    suppressed: tuple[Proposed, ...]


def rank(
    proposed: Iterable[Proposed],
    order: Sequence[InterventionKind],
    *,
    exhausted: Collection[InterventionKind] = (),
) -> Ranked:
    """Choose one result; kinds outside `order`, and those whose budget is spent, cannot win."""
    given = tuple(proposed)
    for kind in order:
        if kind in exhausted:
            continue
        for candidate in given:
            if candidate.kind == kind:
                return Ranked(candidate, tuple(p for p in given if p is not candidate))
    return Ranked(None, given)
