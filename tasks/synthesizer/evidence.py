"""What examples are made from: the rows and episodes a diagnosis left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from schemas.benefit import (
    BenefitGapRow,
    CounterfactualRow,
    DecisionPointRow,
    FollowingCheckRow,
)
from schemas.data import ExampleKind
from schemas.episode import Episode
from schemas.fields import GapType
from tasks.agent.conversation import Message, messages_before


@dataclass(frozen=True)
class Evidence:
    """Rows of one cycle's diagnosis.

    Attributes:
        skills: names of skills by artifact id.
        episodes: trajectories of points and forks that may be used, by id.
        is_simulated: whether a simulated model wrote any of them.
        closed_texts: task texts of select and sealed; none may turn up in an example.
    """

    cycle_id: str
    model: str
    environment: str
    points: Sequence[DecisionPointRow] = ()
    forks: Sequence[CounterfactualRow] = ()
    gaps: Sequence[BenefitGapRow] = ()
    checks: Sequence[FollowingCheckRow] = ()
    episodes: Mapping[str, Episode] = field(default_factory=dict[str, Episode])
    skills: Mapping[str, str] = field(default_factory=dict[str, str])
    is_simulated: bool = False
    closed_texts: Sequence[str] = ()

    def forks_of(self, point: DecisionPointRow) -> list[CounterfactualRow]:
        """Forks of a point, by arm and repeat."""
        return self._forks_by_point.get(point.decision_point_id, [])

    @cached_property
    def _forks_by_point(self) -> dict[str, list[CounterfactualRow]]:
        found: dict[str, list[CounterfactualRow]] = {}
        for fork in sorted(self.forks, key=lambda fork: (fork.arm, fork.repeat)):
            found.setdefault(fork.decision_point_id, []).append(fork)
        return found

    def checks_of(self, trajectory_id: str, artifact_id: str) -> dict[int, FollowingCheckRow]:
        """Checkpoints of an artifact in one trajectory, by position."""
        return self._checks_by_run.get((trajectory_id, artifact_id), {})

    @cached_property
    def _checks_by_run(self) -> dict[tuple[str, str], dict[int, FollowingCheckRow]]:
        found: dict[tuple[str, str], dict[int, FollowingCheckRow]] = {}
        for row in self.checks:
            found.setdefault((row.trajectory_id, row.artifact_id), {})[row.checkpoint] = row
        return found


@dataclass(frozen=True)
class Draft:
    """An example before it is checked; `episode` holds the prefix and the chosen side."""

    kind: ExampleKind
    path: GapType
    episode: Episode
    step_index: int
    artifact_id: str
    messages: list[Message]
    chosen: list[Message]
    rejected: list[Message] | None = None
    rejected_episode: Episode | None = None


def turns_from(episode: Episode, step_index: int) -> list[Message]:
    """Messages of an episode from a step to its end."""
    return messages_before(episode, len(episode.steps))[len(messages_before(episode, step_index)) :]
