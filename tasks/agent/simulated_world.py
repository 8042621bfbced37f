"""What an environment tells the simulated models: where faults can strike and what cures them.

A world that wants simulated models offers an attribute `simulation` (see `HasSimulation`). The
models know nothing else of the world: no tool, no observation and no phrase of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from tasks.agent.protocols import Call, RawCall, Task, World

Tier = Literal["weak", "mid", "strong"]
TIERS: tuple[Tier, ...] = ("weak", "mid", "strong")
Source = Literal["system", "tools", "skill", "recent"]
"""Where a text stands: system message, tool descriptions, injected or loaded skill, or whatever
came in since the model spoke last (results, hints, reasons of a block, references)."""
ANY_FAMILY = "*"


@dataclass(frozen=True)
class Cue:
    """What a text says about one fault.

    Attributes:
        kind: the fault it speaks about.
        is_right: whether the facts it names are true; a wrong cue makes the fault happen.
        detail: what a wrong cue asks for, in the world's own words.
    """

    kind: str
    is_right: bool
    detail: str = ""


@dataclass(frozen=True)
class FaultKind:
    """One way to go wrong.

    Attributes:
        name: its name in draws and records.
        rates: chance at each opportunity by family (`*` for the others) and tier.
        weights: how much of a tier's adherence a cue has by where it stands; a source left out
            is not listened to, so an empty mapping means that no text cures the fault.
        is_sticky: whether the model goes on with it until it recovers.
        fade: factor on the chance for each opportunity the episode had before; below 1 the
            faults of an episode do not grow with its length.
    """

    name: str
    rates: Mapping[str, Mapping[Tier, float]]
    weights: Mapping[Source, float] = field(default_factory=dict[Source, float])
    is_sticky: bool = True
    fade: float = 1.0

    def rate(self, family: str, tier: Tier) -> float:
        """Chance at one opportunity in a family."""
        by_tier = self.rates.get(family, self.rates.get(ANY_FAMILY, {}))
        return by_tier.get(tier, 0.0)


@dataclass(frozen=True)
class View:
    """What a fault can depend on.

    Attributes:
        task: the task.
        world: its running world.
        expert: what the expert would do now.
        last: the last call the model wrote as it should; null at the start.
        streak: how often in a row the fault in question has struck already.
    """

    task: Task
    world: World
    expert: Call
    last: Call | None = None
    streak: int = 0


@dataclass(frozen=True)
class Slip:
    """What the model says instead of the expert's call."""

    text: str = ""
    calls: tuple[RawCall, ...] = ()


class Simulation(Protocol):
    """The fault side of an environment."""

    kinds: tuple[FaultKind, ...]
    """All faults; of several that would strike at once the first does."""

    def opportunity(self, kind: str, view: View) -> float | None:
        """Share of its rate at which a fault can strike now; null when it cannot at all.

        0 means that only a wrong cue brings it about.
        """
        ...

    def slip(self, kind: str, view: View, roll: float, detail: str) -> Slip:
        """Say what the fault makes of the expert's call; `roll` in [0, 1) picks a variant."""
        ...

    def read(self, text: str, source: Source) -> tuple[Cue, ...]:
        """Read the facts of a text; depends on nothing else, so that it can be cached."""
        ...

    def skill_fit(self, name: str, description: str, view: View) -> float:
        """How well a skill of the catalogue fits what is to be done; 0 when it does not."""
        ...


@runtime_checkable
class HasSimulation(Protocol):
    """An environment that simulated models can act in, beside `HasExpert`."""

    simulation: Simulation
