"""Rows of the gate: replay checks, exposure and paired trials, decisions, calibrations."""

from typing import Literal

from schemas.fields import (
    Count,
    CycleId,
    EditId,
    HarnessId,
    JsonText,
    NonNegative,
    Objective,
    Reason,
    Row,
    TrajectoryId,
    TrialId,
    UnitInterval,
    Verdict,
)

GateStage = Literal["static", "replay", "exposure", "screen", "paired", "budget", "reskin", "prune"]


class ReplayCheckRow(Row):
    """What one edit's artifact would have done to stored trajectories."""

    edit_id: EditId
    """The edit."""
    artifact: str
    """The artifact replayed."""
    fires_on_failures: Count
    """Failed trajectories in which it fires."""
    fires_on_successes: Count
    """Successful trajectories in which it fires and changes something."""
    failures: Count
    """Failed trajectories replayed."""
    successes: Count
    """Successful trajectories replayed."""
    trigger_precision: UnitInterval | None
    """Share of fires that fall on failed trajectories; null when it never fires."""
    false_fire: UnitInterval | None
    """Share of successes it would change; null when there is no success."""
    coverage: UnitInterval | None
    """Share of its pattern in which it fires no later than the decisive step."""
    tasks_at_risk: JsonText
    """Tasks whose passing episodes it would touch."""
    passed: bool
    """Whether replay found nothing against it."""
    reason: Reason
    """Reason code of the finding; `evidence` when it passed."""


class ExposureTrialRow(Row):
    """One stored train run, gone on with from the moment an edit would act, with and without it."""

    edit_id: EditId
    """The edit."""
    source_trajectory_id: TrajectoryId
    """Stored run of the harness in force that was left at that moment."""
    repeat: Count
    """Which continuation, from 0; both arms share its luck."""
    cycle_id: CycleId
    """Cycle that ran it."""
    task_id: str
    """Train task."""
    step_index: Count
    """Step from which both arms go on."""
    rung: Count
    """Rung of the race in which it was run, from 1; later rungs hold fewer edits."""
    old_trajectory_id: TrajectoryId | None
    """Continuation without the edit; the source itself when the model always replies alike."""
    new_trajectory_id: TrajectoryId | None
    """Continuation with the edit."""
    result: Literal["win", "loss", "tie", "invalid"]
    """Sign of the difference; invalid when either arm is a fault."""


class PairedTrialRow(Row):
    """One pair of a paired trial: the same task and seed under two harnesses."""

    trial_id: TrialId
    """Hash of cycle, both harnesses, split and order seed."""
    task_id: str
    """The task."""
    ordinal: Count
    """Position in the order that was fixed before the candidate existed."""
    cycle_id: CycleId
    """Cycle that ran it."""
    purpose: Literal["gate", "prune", "ablation", "noise", "reskin", "repeat"]
    """What the trial decides; `noise` compares the harness in force with itself."""
    old_harness_id: HarnessId
    """Harness in force."""
    new_harness_id: HarnessId
    """Candidate."""
    old_trajectory_id: TrajectoryId | None
    """First trajectory under the harness in force."""
    new_trajectory_id: TrajectoryId | None
    """First trajectory under the candidate; null when the pair is a tie by construction."""
    old_score: UnitInterval | None
    """Mean of the objective over repeats; null when the pair is invalid."""
    new_score: UnitInterval | None
    """Mean of the objective over repeats; null when the pair is invalid."""
    result: Literal["win", "loss", "tie", "invalid"]
    """Sign of the difference; invalid when either arm is a fault."""
    by_construction: bool
    """Whether the pair is a tie without a rollout: the candidate provably cannot touch the stored
    run, or, in pruning, the stored run scores nothing and so cannot be lost."""
    e_value: NonNegative
    """e-value after this pair."""
    new_first: bool | None = None
    """Whether the coin had the candidate go first; null when only one arm was run."""
    objective: Objective = "success"
    """What wins a pair."""


class GateDecisionRow(Row):
    """The gate's verdict on one edit."""

    edit_id: EditId
    """The edit."""
    cycle_id: CycleId
    """The cycle."""
    stage: GateStage
    """Stage that decided."""
    verdict: Verdict
    """accepted, rejected or undecided."""
    reason: Reason
    """Reason code."""
    trial_id: TrialId | None
    """Paired trial it rests on."""
    slot: Count | None
    """Slot that was spent, from 1."""
    wins: Count
    """Pairs the candidate won."""
    losses: Count
    """Pairs the candidate lost."""
    ties: Count
    """Pairs without a difference."""
    e_value: NonNegative | None
    """e-value at the decision."""
    threshold: NonNegative | None
    """e-value that was needed."""
    delta: float | None
    """Mean paired difference of the objective."""
    delta_lo: float | None
    """Lower end of its 95 % interval."""
    delta_hi: float | None
    """Upper end of its 95 % interval."""
    regressions: Count
    """Lost pairs that count against the budget."""
    resolvable_gain: UnitInterval | None = None
    """Smallest gain that the pairs at hand accept with power .8 at the loss rate seen;
    given where a trial or a missing slot left the edit undecided, null when no gain is resolved."""
    token_increase: float | None = None
    """Share by which the trial's candidate used more tokens; null when an endpoint counts none."""
    flip_rate: UnitInterval | None = None
    """Share of pairs that differ between two runs of the harness in force: the noise floor of the
    round; null for a model that always replies alike."""
    rare_families: JsonText = "[]"
    """Families that the trial's wins and losses come from and that are rare among train tasks."""
    reskin_pairs: Count | None = None
    """Won tasks that were tried again under other names and still left something to gain."""
    reskin_gain: float | None = None
    """Gain on them, of which half the gain on the originals is needed; null when not checked."""
    objective: Objective = "success"
    """What won a pair: success, or the share of turns that became actions. Budgets and must-pass
    tasks ask success, whatever it is."""
    findings: JsonText
    """What the deciding stage found, one sentence each."""


class GateCalibrationRow(Row):
    """How often one acceptance rule took candidates of known worth."""

    calibration_id: str
    """Hash of what was resampled and of everything that was set."""
    rule: str
    """`gate`, or the name of a rule in use elsewhere."""
    effect: str
    """`none` for the harness against itself, else the name of what was planted."""
    source: Literal["rollouts", "recorded"]
    """Whether runs of a live world were resampled, or a file of recorded trials."""
    environment: str
    """Environment, or the name of the file."""
    model: str
    """Model that made the runs; `recorded` for a file."""
    harness_id: HarnessId | None
    """Harness the runs were made in; null for a file."""
    planted_win: UnitInterval
    """Share of runs that the planted edits turn into successes."""
    planted_loss: UnitInterval
    """Share of runs that they turn into failures."""
    edits: Count
    """Planted edits that entered together."""
    pairs: Count
    """Most pairs a candidate could use."""
    repeats: Count
    """Runs per arm and task."""
    threshold: NonNegative | None
    """e-value that was needed; null for rules that know none."""
    candidates: Count
    """Candidates tried."""
    accepted: UnitInterval
    """Share accepted: false accepts where nothing was planted, else power."""
    undecided: UnitInterval | None
    """Share left undecided; null for rules that know no such verdict."""
    rejected: UnitInterval | None
    """Share rejected by the gate; null for other rules."""
    mean_pairs: NonNegative | None
    """Mean pairs read before the decision; null for rules that read all."""
    discordant_share: UnitInterval | None
    """Share of pairs whose arms differ."""
    seed: Count
    """Seed of all draws."""
