"""Rows of annotation: rule hits, the one label of a failure, patterns that recur."""

from schemas.fields import (
    Bullet,
    Category,
    Count,
    JsonText,
    LabelSource,
    Layer,
    PatternId,
    Row,
    TrajectoryId,
)


class RuleHitRow(Row):
    """One annotation rule that matched one trajectory."""

    trajectory_id: TrajectoryId
    """The trajectory."""
    taxonomy_version: str
    """Version of rules and settlements."""
    rule: str
    """Name of the annotation rule."""
    category: Category
    """Category the rule argues for."""
    bullet: Bullet
    """Bullet of the protocol the rule argues for."""
    step_index: Count | None
    """Earliest step of the evidence; null when it belongs to no step."""
    decisive: bool
    """Whether the episode would not have failed without it."""
    uses_gold: bool
    """Whether the rule read expected actions, checks or the final state."""
    signature: str
    """What triggers it, without episode-specific values; equal signatures form patterns."""
    evidence: JsonText
    """Facts that the rule saw."""


class FailureLabelRow(Row):
    """The label of one failed trajectory from one source."""

    trajectory_id: TrajectoryId
    """The failed trajectory."""
    source: LabelSource
    """Who labelled: `rules`, `human`, or `judge:` with the fingerprint of a model."""
    taxonomy_version: str
    """Version of rules and settlements."""
    category: Category
    """Category of the failure."""
    bullet: Bullet
    """Bullet of the protocol."""
    step_index: Count | None
    """Earliest decisive step; null when it belongs to no step."""
    rule: str
    """Rule that decided; what a judge was called on the command line."""
    evidence: JsonText
    """Facts that decided."""
    uses_gold: bool
    """Whether expected actions, checks or the final state were read."""
    signature: str
    """Trigger signature of the deciding hit."""
    runner_ups: JsonText
    """Other rules that matched, best first."""


class FailurePatternRow(Row):
    """A cluster of labels that recur and the earliest point where they can be detected."""

    pattern_id: PatternId
    """Hash of category, rule, environment, family, signature and members."""
    environment: str
    """Environment of the members."""
    model: str
    """Model of the members."""
    harness_id: str
    """Harness of the members."""
    category: Category
    """Category of the members."""
    bullet: Bullet
    """Bullet of the members."""
    rule: str
    """Annotation rule of the members."""
    signature: str
    """Trigger signature they share."""
    family: str | None
    """Task family when all members share one."""
    layer: Layer
    """Earliest lifecycle point at which the pattern can be detected."""
    runs: Count
    """Member trajectories."""
    tasks: Count
    """Distinct tasks among them."""
    eligible: bool
    """Whether it recurs often enough to be edited for."""
    members: JsonText
    """Member trajectories with their step, sorted."""
