"""What the gate judges, how it is set, and how it gets rollouts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schemas.episode import Episode
from schemas.fields import Layer
from tasks.agent.protocols import Task
from tasks.harness import Harness

TEXT_LAYERS = frozenset[Layer]({"contract", "skills"})
"""Layers whose artifacts the model reads; the others are rules."""

DECOY_EDITORS = frozenset({"null", "harmful", "random"})
"""Editors whose proposals are tried singly, one slot each."""

THRESHOLD_PER_SLOT = 20
"""1/alpha for one slot: S slots at threshold 20 S keep the run-level error at .05."""


@dataclass(frozen=True)
class Member:
    """A failed train trajectory of the pattern an edit answers to, with its decisive step."""

    trajectory_id: str
    step_index: int | None = None


@dataclass(frozen=True)
class Candidate:
    """A child harness that should differ from its parent in one artifact of one layer.

    Attributes:
        members: trajectories of the edit's pattern; empty when it names none.
        predicted_fixes: ids of tasks its editor expects to pass.
        predicted_risks: ids of tasks its editor expects to lose; a lost pair named here is not
            counted against the regression budget.
        declared_token_increase: share by which the editor says tokens may rise, such as 0.4.
        is_decoy: made to test the gate, so tried singly.
    """

    edit_id: str
    parent: Harness
    child: Harness
    layer: Layer
    artifact: str
    members: tuple[Member, ...] = ()
    predicted_fixes: frozenset[str] = frozenset()
    predicted_risks: frozenset[str] = frozenset()
    declared_token_increase: float = 0.0
    is_decoy: bool = False


@dataclass(frozen=True)
class GateSettings:
    """Defaults of design.md 7 and methods.md G."""

    slots: int = 6
    block: int = 24
    repeats: int = 1
    regression_share: float = 0.02
    token_increase: float = 0.25
    margin: float = 0.02
    fresh_repeats: int = 2

    @property
    def threshold(self) -> float:
        """e-value needed to commit: 20 a slot."""
        return float(THRESHOLD_PER_SLOT * max(1, self.slots))


class RunEpisodes(Protocol):
    """Runs tasks under a harness; the caller stores episodes and answers from its store."""

    async def __call__(
        self, harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
    ) -> Sequence[Episode]:
        """Return one episode for each task and repeat, in any order; faults are episodes too."""
        ...


@dataclass(frozen=True)
class GateWorld:
    """Where the paired trials of a cycle take place.

    Attributes:
        seed: of the cycle; fixes the order of pairs before any candidate exists.
        select: tasks of the select split, in any order.
        must_pass: train tasks that passed in all runs of the harnesses in force so far.
        is_deterministic: whether the model gives equal replies to equal conversations.
    """

    cycle_id: str
    seed: int
    select: tuple[Task, ...]
    must_pass: tuple[Task, ...]
    is_deterministic: bool
    run: RunEpisodes
    settings: GateSettings = field(default_factory=GateSettings)

    @property
    def repeats(self) -> tuple[int, ...]:
        """Repeats of each arm; equal repeats of a deterministic model add nothing."""
        return (0,) if self.is_deterministic else tuple(range(max(1, self.settings.repeats)))
