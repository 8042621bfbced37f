"""What a cure is worth: success with it minus success without, over forks with common luck."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.statistics.noninferiority import paired_lower_bound
from tasks.statistics.stratified import Stratum, mh_test

SIGNIFICANT = 0.05

Verdict = Literal["cures", "called_in_vain", "not_called", "nudge", "undecided", "unmeasured"]


@dataclass(frozen=True)
class Arm:
    """One fork: whether it took up the cure, and whether it succeeded (null for a fault)."""

    is_invoked: bool
    is_success: bool | None


@dataclass(frozen=True)
class Pair:
    """Two forks of one point and repeat, without and with the cure."""

    point_id: str
    natural: Arm
    cured: Arm

    @property
    def is_judged(self) -> bool:
        """Whether both forks have an outcome."""
        return self.natural.is_success is not None and self.cured.is_success is not None


@dataclass(frozen=True)
class Effect:
    """Success lift of a cure with its lower bound, floored at 0, and what kind of cure it is."""

    value: float | None
    lcb: float | None
    points: int
    verdict: Verdict


UNMEASURED = Effect(None, None, 0, "unmeasured")


def measure_effect(pairs: Sequence[Pair], confidence: float) -> Effect:
    """Mean lift over the judged pairs; a fault takes its partner out with it.

    The bound is sound without a single discordant pair (`paired_lower_bound`); repeats of a point
    count as pairs of their own, as in a Mantel-Haenszel table over points (methods.md D.3).
    """
    judged = [pair for pair in pairs if pair.is_judged]
    wins = sum(bool(p.cured.is_success and not p.natural.is_success) for p in judged)
    losses = sum(bool(p.natural.is_success and not p.cured.is_success) for p in judged)
    bound = paired_lower_bound(wins, losses, len(judged), len(judged), confidence=confidence)
    if bound is None:
        return UNMEASURED
    points = len({pair.point_id for pair in judged})
    lcb = max(0.0, bound.lo)
    return Effect(bound.value, lcb, points, _verdict(judged, is_helping=lcb > 0))


def _verdict(pairs: Sequence[Pair], *, is_helping: bool) -> Verdict:
    """Read invocation and success together, as the table of methods.md D.3 does.

    Without the arms for a placebo and the full body, `called_in_vain` stays open between a
    protocol failure, a following failure and an omission that is not the cause.
    """
    if is_helping:
        won = [pair for pair in pairs if pair.cured.is_success and not pair.natural.is_success]
        taken_up = sum(pair.cured.is_invoked for pair in won)
        return "cures" if 2 * taken_up > len(won) else "nudge"
    if _is_invoked_more(pairs):
        return "called_in_vain"
    gained = sum(pair.cured.is_invoked - pair.natural.is_invoked for pair in pairs)
    return "undecided" if gained > 0 else "not_called"


def _is_invoked_more(pairs: Sequence[Pair]) -> bool:
    counts: dict[str, list[int]] = {}
    for pair in pairs:
        point = counts.setdefault(pair.point_id, [0, 0, 0])
        point[0] += pair.cured.is_invoked
        point[1] += pair.natural.is_invoked
        point[2] += 1
    test = mh_test([Stratum(cured, n, natural, n) for cured, natural, n in counts.values()])
    return test.p_one_sided is not None and test.p_one_sided <= SIGNIFICANT
