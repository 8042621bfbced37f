"""What one difference would mean for a run that succeeded.

A candidate that acts on a success is presumed to break it. It is cleared only where the record
shows that nothing is lost:

- *same*: it executes exactly the call that ran (a rewrite to the executed call, a forced call
  that the agent made anyway on its next turn);
- *repaired*: it acts on a turn that came to nothing - the call failed and the state is unchanged,
  or no call was found and the world said so - and either only blocks it, or puts a call of the
  tool in its place with which the agent then went on itself. An agent that turned to another tool
  was about to do something else, so a rescue there is a change.

Hints are soft: they change no action and are counted apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.episode import Episode
from tasks.gate.touch import Comparison, Difference, same_call
from tasks.harness import Call
from tasks.harness.replay import RecordedStep

Effect = Literal["text", "hint", "same", "repaired", "change"]


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
    def changes_action(self) -> bool:
        """Whether it changes an action of the run without being cleared."""
        return any(effect == "change" for _, effect in self.found)

    @property
    def hints(self) -> bool:
        """Whether it says something the agent was not told."""
        return any(effect == "hint" for _, effect in self.found)


def classify(comparison: Comparison) -> Effects:
    """Say what each difference of a run means."""
    found: list[tuple[Difference, Effect]] = []
    for difference in comparison.differences:
        found.append((difference, _effect(difference, comparison)))
    return Effects(comparison.episode, tuple(found))


def _effect(difference: Difference, comparison: Comparison) -> Effect:
    if difference.where == "prompt":
        return "text"
    if difference.where == "regulation":
        return _regulation_effect(difference, comparison.steps)
    return _decision_effect(difference, comparison)


def _regulation_effect(difference: Difference, steps: Sequence[RecordedStep]) -> Effect:
    regulated = difference.new.regulated if difference.new else None
    if regulated is None or regulated.stop:
        return "change"
    if regulated.forced is None:
        return "hint"
    following = steps[difference.position + 1]
    return "same" if _is_same(regulated.forced, following.executed) else "change"


def _decision_effect(difference: Difference, comparison: Comparison) -> Effect:
    recorded = difference.recorded
    decision = difference.new.decision if difference.new else None
    if recorded is None or decision is None:
        return "change"
    if decision.call is not None and _is_same(decision.call, recorded.executed):
        return "same"
    if not _came_to_nothing(difference, comparison.episode):
        return "change"
    if decision.call is None:
        return "repaired"
    following = _next_success(comparison.steps, difference.position)
    is_repair = following is not None and following.tool == decision.call.tool
    return "repaired" if is_repair else "change"


def _came_to_nothing(difference: Difference, episode: Episode) -> bool:
    """Whether the recorded turn had no effect: an error, and no sign of a changed state."""
    recorded = difference.recorded
    if recorded is None or not recorded.is_error:
        return False
    step = next((s for s in episode.steps if s.step_index == difference.step_index), None)
    if step is None:
        return False
    is_alone = len(episode.calls_at(step.step_index)) <= 1
    before, after = step.state_hash_before, step.state_hash_after
    # Hashes are taken around a whole turn, so they say nothing about one of several calls.
    return before == after or (not is_alone and before is not None)


def _next_success(steps: Sequence[RecordedStep], position: int) -> Call | None:
    for step in steps[position + 1 :]:
        if step.executed is not None and not step.is_error:
            return step.executed
    return None


def _is_same(call: Call, executed: Call | None) -> bool:
    return executed is not None and same_call(call, executed)
