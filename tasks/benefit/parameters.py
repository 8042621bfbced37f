"""Every bound of a diagnosis."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """Windows, sample sizes and confidence.

    Attributes:
        window: steps after a decision point within which a call counts.
        select_tasks: most select tasks behind the benefit rate.
        train_tasks: most train tasks run with skills on demand.
        points: most decision points of one artifact and gap that are forked.
        artifacts: most artifacts whose points are forked; those due most often first.
        repeats: re-rolls of each arm; a deterministic model has one.
        confidence: one-sided confidence of the lower bound of an effect.
    """

    window: int = 3
    select_tasks: int = 96
    train_tasks: int = 72
    points: int = 8
    artifacts: int = 6
    repeats: int = 4
    confidence: float = 0.8


DEFAULT = Parameters()
