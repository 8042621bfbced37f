"""One round of the gate: slots, bundles, budgets, fallbacks, pruning; a decision for every edit.

Clean decoys enter the paired gate singly, the other clean edits as one bundle. Before a bundle
spends a slot it is run on the must-pass train tasks, and edits that lose one are dropped there:
train evidence refuses, it never commits. A bundle that fails on `select` is retried

- without the edits that lost the counted pairs, on pairs of the order that no trial of the bundle
  has read: the choice was made with the pairs already read, so they cannot judge it;
- when it only uses too many tokens, without its longest texts: chosen by length, not by outcome;
- else in two parts fixed beforehand, rule edits and text edits, when it lost pairs at all. Without
  losses no part can do better than the whole.

Each retry spends a slot. `threshold = 20 S` bounds the chance that any of S slots accepts an edit
without effect by .05, whatever was tried before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.fields import Reason
from schemas.gate import GateDecisionRow, PairedTrialRow, ReplayCheckRow
from schemas.harness import EditPredictionRow
from tasks.agent.protocols import Task
from tasks.gate.arms import Arms, CanTouch, always_touches
from tasks.gate.blame import blame_losses
from tasks.gate.budget import LossLedger, must_pass_losses, token_increase
from tasks.gate.bundles import combine, fit_together
from tasks.gate.candidate import Candidate, GateWorld
from tasks.gate.fallback import shed_text, split_bundle
from tasks.gate.findings import Checked, Outcome, as_json, decide_by_trial, decide_early
from tasks.gate.paired import Trial, run_trial
from tasks.gate.pairs import order_tasks
from tasks.gate.power import resolvable_gain
from tasks.gate.prune import Removal, prune_bundle
from tasks.harness import Harness
from tasks.statistics.evidence import wins_needed


@dataclass(frozen=True)
class RoundResult:
    """What a round of the gate leaves: the harness now in force and rows to land."""

    harness: Harness
    accepted: tuple[str, ...]
    decisions: tuple[GateDecisionRow, ...]
    replays: tuple[ReplayCheckRow, ...]
    trials: tuple[PairedTrialRow, ...]
    predictions: tuple[EditPredictionRow, ...]
    slots_spent: int


@dataclass(frozen=True)
class _Attempt:
    trial: Trial
    slot: int
    outcome: Outcome
    must_pass: tuple[Task, ...] = ()
    excess: float = 1.0
    """Measured token increase over the allowed one."""


@dataclass
class _Round:
    world: GateWorld
    base: Harness
    slots: int
    first_slot: int
    can_touch: CanTouch
    order: tuple[Task, ...]
    edits: dict[str, Checked]
    accepted: list[Candidate] = field(default_factory=list[Candidate])
    decisions: dict[str, GateDecisionRow] = field(default_factory=dict[str, GateDecisionRow])
    trials: dict[str, tuple[PairedTrialRow, ...]] = field(
        default_factory=dict[str, tuple[PairedTrialRow, ...]]
    )
    spent: int = 0

    def harness_with(self, edits: Sequence[Candidate]) -> Harness:
        """Build the harness in force plus some edits."""
        return combine(self.base, [*self.accepted, *edits])


async def decide_round(
    checked: Sequence[Checked],
    base: Harness,
    world: GateWorld,
    *,
    slots: int,
    first_slot: int = 1,
    can_touch: CanTouch = always_touches,
) -> RoundResult:
    """Judge the checked edits of one round; `slots` is how many may be spent here."""
    state = _Round(
        world=world,
        base=base,
        slots=slots,
        first_slot=first_slot,
        can_touch=can_touch,
        order=order_tasks(world.select, world.seed),
        edits={entry.candidate.edit_id: entry for entry in checked},
    )
    for entry in checked:
        if not entry.is_clean:
            _settle_early(state, entry.candidate, entry.reason)
    clean = [entry.candidate for entry in checked if entry.is_clean]
    for decoy in (edit for edit in clean if edit.is_decoy):
        await _try(state, [decoy], state.order)
    real = _compatible(state, [edit for edit in clean if not edit.is_decoy])
    await _try(state, await _screen(state, real), state.order)
    harness = await _prune(state)
    return RoundResult(
        harness=harness,
        accepted=tuple(edit.edit_id for edit in state.accepted),
        decisions=tuple(state.decisions[entry.candidate.edit_id] for entry in checked),
        replays=tuple(entry.replay for entry in checked if entry.replay),
        trials=tuple(row for rows in state.trials.values() for row in rows),
        predictions=tuple(row for entry in checked for row in entry.predictions),
        slots_spent=state.spent,
    )


def _compatible(state: _Round, edits: Sequence[Candidate]) -> list[Candidate]:
    """Edits that fit into one bundle; a later one that collides with an earlier is refused."""
    fitting, collisions = fit_together(state.base, [*state.accepted, *edits])
    for edit, why in collisions:
        note = f"It collides with an earlier edit of the round: {why}."
        _settle_early(state, edit, "duplicate", note)
    return [edit for edit in fitting if edit not in state.accepted]


async def _screen(state: _Round, edits: list[Candidate]) -> list[Candidate]:
    """Drop edits that lose a must-pass task, until the rest of the bundle loses none."""
    while edits and state.world.must_pass and state.spent < state.slots:
        arms = _arms(state, edits)
        lost = await must_pass_losses(arms, LossLedger(arms))
        if not lost:
            break
        blamed = await blame_losses(state.world, arms.old, edits, [pair.task for pair in lost])
        for edit in edits:
            if edit.edit_id in blamed:
                tasks = ", ".join(blamed[edit.edit_id][:5])
                note = f"It loses train tasks that always passed before: {tasks}."
                _settle_early(state, edit, "regression", note)
        edits = [edit for edit in edits if edit.edit_id not in blamed]
    return edits


async def _try(state: _Round, edits: Sequence[Candidate], order: Sequence[Task]) -> None:
    """Spend a slot on a group of edits and, if it fails, what is sensible on its parts."""
    if not edits:
        return
    if state.spent >= state.slots:
        for edit in edits:
            if edit.edit_id not in state.decisions:
                _settle_early(state, edit, "no_slot", "Every slot of this run has been spent.")
        return
    attempt = await _attempt(state, edits, order)
    for edit in edits:
        state.decisions[edit.edit_id] = decide_by_trial(
            edit.edit_id, state.world.cycle_id, attempt.trial, attempt.slot, attempt.outcome
        )
    if attempt.outcome.reason == "evidence":
        state.accepted += edits
        return
    if len(edits) > 1:
        await _retry(state, edits, order, attempt)


async def _attempt(state: _Round, edits: Sequence[Candidate], order: Sequence[Task]) -> _Attempt:
    arms = _arms(state, edits)
    predicted = frozenset[str]().union(*(edit.predicted_risks for edit in edits))
    ledger = LossLedger(arms, predicted)
    slot = state.first_slot + state.spent
    state.spent += 1
    first = len(state.order) - len(order)
    trial = await run_trial(arms, order, ledger, first_ordinal=first)
    state.trials[trial.trial_id] = trial.rows
    if trial.stop != "evidence":
        gain = _resolvable(trial, len(order))
        notes = _trial_notes(trial, len(order), gain)
        return _Attempt(trial, slot, Outcome("paired", trial.stop, notes, gain))
    increase = token_increase(trial.all_pairs)
    allowed = max(
        state.world.settings.token_increase, sum(e.declared_token_increase for e in edits)
    )
    if increase is not None and increase > allowed:
        note = f"It uses {increase:.0%} more tokens; {allowed:.0%} are allowed."
        outcome = Outcome("budget", "token_budget", (note,))
        return _Attempt(
            trial, slot, outcome, excess=increase / allowed if allowed else increase + 1
        )
    lost = await must_pass_losses(arms, ledger)
    if lost:
        note = f"It loses {len(lost)} train tasks that always passed before; none is allowed."
        tasks = tuple(pair.task for pair in lost)
        return _Attempt(trial, slot, Outcome("budget", "regression", (note,)), tasks)
    return _Attempt(trial, slot, Outcome("paired", "evidence", _trial_notes(trial, len(order))))


async def _retry(
    state: _Round, edits: Sequence[Candidate], order: Sequence[Task], attempt: _Attempt
) -> None:
    trial = attempt.trial
    lost = attempt.must_pass or tuple(pair.task for pair in trial.regressions)
    if attempt.outcome.reason == "regression" and trial.process.crossed_at is not None and lost:
        rest, fresh = await _without_blamed(state, edits, order, attempt, lost)
        if rest and len(fresh) >= wins_needed(0, state.world.settings.threshold):
            await _try(state, rest, fresh)
            return
    if attempt.outcome.reason == "token_budget":
        await _try(state, shed_text(edits, attempt.excess), order)
    elif trial.process.losses:
        for part in split_bundle(edits):
            await _try(state, part, order)


async def _without_blamed(
    state: _Round,
    edits: Sequence[Candidate],
    order: Sequence[Task],
    attempt: _Attempt,
    lost: Sequence[Task],
) -> tuple[list[Candidate], Sequence[Task]]:
    """Edits that lost none of the tasks, and the pairs that may judge them."""
    blamed = await blame_losses(state.world, _arms(state, edits).old, edits, lost)
    rest = [edit for edit in edits if edit.edit_id not in blamed]
    # Losses of train tasks were found without looking at select, so its pairs may be read again.
    fresh = order if attempt.must_pass else order[len(attempt.trial.all_pairs) :]
    return rest, fresh


async def _prune(state: _Round) -> Harness:
    edits = list(state.accepted)
    harness = state.harness_with([])
    if len(edits) < 2 or any(edit.is_decoy for edit in edits):
        return harness
    pruning = await prune_bundle(state.world, state.base, edits, can_touch=state.can_touch)
    for removal in pruning.removals:
        state.trials[removal.trial_id] = removal.rows
        decision = state.decisions[removal.edit_id]
        state.decisions[removal.edit_id] = _after_pruning(decision, removal)
    state.accepted = list(pruning.kept)
    return pruning.harness


def _after_pruning(decision: GateDecisionRow, removal: Removal) -> GateDecisionRow:
    tried = f"Without it: {removal.wins} won, {removal.losses} lost, {removal.ties} tied"
    tried += f" ({removal.touched} pairs it touches)."
    if not removal.is_removed:
        return decision.model_copy(update={"findings": as_json([f"Kept. {tried}"])})
    return decision.model_copy(
        update={
            "stage": "prune",
            "verdict": "rejected" if removal.is_untouched else "undecided",
            "reason": "inert" if removal.is_untouched else "insufficient_evidence",
            "findings": as_json([f"Removed after the commit of its bundle. {tried}"]),
        }
    )


def _arms(state: _Round, edits: Sequence[Candidate]) -> Arms:
    old, new = state.harness_with([]), state.harness_with(edits)
    return Arms(state.world, old, new, state.can_touch)


def _settle_early(state: _Round, edit: Candidate, reason: Reason, note: str = "") -> None:
    entry = state.edits[edit.edit_id]
    gain = None
    if reason == "no_slot":
        gain = resolvable_gain(len(state.order), state.world.settings.threshold)
    row = decide_early(entry, state.world.cycle_id, reason, gain)
    if note:
        row = row.model_copy(update={"findings": as_json([note, *entry.notes])})
    state.decisions[edit.edit_id] = row


def _resolvable(trial: Trial, cap: int) -> float | None:
    """Smallest gain that the trial could have shown; null when it decided something."""
    if trial.stop not in ("futile", "insufficient_evidence"):
        return None
    process = trial.process
    loss_rate = process.losses / process.pairs if process.pairs else 0.0
    return resolvable_gain(cap, process.threshold, loss_rate=loss_rate)


def _trial_notes(trial: Trial, cap: int, gain: float | None = None) -> tuple[str, ...]:
    process = trial.process
    counts = f"{process.wins} won, {process.losses} lost, {process.ties} tied"
    notes = [f"{counts}; e = {process.e_value:.4g}, needed {process.threshold:g}."]
    if trial.regressions:
        notes.append(f"{len(trial.regressions)} lost pairs count as regressions.")
    if trial.stop in ("futile", "insufficient_evidence"):
        if gain is None:
            notes.append(f"{cap} pairs cannot show any gain at this threshold and loss rate.")
        else:
            notes.append(f"The smallest gain that {cap} pairs resolve is {100 * gain:.1f} points.")
    return tuple(notes)
