"""Clause-wise pruning after a commit: an edit goes when the bundle is no worse without it.

Each removal is compared with the *accepted* bundle, not with what pruning has left so far, so the
losses of several removals cannot add up past the margin. A removal stands when the one-sided 95 %
lower limit of without less with over all select pairs lies above -2 points, of the objective and
of success (`paired_lower_bound`: pairs that the removal provably cannot touch are exact ties). A
removal that would miss the margin even if all remaining pairs were ties is given up at once; that
errs on the side of keeping. Two things save rollouts: tasks that the bundle scores nothing on
cannot be lost, so they are ties without a rollout (a win there would only speak for the removal),
and tasks of the families that the edit was made for come first, because there a loss shows
soonest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schemas.gate import PairedTrialRow
from tasks.agent.protocols import Task
from tasks.gate.arms import Arms, CanTouch, always_touches
from tasks.gate.bundles import combine, take_out
from tasks.gate.candidate import Candidate, GateWorld
from tasks.gate.paired import trial_key, trial_rows
from tasks.gate.pairs import Pair, order_tasks
from tasks.harness import Harness
from tasks.statistics.evidence import EProcess, PairResult
from tasks.statistics.noninferiority import LowerBound, paired_lower_bound


@dataclass(frozen=True)
class Removal:
    """One try to do without an edit; wins are tasks solved only without it."""

    edit_id: str
    is_removed: bool
    wins: int
    losses: int
    ties: int
    touched: int
    bound: LowerBound | None
    trial_id: str
    rows: tuple[PairedTrialRow, ...]

    @property
    def is_untouched(self) -> bool:
        """Whether the edit provably changes no select run that the bundle solves."""
        return self.is_removed and self.touched == 0


@dataclass(frozen=True)
class Pruning:
    """What is left of a bundle, and every try."""

    harness: Harness
    kept: tuple[Candidate, ...]
    removals: tuple[Removal, ...]


async def prune_bundle(
    world: GateWorld,
    base: Harness,
    edits: Sequence[Candidate],
    *,
    can_touch: CanTouch = always_touches,
) -> Pruning:
    """Try to remove each edit, the last proposed first; the last one left always stays."""
    full = combine(base, edits)
    kept, harness = list(edits), full
    removals: list[Removal] = []
    for edit in reversed(edits):
        if len(kept) == 1:
            break
        rest = [other for other in kept if other.edit_id != edit.edit_id]
        without = take_out(harness, base, kept, edit)
        arms = Arms(world, full, without, can_touch, only_passed=True)
        removal = await try_removal(arms, edit)
        removals.append(removal)
        if removal.is_removed:
            kept, harness = rest, without
    return Pruning(harness, tuple(kept), tuple(removals))


async def try_removal(arms: Arms, edit: Candidate) -> Removal:
    """Compare the bundle with and without an edit until it must stay or all pairs are read."""
    world = arms.world
    order = _order(world, edit)
    read: list[Pair] = []
    is_open = True
    for start in range(0, len(order), world.settings.block):
        read += await arms.pair(order[start : start + world.settings.block], start)
        if not _is_non_inferior(read, len(order), world.settings.margin):
            is_open = False
            break
    trial_id = trial_key(arms, "prune")
    wins, losses, valid, touched = _counts(read, _by_objective)
    return Removal(
        edit_id=edit.edit_id,
        is_removed=is_open and valid > 0,
        wins=wins,
        losses=losses,
        ties=valid - wins - losses,
        touched=touched,
        bound=paired_lower_bound(wins, losses, touched, valid),
        trial_id=trial_id,
        rows=trial_rows(arms, trial_id, "prune", read, _e_values(read)),
    )


def _order(world: GateWorld, edit: Candidate) -> list[Task]:
    """Tasks of the families the edit is to fix first; within them the order of the gate."""
    families = {task_id.split("/")[1] for task_id in edit.predicted_fixes if "/" in task_id}
    order = order_tasks(world.select, world.seed)
    return sorted(order, key=lambda task: task.family not in families)


def _by_objective(pair: Pair) -> PairResult:
    return pair.result


def _by_success(pair: Pair) -> PairResult:
    return pair.success


def _is_non_inferior(read: Sequence[Pair], planned: int, margin: float) -> bool:
    """Whether nothing is lost without the edit: neither of the objective nor of success."""
    return all(_holds(_counts(read, by), len(read), planned, margin) for by in _QUESTIONS)


def _holds(counts: tuple[int, int, int, int], read: int, planned: int, margin: float) -> bool:
    wins, losses, valid, touched = counts
    unread = planned - read
    # Unread pairs count as touched ties in proportion to what was read.
    expected = touched + (round(unread * touched / valid) if valid else unread)
    bound = paired_lower_bound(wins, losses, expected, valid + unread)
    if unread and losses == 0:
        return True
    return bound is not None and bound.lo > -margin


_QUESTIONS = (_by_objective, _by_success)


def _counts(pairs: Sequence[Pair], by: Callable[[Pair], PairResult]) -> tuple[int, int, int, int]:
    wins = sum(by(pair) == "win" for pair in pairs)
    losses = sum(by(pair) == "loss" for pair in pairs)
    valid = sum(pair.is_valid for pair in pairs)
    touched = sum(pair.is_valid and not pair.by_construction for pair in pairs)
    return wins, losses, valid, touched


def _e_values(pairs: Sequence[Pair]) -> list[float]:
    process, values = EProcess(float("inf")), []
    for pair in pairs:
        process = process.after(pair.result)
        values.append(process.e_value)
    return values
