"""What each difference of a run would mean, by the criterion that editors use as well."""

from dataclasses import dataclass

from schemas.episode import Episode
from tasks.agent.clearance import Effect, decision_effect, regulation_effect
from tasks.gate.touch import Comparison, Difference


@dataclass(frozen=True)
class Effects:
    """What a candidate would do to one run."""

    episode: Episode
    found: tuple[tuple[Difference, Effect], ...]

    @property
    def fires(self) -> bool:
        """Whether it acts anywhere in the run."""
        return bool(self.found)

    @property
    def effects(self) -> frozenset[Effect]:
        """Everything it would do to the run."""
        return frozenset(effect for _, effect in self.found)

    @property
    def changes_action(self) -> bool:
        """Whether it changes an action of the run without being cleared."""
        return "change" in self.effects

    @property
    def hints(self) -> bool:
        """Whether it says something the agent was not told."""
        return "hint" in self.effects


def classify(comparison: Comparison) -> Effects:
    """Say what each difference of a run means."""
    found: list[tuple[Difference, Effect]] = []
    for difference in comparison.differences:
        found.append((difference, _effect(difference, comparison)))
    return Effects(comparison.episode, tuple(found))


def _effect(difference: Difference, comparison: Comparison) -> Effect:
    if difference.where == "prompt":
        return "text"
    new = difference.new
    if difference.where == "regulation":
        if new is None:
            return "change"
        regulated = new.regulated
        return regulation_effect(
            regulated.forced, comparison.steps, difference.position, is_stop=regulated.stop
        )
    if new is None or new.decision is None:
        return "change"
    call = new.decision.call
    return decision_effect(call, comparison.episode, comparison.steps, difference.position)
