"""Rows of conversations that an agent of somebody else had through the runtime."""

from typing import Literal

from schemas.fields import HarnessId, Row, Timestamp, TrajectoryId, UnitInterval

Mode = Literal["enforce", "shadow", "split"]
TrafficArm = Literal["treatment", "control"]


class TrafficSessionRow(Row):
    """One conversation that passed the runtime, and the arm it was given."""

    trajectory_id: TrajectoryId
    """The conversation as a trajectory; its `harness_id` is that of the arm."""
    session: str
    """Name the client gave the conversation, else a hash of its opening."""
    environment: str
    """Environment the harness is written for."""
    mode: Mode
    """Whether the harness acted, only logged, or acted in the drawn share of conversations."""
    arm: TrafficArm
    """What the conversation was given; `treatment` outside of a split."""
    propensity: UnitInterval
    """Probability with which the conversation got its arm."""
    treatment_harness_id: HarnessId
    """Harness that is tried or in force."""
    control_harness_id: HarnessId | None
    """Harness of the other arm; null when it passes everything unchanged."""
    started_at: Timestamp
    """When its first request came (UTC)."""
