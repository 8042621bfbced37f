"""Rows about the runs themselves: cycles, stage events, links, validation, quarantine."""

from typing import Literal

from schemas.fields import Count, CycleId, HarnessId, JsonText, Row, Timestamp, TrajectoryId


class CycleRow(Row):
    """One evolution cycle and every input that changes its results."""

    cycle_id: CycleId
    """Hash of the inputs."""
    environment: str
    """Environment."""
    model: str
    """Model evolved for."""
    reference: str
    """Reference model of the diagnosis."""
    editor: str
    """Editor."""
    seed: int
    """Seed."""
    base_harness_id: HarnessId
    """Harness the cycle started from."""
    inputs: JsonText
    """All inputs, as hashed, and the word the environment was named by."""
    created_at: Timestamp
    """When the cycle was first started (UTC)."""


class StageEventRow(Row):
    """A change of state of one stage; the newest is the state."""

    cycle_id: str
    """Cycle or other run the stage belongs to."""
    stage: str
    """Stage, with its round where it has one."""
    state: Literal["started", "done", "failed"]
    """What happened."""
    detail: JsonText
    """Small result of the stage, or the error."""
    created_at: Timestamp
    """When (UTC)."""


class CycleTrajectoryRow(Row):
    """A trajectory that a cycle used, and what for."""

    cycle_id: CycleId
    """The cycle."""
    trajectory_id: TrajectoryId
    """The trajectory."""
    purpose: str
    """What it was used for, such as `train`, `gate`, `sealed_base` or `fork`."""


class ValidationResultRow(Row):
    """The result of one check over one batch."""

    batch_id: str
    """Batch that was checked."""
    table_name: str
    """Table the check is about; several, with commas, for a cross-table rule."""
    check_name: str
    """The check."""
    kind: Literal["suite", "cross_table"]
    """A Great Expectations suite of one table, or an SQL rule over several."""
    severity: Literal["error", "warning"]
    """Whether a failure fails the stage."""
    success: bool
    """Whether it held."""
    rows: Count
    """Rows checked."""
    failing: Count
    """Rows that broke it."""
    failing_keys: JsonText
    """Up to 20 keys of such rows."""
    created_at: Timestamp
    """When (UTC)."""


class QuarantineRow(Row):
    """A row or episode that was refused, with the reason."""

    quarantine_id: str
    """Hash of place and content."""
    table_name: str
    """Table it was meant for; `file` for an episode of an import."""
    place: str
    """Where it came from: segment, or file and position."""
    reason: str
    """Why it was refused."""
    content: JsonText
    """What was refused, bounded and redacted."""
    created_at: Timestamp
    """When (UTC)."""


class SchemaMigrationRow(Row):
    """A migration that the warehouse has been through."""

    version: Count
    """Number of the migration file."""
    name: str
    """File name."""
    sha256: str
    """Hash of the file."""
    created_at: Timestamp
    """When (UTC)."""
