"""Rows of the harness store and of edits."""

from typing import Literal

from schemas.fields import (
    ArtifactId,
    Count,
    CycleId,
    EditId,
    HarnessId,
    JsonText,
    Layer,
    Row,
    Timestamp,
    TrajectoryId,
)


class HarnessVersionRow(Row):
    """One immutable harness."""

    harness_id: HarnessId
    """Hash over its files, name left out."""
    environment: str
    """Environment it is written for."""
    api: Count
    """Version of the harness format."""
    layers: JsonText
    """Layers that are switched on."""
    delivery: Literal["injected", "on_demand"]
    """Whether skills are injected or loaded by the model."""


class HarnessFileRow(Row):
    """One file of a harness."""

    harness_id: HarnessId
    """The harness."""
    path: str
    """Path inside the harness folder, with forward slashes."""
    sha256: str
    """Hash of the text with LF line ends and NFC form."""
    text: str
    """The text."""


class HarnessArtifactRow(Row):
    """One artifact of a harness: contract section, skill or rule."""

    harness_id: HarnessId
    """The harness."""
    artifact_id: ArtifactId
    """Hash of layer, name and body: the same artifact in two harnesses has one id."""
    layer: Layer
    """Its layer."""
    name: str
    """Section title, skill name or rule name."""
    path: str
    """File it stands in."""
    description: str
    """Its description, or the docstring of the rule."""
    body: str
    """Its text."""


class HarnessNameRow(Row):
    """A name that points to a harness; the highest ordinal of a name is in force."""

    environment: str
    """Environment the name lives in."""
    name: str
    """`current`, `pinned` or the user's own."""
    ordinal: Count
    """How many times the name was set before."""
    harness_id: HarnessId
    """Harness it points to."""
    created_at: Timestamp
    """When it was set (UTC)."""


class ArtifactFaultRow(Row):
    """A rule that failed while it ran; it then counted as no rule."""

    trajectory_id: TrajectoryId
    """Trajectory in which it failed."""
    step_index: Count
    """Step at which it failed."""
    artifact_id: ArtifactId
    """The rule."""
    kind: Literal["timeout", "memory", "crash", "error", "bad_result"]
    """How it failed."""
    message: str
    """What the sandbox said, bounded."""


class EditRow(Row):
    """A child harness and why somebody proposed it."""

    edit_id: EditId
    """Hash of cycle, round, editor, parent, child and revision."""
    cycle_id: CycleId
    """Cycle that proposed it."""
    round: Count
    """Round of the cycle, from 1."""
    ordinal: Count
    """Position among the proposals of the round."""
    editor: str
    """Editor that proposed it."""
    parent_harness_id: HarnessId
    """Harness it changes."""
    child_harness_id: HarnessId
    """Harness it makes."""
    layer: Layer
    """The one layer it touches."""
    artifact: str
    """Name of the artifact it adds or changes."""
    kind: str
    """What sort of edit, such as `contract_sentence` or `rescue_rule`."""
    pattern_id: str | None
    """Pattern it answers to; null for decoys."""
    title: str
    """One line that says what it does."""
    manifest: JsonText
    """Evidence, root cause, predictions, risks, why it is safe, what to watch."""
    diff: str
    """Unified diff against the parent."""
    revision: Count = 0
    """How many times the proposal was revised before."""
    revises: str | None = None
    """Edit that this one revises."""
    created_at: Timestamp
    """When it was proposed (UTC)."""


class EditPredictionRow(Row):
    """A task that an edit is expected to fix, break or touch."""

    edit_id: EditId
    """The edit."""
    task_id: str
    """The task."""
    prediction: Literal["fix", "risk", "touch"]
    """What was expected."""
    forecaster: Literal["editor", "replay", "exposure"]
    """Who expected it."""
