"""Rows of synthesized data."""

from typing import Literal

from schemas.fields import (
    ArtifactId,
    Count,
    CycleId,
    ExampleId,
    GapType,
    JsonText,
    Row,
    Split,
    Timestamp,
    TrajectoryId,
)

ExampleKind = Literal["anchored_call", "faithful_pair"]


class TrainingExampleRow(Row):
    """One training example with lineage to the trajectory, step and artifact it came from."""

    example_id: ExampleId
    """Hash of cycle, kind, lineage and messages."""
    cycle_id: CycleId
    """Cycle that made it."""
    kind: ExampleKind
    """anchored_call: call the artifact here; faithful_pair: obey it rather than deviate."""
    path: GapType
    """Gap it is meant to close."""
    environment: str
    """Environment."""
    family: str
    """Task family."""
    task_id: str
    """Task of the trajectory."""
    split: Split
    """Split of the task; only train tasks become examples."""
    model: str
    """Model the example is for."""
    trajectory_id: TrajectoryId
    """Trajectory that holds the prefix, and the chosen side of a pair."""
    step_index: Count
    """Step the example is anchored at."""
    artifact_id: ArtifactId
    """Artifact it teaches."""
    rejected_trajectory_id: TrajectoryId | None
    """Trajectory of the rejected side of a pair."""
    messages: JsonText
    """Chat messages up to the anchor."""
    chosen: JsonText
    """Messages to learn."""
    rejected: JsonText | None
    """Messages to move away from; null unless a pair."""
    tools: JsonText
    """Tool definitions."""
    simulated: bool
    """Whether a simulated model wrote any side of it."""


class ExportRow(Row):
    """One export: a file of examples for a trainer, or a folder of trajectories."""

    export_id: str
    """Hash of format, file name and content."""
    format: str
    """Format, such as `trl-sft` or `atif`."""
    file_name: str
    """Name of the file or folder, without where it stands."""
    rows: Count
    """Rows written."""
    refused: Count
    """Rows left out because they break the format or hold a secret."""
    sha256: str
    """Hash of what was written."""
    created_at: Timestamp
    """When it was written (UTC)."""
