"""One round of the gate: slots, bundles, budgets, fallbacks, pruning; a decision for every edit.

Where replies vary the noise floor is measured first. Then exposure trials on train forks rank the
clean edits and refuse those that clearly do harm. Clean decoys enter the paired gate singly, the
other clean edits as one bundle. Before a bundle spends a slot it is run on the must-pass train
tasks, and edits that lose one are dropped there: train evidence refuses, it never commits. A
bundle that fails on `select` is retried

- without the edits that lost the counted pairs, or whose gain does not survive other names, on
  pairs of the order that no trial of the bundle has read: the choice was made with the pairs
  already read, so they cannot judge it;
- when it only uses too many tokens, without its longest texts: chosen by length, not by outcome;
- else in two parts fixed beforehand, rule edits and text edits, when it lost pairs at all. Without
  losses no part can do better than the whole.

Each retry spends a slot. `threshold = 20 S` bounds the chance that any of S slots accepts an edit
without effect by .05, whatever was tried before.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemas.gate import ExposureTrialRow, GateDecisionRow, PairedTrialRow, ReplayCheckRow
from schemas.harness import EditPredictionRow
from tasks.agent.protocols import Task
from tasks.gate.arms import CanTouch, always_touches
from tasks.gate.attempt import Attempt, attempt
from tasks.gate.blame import blame_losses
from tasks.gate.budget import LossLedger, must_pass_losses
from tasks.gate.bundles import fit_together
from tasks.gate.candidate import Candidate, GateWorld
from tasks.gate.exposure import expose, reorder
from tasks.gate.fallback import shed_text, split_bundle
from tasks.gate.findings import Checked, as_json, decide_by_trial
from tasks.gate.noise import Noise, measure_noise
from tasks.gate.pairs import order_tasks
from tasks.gate.prune import Removal, prune_bundle
from tasks.gate.state import RoundState
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
    exposures: tuple[ExposureTrialRow, ...] = ()


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
    order = order_tasks(world.select, world.seed)
    clean = [entry.candidate for entry in checked if entry.is_clean]
    noise = await measure_noise(world, base, order) if clean and slots > 0 else None
    state = RoundState(
        world=_as_measured(world, noise),
        base=base,
        slots=slots,
        first_slot=first_slot,
        can_touch=can_touch,
        order=order,
        edits={entry.candidate.edit_id: entry for entry in checked},
        flip_rate=noise.flip_rate if noise else None,
    )
    for entry in checked:
        if not entry.is_clean:
            state.settle_early(entry.candidate, entry.reason)
    exposed = ()
    forecasts = ()
    if noise and noise.is_broken:
        _settle_broken(state, clean, noise)
    else:
        edits, exposed, forecasts = await _expose(state, clean)
        await _try_all(state, edits)
    if noise:
        state.trials["noise"] = noise.rows
    harness = await _prune(state)
    return RoundResult(
        harness=harness,
        accepted=tuple(edit.edit_id for edit in state.accepted),
        decisions=tuple(
            state.decisions[entry.candidate.edit_id].model_copy(
                update={"objective": world.settings.objective}
            )
            for entry in checked
        ),
        replays=tuple(entry.replay for entry in checked if entry.replay),
        trials=tuple(row for rows in state.trials.values() for row in rows),
        predictions=(*(row for entry in checked for row in entry.predictions), *forecasts),
        slots_spent=state.spent,
        exposures=exposed,
    )


def _as_measured(world: GateWorld, noise: Noise | None) -> GateWorld:
    """A model that should always reply alike and does not is treated as one whose replies vary."""
    if noise and noise.flips and world.is_deterministic:
        return replace(world, is_deterministic=False)
    return world


def _settle_broken(state: RoundState, edits: Sequence[Candidate], noise: Noise) -> None:
    seen = f"{noise.wins} won and {noise.losses} lost of {noise.pairs} pairs"
    note = f"The harness in force differs from itself ({seen}): pairs show nothing here."
    for edit in edits:
        state.settle_early(edit, "insufficient_evidence", note, "paired")


async def _expose(
    state: RoundState, edits: Sequence[Candidate]
) -> tuple[list[Candidate], tuple[ExposureTrialRow, ...], tuple[EditPredictionRow, ...]]:
    """Edits that train forks do not refuse, best first, and what the forks showed."""
    if not state.has_slot:
        return list(edits), (), ()
    exposed = await expose(state.world, edits)
    for edit in edits:
        if edit.edit_id in exposed.refused:
            note = exposed.refused[edit.edit_id]
            state.settle_early(edit, "regression", note, "exposure")
    kept = [edit for edit in edits if edit.edit_id not in exposed.refused]
    return reorder(kept, exposed.order), exposed.rows, exposed.predictions


async def _try_all(state: RoundState, edits: Sequence[Candidate]) -> None:
    for decoy in (edit for edit in edits if edit.is_decoy):
        await _try(state, [decoy], state.order)
    real = _compatible(state, [edit for edit in edits if not edit.is_decoy])
    await _try(state, await _screen(state, real), state.order)


def _compatible(state: RoundState, edits: Sequence[Candidate]) -> list[Candidate]:
    """Edits that fit into one bundle; a later one that collides with an earlier is refused."""
    fitting, collisions = fit_together(state.base, [*state.accepted, *edits])
    for edit, why in collisions:
        note = f"It collides with an earlier edit of the round: {why}."
        state.settle_early(edit, "duplicate", note)
    return [edit for edit in fitting if edit not in state.accepted]


async def _screen(state: RoundState, edits: list[Candidate]) -> list[Candidate]:
    """Drop edits that lose a must-pass task, until the rest of the bundle loses none."""
    while edits and state.world.must_pass and state.has_slot:
        arms = state.arms(edits)
        lost = await must_pass_losses(arms, LossLedger(arms))
        if not lost:
            break
        blamed = await blame_losses(state.world, arms.old, edits, [pair.task for pair in lost])
        for edit in edits:
            if edit.edit_id in blamed:
                tasks = ", ".join(blamed[edit.edit_id][:5])
                note = f"It loses train tasks that always passed before: {tasks}."
                state.settle_early(edit, "regression", note, "screen")
        edits = [edit for edit in edits if edit.edit_id not in blamed]
    return edits


async def _try(state: RoundState, edits: Sequence[Candidate], order: Sequence[Task]) -> None:
    """Spend a slot on a group of edits and, if it fails, what is sensible on its parts."""
    if not edits:
        return
    if not state.has_slot:
        for edit in edits:
            if edit.edit_id not in state.decisions:
                state.settle_early(edit, "no_slot", "Every slot of this run has been spent.")
        return
    made = await attempt(state, edits, order)
    for edit in edits:
        state.decisions[edit.edit_id] = decide_by_trial(
            edit.edit_id, state.world.cycle_id, made.trial, made.slot, made.outcome
        )
    if made.outcome.reason == "evidence":
        state.accepted += edits
        return
    if made.leaky:
        await _retry_without_leaks(state, edits, order, made)
    elif len(edits) > 1:
        await _retry(state, edits, order, made)


async def _retry_without_leaks(
    state: RoundState, edits: Sequence[Candidate], order: Sequence[Task], made: Attempt
) -> None:
    """Judge the edits that no renamed task spoke against by pairs nobody has read."""
    rest = [edit for edit in edits if edit.edit_id not in made.leaky]
    fresh = order[len(made.trial.all_pairs) :]
    for edit in rest:
        note = "Its bundle held an edit that had learnt names; too few pairs are left to judge it."
        decision = state.decisions[edit.edit_id]
        changes = {"verdict": "undecided", "reason": "insufficient_evidence"}
        state.decisions[edit.edit_id] = decision.model_copy(
            update={**changes, "findings": as_json([note])}
        )
    if rest and len(fresh) >= wins_needed(0, state.world.settings.threshold):
        await _try(state, rest, fresh)


async def _retry(
    state: RoundState, edits: Sequence[Candidate], order: Sequence[Task], made: Attempt
) -> None:
    trial = made.trial
    lost = made.must_pass or tuple(pair.task for pair in trial.regressions)
    if made.outcome.reason == "regression" and trial.process.crossed_at is not None and lost:
        rest, fresh = await _without_blamed(state, edits, order, made, lost)
        if rest and len(fresh) >= wins_needed(0, state.world.settings.threshold):
            await _try(state, rest, fresh)
            return
    if made.outcome.reason == "token_budget":
        await _try(state, shed_text(edits, made.excess), order)
    elif trial.process.losses:
        for part in split_bundle(edits):
            await _try(state, part, order)


async def _without_blamed(
    state: RoundState,
    edits: Sequence[Candidate],
    order: Sequence[Task],
    made: Attempt,
    lost: Sequence[Task],
) -> tuple[list[Candidate], Sequence[Task]]:
    """Edits that lost none of the tasks, and the pairs that may judge them."""
    blamed = await blame_losses(state.world, state.arms(edits).old, edits, lost)
    rest = [edit for edit in edits if edit.edit_id not in blamed]
    # Losses of train tasks were found without looking at select, so its pairs may be read again.
    fresh = order if made.must_pass else order[len(made.trial.all_pairs) :]
    return rest, fresh


async def _prune(state: RoundState) -> Harness:
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
    said = [str(text) for text in json.loads(decision.findings)]
    if not removal.is_removed:
        return decision.model_copy(update={"findings": as_json([*said, f"Kept. {tried}"])})
    return decision.model_copy(
        update={
            "stage": "prune",
            "verdict": "rejected" if removal.is_untouched else "undecided",
            "reason": "inert" if removal.is_untouched else "insufficient_evidence",
            "findings": as_json([*said, f"Removed after the commit of its bundle. {tried}"]),
        }
    )
