"""The fault process of a simulated model: which fault strikes at a reply, and why.

At each reply every fault that could strike draws its own luck. A cue cancels it when the model
obeys, a wrong cue brings it about, and a fault that struck is gone on with until the model
recovers. Whether a cue that stands in the prompt is obeyed is settled once an episode and only
weakens with its length; a cue that has just come in is a new chance each time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tasks.agent.simulated_prompt import Shown
from tasks.agent.simulated_tiers import Luck, TierProfile
from tasks.agent.simulated_world import Cue, FaultKind, Simulation, Slip, Source, Tier, View

MAX_CACHED_CHARS = 8_000_000


@dataclass(frozen=True)
class SimulatedEvent:
    """What the process did.

    Attributes:
        kind: the fault, or the skill tool.
        cause: `chance`, `stuck`, `wrong_cue`, `cured`, `recovered` or `load`.
        detail: what the wrong cue asked for, or the skill.
    """

    kind: str
    cause: str
    detail: str = ""


@dataclass(frozen=True)
class Heard:
    """A cue with where it stands and the chance that the model obeys it."""

    source: Source
    cue: Cue
    chance: float


class CueCache:
    """Cues of texts already read; the same contract is shown at every reply."""

    def __init__(self) -> None:
        self._known: dict[tuple[Simulation, Source, str], tuple[Cue, ...]] = {}
        self._chars = 0

    def read(self, simulation: Simulation, source: Source, text: str) -> Sequence[Cue]:
        """Read a text, or remember what was read."""
        key = (simulation, source, text)
        if key not in self._known:
            if self._chars > MAX_CACHED_CHARS:
                self._known.clear()
                self._chars = 0
            self._chars += len(text) + 100
            self._known[key] = simulation.read(text, source)
        return self._known[key]


@dataclass
class _Hold:
    """The fault that has hold of the model."""

    kind: str
    roll: float
    detail: str
    streak: int = 1


class FaultProcess:
    """State of the faults of one episode."""

    def __init__(
        self,
        simulation: Simulation,
        tier: Tier,
        profile: TierProfile,
        luck: Luck,
        cache: CueCache,
    ) -> None:
        self.events: list[SimulatedEvent] = []
        self._simulation = simulation
        self._tier: Tier = tier
        self._profile = profile
        self._luck = luck
        self._cache = cache
        self._counts: dict[str, int] = {}
        self._first = 0
        self._hold: _Hold | None = None
        self._heard: dict[str, list[tuple[Source, Cue]]] | None = None

    def skip(self, turns: int) -> None:
        """Start behind replies that were given before, as in a fork."""
        self._first = turns

    def next(self, view: View, shown: Shown) -> Slip | None:
        """Say what goes wrong with this reply; null when nothing does."""
        self.events = []
        self._heard = None
        chosen: _Hold | None = None
        for kind in self._in_order():
            share = self._simulation.opportunity(kind.name, view)
            if share is None:
                continue
            number = self._counts.get(kind.name, self._first)
            self._counts[kind.name] = number + 1
            if chosen is None:
                chosen = self._strike(kind, share, number, view, shown)
        self._hold = chosen
        if chosen is None:
            return None
        view = replace(view, streak=chosen.streak - 1)
        return self._simulation.slip(chosen.kind, view, chosen.roll, chosen.detail)

    def _in_order(self) -> Sequence[FaultKind]:
        """All kinds, the one that has hold of the model first."""
        kinds = self._simulation.kinds
        if self._hold is None:
            return kinds
        return sorted(kinds, key=lambda kind: not self._holds(kind))

    def _holds(self, kind: FaultKind) -> bool:
        return self._hold is not None and self._hold.kind == kind.name

    def _strike(
        self, kind: FaultKind, share: float, number: int, view: View, shown: Shown
    ) -> _Hold | None:
        hold = self._hold if self._holds(kind) and kind.is_sticky else None
        cue = self._obeyed(kind, number, shown)
        if cue is not None and not cue.is_right:
            return self._take(kind, number, hold, "wrong_cue", cue.detail)
        rate = kind.rate(view.task.family, self._tier) * kind.fade ** (number - self._first)
        is_due = self._luck.draw(kind.name, number) < rate * share
        if cue is not None:
            return self._let_go(kind, "cured" if hold or is_due else "")
        if hold is None:
            return self._take(kind, number, None, "chance", "") if is_due else None
        recovery = self._profile.recovery * self._profile.lock_in ** (hold.streak - 1)
        if self._luck.draw(f"{kind.name}/recovery", number) < recovery:
            return self._let_go(kind, "recovered")
        return self._take(kind, number, hold, "stuck", hold.detail)

    def _take(
        self, kind: FaultKind, number: int, hold: _Hold | None, cause: str, detail: str
    ) -> _Hold:
        self.events.append(SimulatedEvent(kind.name, cause, detail))
        if hold is not None:
            return replace(hold, streak=hold.streak + 1, detail=detail)
        return _Hold(kind.name, self._luck.draw(f"{kind.name}/shape", number), detail)

    def _let_go(self, kind: FaultKind, cause: str) -> None:
        if cause:
            self.events.append(SimulatedEvent(kind.name, cause))

    def _obeyed(self, kind: FaultKind, number: int, shown: Shown) -> Cue | None:
        """The cue the model obeys: the newest, else the strongest that stands in the prompt."""
        heard = [
            Heard(source, cue, chance)
            for source, cue in self._listen(shown).get(kind.name, ())
            if (chance := self._chance(kind, source, shown)) > 0
        ]
        if not heard:
            return None
        recent = [item for item in heard if item.source == "recent"]
        if recent and self._luck.draw(f"{kind.name}/hint", number) < recent[-1].chance:
            return recent[-1].cue
        standing = [item for item in heard if item.source != "recent"]
        strongest = max(reversed(standing), key=lambda item: item.chance, default=None)
        if strongest and self._luck.draw(f"{kind.name}/obey", 0) < strongest.chance:
            return strongest.cue
        return None

    def _listen(self, shown: Shown) -> Mapping[str, Sequence[tuple[Source, Cue]]]:
        """Cues of all texts by the fault they speak about; read once a reply, when first needed."""
        if self._heard is None:
            self._heard = {}
            for source, text in shown.texts:
                for cue in self._cache.read(self._simulation, source, text):
                    self._heard.setdefault(cue.kind, []).append((source, cue))
        return self._heard

    def _chance(self, kind: FaultKind, source: Source, shown: Shown) -> float:
        weight = kind.weights.get(source, 0.0)
        return weight * self._profile.obedience(source, shown.turns, shown.tokens)
