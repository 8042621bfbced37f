"""Small values that flows hand from stage to stage: ids and counts, never rows."""

from pydantic import BaseModel, ConfigDict

from schemas.forms import CycleForm


class Plan(BaseModel):
    """Base of what a stage takes and returns."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CyclePlan(Plan):
    """A cycle that has been opened: its id, its inputs and where it starts."""

    cycle_id: str
    form: CycleForm
    base_harness_id: str
    is_finished: bool = False
    """Whether an earlier run has finished it already."""
    note: str = ""
    """What its user should know at the start, in one line; empty when there is nothing."""

    def repeats(self, is_deterministic: bool) -> range:  # noqa: FBT001
        """Repeats of each rollout; equal repeats of a deterministic model add nothing."""
        return range(1 if is_deterministic else self.form.repeats)


class CollectResult(Plan):
    """What a collecting stage made."""

    trajectories: int
    made: int
    """Rollouts that were not stored before."""
    successes: int
    faults: int


class AnnotateResult(Plan):
    """What annotation found."""

    labelled: int
    patterns: int
    eligible: int


class ProposeResult(Plan):
    """Edits of a round after static checks and replay."""

    proposed: int
    refused: int
    revised: int
    editor_faults: int = 0
    """Sessions of the editor that broke off: endpoint down, command failed or killed."""


class GateResult(Plan):
    """What the gate decided in a round."""

    harness_id: str
    """Harness in force after the round."""
    accepted: int
    slots_used: int
    """Slots used by the cycle so far."""


class FollowUpResult(Plan):
    """What became of the edits a round accepted."""

    harness_id: str
    """Harness in force once falsified edits are taken out."""
    checked: int
    reverted: int


class ScoreResult(Plan):
    """Success on one split."""

    success: float | None
    tasks: int
    made: int


class DiagnoseResult(Plan):
    """What diagnosis measured."""

    hbr: float | None
    status: str
    points: int
    gaps: int


class SynthesizeResult(Plan):
    """Examples by kind."""

    examples: dict[str, int]
