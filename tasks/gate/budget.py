"""Regression and token budgets of design.md 7.

Losses are of success, whatever the objective. A lost pair counts when the harness in force solves
the task and the candidate does not: at temperature 0 by the one run there is, else after reruns of
both arms on two fresh repeats (old at least 2/3, new at most 1/3 over all runs of the pair, and the
fresh runs alone lose again). The pair was picked because it was lost, so without the last condition
more than half of all losses of a harness against itself would count where a task is solved every
second time. Lost tasks that an edit's manifest names as risks are not counted. At most max(1, 2 %
of the pairs) may count, and none on the must-pass set.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.episode import Episode
from tasks.gate.arms import Arms
from tasks.gate.pairs import Pair, mean_score, tokens_of

OLD_SOLVES = 2 / 3
NEW_SOLVES = 1 / 3


def allowed_regressions(pairs: int, share: float) -> int:
    """Lost pairs that may count: max(1, share of the pairs)."""
    return max(1, int(pairs * share + 1e-9))


@dataclass
class LossLedger:
    """Which lost pairs count; each is rerun at most once however often it is asked for."""

    arms: Arms
    predicted: frozenset[str] = frozenset()
    _counts: dict[str, bool] = field(default_factory=dict[str, bool])

    async def regressions(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Lost pairs that count, in the order given."""
        lost = self._unpredicted(pairs)
        await self._settle([pair for pair in lost if pair.task.task_id not in self._counts])
        return [pair for pair in lost if self._counts[pair.task.task_id]]

    def certain(self, pairs: Sequence[Pair]) -> int:
        """Lost pairs that count without a rerun: all at temperature 0, else none."""
        return len(self._unpredicted(pairs)) if self.arms.world.is_deterministic else 0

    def _unpredicted(self, pairs: Sequence[Pair]) -> list[Pair]:
        return [p for p in pairs if p.success == "loss" and p.task.task_id not in self.predicted]

    async def _settle(self, lost: Sequence[Pair]) -> None:
        if not lost:
            return
        if self.arms.world.is_deterministic:
            self._counts.update({pair.task.task_id: True for pair in lost})
            return
        fresh = await self.arms.rerun([pair.task for pair in lost])
        for pair in lost:
            self._counts[pair.task.task_id] = _is_confirmed(pair, *fresh[pair.task.task_id])


async def must_pass_losses(arms: Arms, ledger: LossLedger) -> list[Pair]:
    """Must-pass tasks that the candidate loses; predictions excuse none of them."""
    pairs = await arms.pair(arms.world.must_pass)
    strict = LossLedger(ledger.arms)
    return await strict.regressions(pairs)


def token_increase(pairs: Sequence[Pair]) -> float | None:
    """Share by which the candidate uses more tokens over the valid pairs.

    Ties by construction cost the same on both sides. Null when an endpoint does not count.
    """
    before = after = 0
    for pair in pairs:
        if not pair.is_valid:
            continue
        old = tokens_of(pair.old)
        new = old if pair.by_construction else tokens_of(pair.new)
        if old is None or new is None:
            return None
        before, after = before + old, after + new
    return after / before - 1 if before else None


def _is_confirmed(pair: Pair, more_old: Sequence[Episode], more_new: Sequence[Episode]) -> bool:
    old, new = mean_score([*pair.old, *more_old]), mean_score([*pair.new, *more_new])
    fresh_old, fresh_new = mean_score(more_old), mean_score(more_new)
    repeats = fresh_old is None or fresh_new is None or fresh_old > fresh_new
    return repeats and _at_least(old, OLD_SOLVES) and _at_least(NEW_SOLVES, new)


def _at_least(value: float | None, bound: float | None) -> bool:
    return value is not None and bound is not None and value >= bound - 1e-9
