"""What the gate judges, how it is set, and how it gets rollouts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schemas.episode import Episode
from schemas.fields import Layer, Objective
from tasks.agent.protocols import Task
from tasks.gate.touch import Replayer
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

    objective: Objective = "success"
    """What wins a pair; every guard asks success alone."""
    slots: int = 6
    block: int = 24
    repeats: int = 1
    regression_share: float = 0.02
    token_increase: float = 0.25
    margin: float = 0.02
    fresh_repeats: int = 2
    exposures: int = 32
    """Continuations with an edit that a round may run on train forks; 0 leaves them out."""
    noise_share: float = 0.1
    """Share of select tasks on which the harness in force is compared with itself."""
    reskins: int = 12
    """Most won tasks that are tried again under other names."""

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
class Moment:
    """A step of a stored run at which an edit would act."""

    source: Episode
    step_index: int


class RunForks(Protocol):
    """Goes on with stored runs of train tasks from given moments under a harness."""

    async def __call__(
        self, harness: Harness, moments: Sequence[Moment], repeats: Sequence[int]
    ) -> Sequence[Episode]:
        """Return one episode for each moment and repeat, moments first, in the order given."""
        ...


@dataclass(frozen=True)
class History:
    """Stored train runs of the harness in force, and who can be asked about them."""

    episodes: tuple[Episode, ...]
    replayer: Replayer


Reskin = Callable[[Task, int], Task]
"""The same task under other names, of the same difficulty."""


@dataclass(frozen=True)
class GateWorld:
    """Where the paired trials of a cycle take place.

    Attributes:
        seed: of the cycle; fixes the order of pairs before any candidate exists.
        select: tasks of the select split, in any order.
        must_pass: train tasks that passed in all runs of the harnesses in force so far.
        is_deterministic: whether the model gives equal replies to equal conversations.
        measures_noise: whether the harness in force is compared with itself; also where replies
            should be equal but come from an endpoint that may not keep its word.
        fork: goes on with stored train runs; null where worlds cannot be brought back to a step.
        history: the stored train runs; null where none can be gone on with.
        reskin: gives a task other names; null where the environment cannot.
        train_families: train tasks by family.
    """

    cycle_id: str
    seed: int
    select: tuple[Task, ...]
    must_pass: tuple[Task, ...]
    is_deterministic: bool
    run: RunEpisodes
    settings: GateSettings = field(default_factory=GateSettings)
    measures_noise: bool = False
    fork: RunForks | None = None
    history: History | None = None
    reskin: Reskin | None = None
    train_families: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def repeats(self) -> tuple[int, ...]:
        """Repeats of each arm; equal repeats of a deterministic model add nothing."""
        return (0,) if self.is_deterministic else tuple(range(max(1, self.settings.repeats)))
