"""One group of edits in the paired gate: a slot, a trial, and what must hold once it has crossed.

After the evidence: tokens, must-pass tasks, won tasks under other names. The first that does not
hold gives the reason.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tasks.agent.protocols import Task
from tasks.gate.arms import Arms
from tasks.gate.budget import LossLedger, must_pass_losses, token_increase
from tasks.gate.candidate import Candidate
from tasks.gate.findings import Outcome
from tasks.gate.paired import Trial, run_trial
from tasks.gate.power import resolvable_gain
from tasks.gate.reskin import try_reskins
from tasks.gate.state import RoundState

RARE_TASKS = 3
"""Train tasks of a family below which its edits have hardly seen it."""
RARE_SHARE = 0.25
"""Share of a family among train tasks over its share among select tasks, likewise."""


@dataclass(frozen=True)
class Attempt:
    """A trial of a group of edits and how it came out.

    Attributes:
        must_pass: train tasks that it loses.
        excess: measured token increase over the allowed one.
        leaky: edits whose gain does not survive other names.
    """

    trial: Trial
    slot: int
    outcome: Outcome
    must_pass: tuple[Task, ...] = ()
    excess: float = 1.0
    leaky: tuple[str, ...] = ()


async def attempt(state: RoundState, edits: Sequence[Candidate], order: Sequence[Task]) -> Attempt:
    """Spend a slot on a group of edits."""
    arms = state.arms(edits)
    predicted = frozenset[str]().union(*(edit.predicted_risks for edit in edits))
    ledger = LossLedger(arms, predicted)
    slot = state.first_slot + state.spent
    state.spent += 1
    trial = await run_trial(arms, order, ledger, first_ordinal=len(state.order) - len(order))
    state.trials[trial.trial_id] = trial.rows
    made = await _judge(state, edits, Attempt(trial, slot, _by_pairs(trial, len(order))), ledger)
    rare = rare_families(arms, trial)
    outcome = replace(
        made.outcome,
        notes=(*made.outcome.notes, *_coverage_notes(rare)),
        token_increase=token_increase(trial.all_pairs),
        rare_families=rare,
        flip_rate=state.flip_rate,
    )
    return replace(made, outcome=outcome)


async def _judge(
    state: RoundState, edits: Sequence[Candidate], made: Attempt, ledger: LossLedger
) -> Attempt:
    if made.trial.stop != "evidence":
        return made
    increase = token_increase(made.trial.all_pairs)
    declared = sum(edit.declared_token_increase for edit in edits)
    allowed = max(state.world.settings.token_increase, declared)
    if increase is not None and increase > allowed:
        note = f"It uses {increase:.0%} more tokens; {allowed:.0%} are allowed."
        excess = increase / allowed if allowed else increase + 1
        return replace(made, outcome=Outcome("budget", "token_budget", (note,)), excess=excess)
    lost = await must_pass_losses(ledger.arms, ledger)
    if lost:
        note = f"It loses {len(lost)} train tasks that always passed before; none is allowed."
        tasks = tuple(pair.task for pair in lost)
        return replace(made, outcome=Outcome("budget", "regression", (note,)), must_pass=tasks)
    return await _judge_reskins(state, edits, made, ledger.arms)


async def _judge_reskins(
    state: RoundState, edits: Sequence[Candidate], made: Attempt, arms: Arms
) -> Attempt:
    tried = await try_reskins(arms, made.trial, edits)
    if tried is None:
        notes = (*made.outcome.notes, "Renamed tasks: not checked, the environment has none.")
        return replace(made, outcome=replace(made.outcome, notes=notes))
    if tried.rows:
        state.trials[tried.rows[0].trial_id] = tried.rows
    seen = {"reskin_pairs": tried.pairs, "reskin_gain": tried.gain}
    if not tried.leaky:
        notes = (*made.outcome.notes, tried.note)
        return replace(made, outcome=replace(made.outcome, notes=notes, **seen))
    note = f"{tried.note} Half of that is needed: it has learnt names, not the task."
    outcome = replace(Outcome("reskin", "leak", (note,)), **seen)
    return replace(made, outcome=outcome, leaky=tried.leaky)


def rare_families(arms: Arms, trial: Trial) -> tuple[str, ...]:
    """Families that the trial touched and that train tasks hardly cover; empty when unknown."""
    train = arms.world.train_families
    if not train:
        return ()
    select = Counter(task.family for task in arms.world.select)
    touched = {pair.task.family for pair in trial.read if not pair.by_construction}
    in_train, in_select = sum(train.values()), sum(select.values())
    return tuple(
        family
        for family in sorted(touched)
        if train.get(family, 0) < RARE_TASKS
        or train[family] / in_train < RARE_SHARE * select[family] / in_select
    )


def _coverage_notes(rare: Sequence[str]) -> tuple[str, ...]:
    if not rare:
        return ()
    named = ", ".join(rare[:5])
    return (f"Hardly any train task is of the families {named}: what it does there is new.",)


def _by_pairs(trial: Trial, cap: int) -> Outcome:
    gain = _resolvable(trial, cap)
    return Outcome("paired", trial.stop, _trial_notes(trial, cap, gain), gain)


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
