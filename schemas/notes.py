"""Rows of what agents write to themselves."""

from typing import Literal

from schemas.fields import Count, Row, TrajectoryId

NoteKind = Literal["plan", "reflection"]


class AgentNoteRow(Row):
    """What an agent's loop had it write to itself: a plan, or a reflection on an earlier trial."""

    trajectory_id: TrajectoryId
    """Trajectory in which the agent was shown it."""
    ordinal: Count
    """Position among the notes shown, oldest first."""
    kind: NoteKind
    """A plan for the episode, or a reflection on a trial that failed."""
    text: str
    """The note, bounded."""
    about_trajectory_id: str | None
    """Trial that a reflection is about; null for a plan."""
    carried: bool
    """Whether it was written in an earlier trial, which spent the tokens."""
