"""Rows of what follows acceptance: approval by a person, and what came of an edit's promises."""

from datetime import datetime
from typing import Literal

from schemas.fields import Count, CycleId, EditId, HarnessId, Row


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


class EditFollowUpRow(Row):
    """What an accepted edit promised, against the train runs made after it came into force."""

    edit_id: EditId
    """The edit."""
    cycle_id: CycleId
    """Cycle that accepted it."""
    round: Count
    """Round that accepted it."""
    old_harness_id: HarnessId
    """Harness in force before the round."""
    new_harness_id: HarnessId
    """Harness in force after it, whose runs are the reality."""
    runs: Count
    """Train runs after the edit came into force."""
    observed_fixes: Count
    """Tasks it promised to fix that failed before and were run again; a task not run is unknown."""
    realised_fixes: Count
    """How many of them are solved now."""
    unpredicted_losses: Count
    """Tasks solved before, lost now, traced to this edit and not named by it as risks."""
    verdict: Literal["holds", "falsified", "unknown"]
    """falsified: losses exceed fixes, or too many promises were kept not even once."""
    is_reverted: bool
    """Whether it was taken out again; a falsified edit stays where a later one built on it."""
