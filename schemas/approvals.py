"""Rows of human approval: what a person, or the clock, said of a round's evolved harness."""

from datetime import datetime
from typing import Literal

from schemas.fields import Count, CycleId, HarnessId, Row


class ApprovalRow(Row):
    """The answer to one request to put an evolved harness in force."""

    cycle_id: CycleId
    """Cycle that asked."""
    round: Count
    """Round whose edits had passed the gate."""
    old_harness_id: HarnessId
    """Harness in force when it was asked; it stays in force after a rejection."""
    new_harness_id: HarnessId
    """Harness that waited for approval."""
    answer: Literal["approved", "rejected"]
    """What was decided; a request that nobody answers in time is rejected."""
    decided_by: Literal["person", "timeout"]
    """Who decided."""
    note: str
    """Reason given, as it was typed."""
    created_at: datetime
    """When it was decided."""
