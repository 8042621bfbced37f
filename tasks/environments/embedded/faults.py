"""The fault table of a world: where faults can strike, how often, what they make of a call."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tasks.agent.protocols import RawCall, World
from tasks.agent.simulated_world import Cue, FaultKind, Slip, Source, Tier, View
from tasks.environments.embedded.cues import CueTable

W = TypeVar("W", bound=World)
Opportunity = Callable[[View, W], float | None]
"""Share of its rate at which a fault can strike now; null when it cannot at all."""
Spoil = Callable[[View, W, float, str], Slip]
"""What the fault makes of the expert's call: a roll picks a variant, a wrong cue a detail."""

PROMPT: Mapping[Source, float] = {"system": 1.0, "tools": 1.0, "skill": 1.0, "recent": 1.0}
WEAK_IN_PROMPT: Mapping[Source, float] = {
    "system": 0.4,
    "tools": 0.4,
    "skill": 0.4,
    "recent": 1.0,
}
SKILL: Mapping[Source, float] = {"skill": 1.0, "system": 0.3, "tools": 0.3, "recent": 0.6}
HINT: Mapping[Source, float] = {"recent": 1.0}
NO_CURE_IN_TEXT: Mapping[Source, float] = {"system": 1.0, "tools": 1.0}
"""For faults that no right text cures; a text that asks for them is obeyed all the same."""


def rates(**families: tuple[float, float, float]) -> dict[str, dict[Tier, float]]:
    """Rates by family for the tiers weak, mid and strong."""
    return {
        family: {"weak": weak, "mid": mid, "strong": strong}
        for family, (weak, mid, strong) in families.items()
    }


@dataclass(frozen=True)
class Fault(Generic[W]):
    """One line of the table."""

    kind: FaultKind
    opportunity: Opportunity[W]
    spoil: Spoil[W]


class FaultTable(Generic[W]):
    """A world's faults and cues; implements `tasks.agent.simulated_world.Simulation`."""

    def __init__(
        self,
        faults: Sequence[Fault[W]],
        cues: CueTable,
        narrow: Callable[[World], W],
        fit: Callable[[str, str, View, W], float],
    ) -> None:
        """Take the table; `fit` says how well a skill of a name and description suits a view."""
        self.kinds: tuple[FaultKind, ...] = tuple(fault.kind for fault in faults)
        self._by_name = {fault.kind.name: fault for fault in faults}
        self._cues = cues
        self._narrow = narrow
        self._fit = fit

    def opportunity(self, kind: str, view: View) -> float | None:
        """Tell where a fault can strike."""
        return self._by_name[kind].opportunity(view, self._narrow(view.world))

    def slip(self, kind: str, view: View, roll: float, detail: str) -> Slip:
        """Spoil the expert's call."""
        return self._by_name[kind].spoil(view, self._narrow(view.world), roll, detail)

    def read(self, text: str, source: Source) -> tuple[Cue, ...]:
        """Read cues."""
        return self._cues.read(text, source)

    def skill_fit(self, name: str, description: str, view: View) -> float:
        """How well a skill fits."""
        return self._fit(name, description, view, self._narrow(view.world))


def table_of(
    kinds: Sequence[FaultKind],
    opportunities: Mapping[str, Opportunity[W]],
    spoils: Mapping[str, Spoil[W]],
) -> tuple[Fault[W], ...]:
    """Put kinds, opportunities and what they do side by side; each needs all three."""
    names = [kind.name for kind in kinds]
    if not set(names) == set(opportunities) == set(spoils):
        message = f"faults {sorted(names)} lack an opportunity or what they do"
        raise ValueError(message)
    return tuple(Fault(kind, opportunities[kind.name], spoils[kind.name]) for kind in kinds)


def always(view: View, world: World) -> float | None:  # noqa: ARG001
    """A fault that can strike at every reply."""
    return 1.0


def call_slip(tool: str, arguments: dict[str, Any]) -> Slip:
    """A reply that makes another call."""
    return Slip(calls=(RawCall(tool, json.dumps(arguments, ensure_ascii=False)),))
