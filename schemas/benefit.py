"""Rows of diagnosis: benefit rates, decision points, forks, following checks, gaps."""

from typing import Literal

from schemas.fields import (
    ArtifactId,
    Count,
    CycleId,
    GapType,
    HarnessId,
    Outcome,
    PointId,
    Row,
    SnapshotId,
    TrajectoryId,
    UnitInterval,
)


class BenefitRateRow(Row):
    """How much of a reference model's gain another model gets from the same harness."""

    cycle_id: CycleId
    """Cycle that measured it."""
    environment: str
    """Environment."""
    model: str
    """Model under diagnosis."""
    reference: str
    """Reference model."""
    base_harness_id: HarnessId
    """Harness before."""
    updated_harness_id: HarnessId
    """Harness after."""
    tasks: Count
    """Paired tasks."""
    gain: float | None
    """Mean paired gain of the model."""
    gain_lo: float | None
    """Lower end of its 95 % interval."""
    gain_hi: float | None
    """Upper end of its 95 % interval."""
    reference_gain: float | None
    """Mean paired gain of the reference."""
    hbr: float | None
    """gain / reference_gain; null unless status is `ok`."""
    hbr_lo: float | None
    """Lower end of the Fieller interval."""
    hbr_hi: float | None
    """Upper end of the Fieller interval."""
    hbr_headroom: float | None
    """The same ratio with each gain divided by the room left above the base."""
    status: Literal["ok", "unbounded", "reference_harmed", "both_zero", "no_pairs"]
    """Why the ratio is or is not defined."""
    activation: UnitInterval | None
    """Share of runs with a valid load among those where an artifact's trigger held."""
    following: UnitInterval | None
    """Share of loaded runs that followed what they loaded."""


class DecisionPointRow(Row):
    """A step at which an artifact's trigger held, or at which a run left what it had loaded."""

    decision_point_id: PointId
    """Hash of cycle, trajectory, step and artifact."""
    cycle_id: CycleId
    """Cycle that found it."""
    trajectory_id: TrajectoryId
    """The trajectory."""
    step_index: Count
    """The step."""
    artifact_id: ArtifactId
    """The artifact."""
    family: str
    """Task family."""
    model: str
    """Model that acted."""
    called: bool
    """Whether a valid call of the artifact came within the window of its trigger."""
    followed: bool | None
    """Whether the loaded artifact was obeyed; null when it was not loaded."""
    outcome: Outcome
    """Outcome of the trajectory."""
    forked: bool
    """Whether the point was drawn for forks."""
    snapshot_id: SnapshotId | None
    """State the forks start from."""


class CounterfactualRow(Row):
    """One fork from a decision point."""

    decision_point_id: PointId
    """The decision point."""
    arm: Literal["none", "reference", "repaired"]
    """What was changed: nothing; the artifact's reference was put before the model; the reference
    model took over until the omitted checkpoints were kept."""
    repeat: Count
    """Which re-roll; arms share it."""
    trajectory_id: TrajectoryId
    """The forked trajectory."""
    invoked: bool
    """Whether the artifact was called within the window; where it had been loaded, obeyed."""
    success: bool | None
    """Whether the fork succeeded; null for a fault."""


class FollowingCheckRow(Row):
    """Whether one checkpoint of a loaded artifact was kept in one trajectory."""

    trajectory_id: TrajectoryId
    """The trajectory."""
    artifact_id: ArtifactId
    """The artifact."""
    checkpoint: Count
    """Position of the checkpoint in the artifact."""
    text: str
    """The checkpoint."""
    verdict: Literal["followed", "omitted", "violated", "unobserved"]
    """What the steps show."""
    step_index: Count | None
    """Step that shows it."""


class BenefitGapRow(Row):
    """Expected success per task that a cure for one kind of gap would recover."""

    cycle_id: CycleId
    """Cycle that measured it."""
    model: str
    """Model."""
    environment: str
    """Environment."""
    family: str
    """Task family."""
    gap_type: GapType
    """activation: should have been used and was not; following: was used and not obeyed."""
    artifact_id: ArtifactId
    """The artifact."""
    reach: UnitInterval
    """Share of the family's tasks in which the trigger holds."""
    prevalence: UnitInterval
    """Share of those runs that show the gap."""
    effect: float | None
    """Success lift of the cure at decision points; null when it was not measured."""
    effect_lcb: float | None
    """Lower 80 % bound of the effect, floored at 0."""
    severity: UnitInterval
    """reach x prevalence x effect_lcb."""
    points: Count
    """Decision points behind the effect."""
    verdict: Literal["cures", "called_in_vain", "not_called", "nudge", "undecided", "unmeasured"]
    """What the forks say: the cure is taken up and helps; taken up without help; not taken up;
    helps without being taken up; no help, but taken up too seldom to tell; no forks."""
    failed_runs: Count
    """Failed runs of the family that show the gap."""
    unexplained_runs: Count
    """Failed runs of the family in which the artifact was called and followed, or not due."""
