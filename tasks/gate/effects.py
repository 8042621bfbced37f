"""What one difference would mean for a run that succeeded.

A candidate that acts on a success is presumed to break it. It is cleared only where the record
shows that nothing is lost:

- *same*: it executes exactly the call that ran (a rewrite to the executed call, a forced call
  that the agent made anyway on its next turn);
- *repaired*: it acts on a turn that came to nothing - the call failed and the state is unchanged,
  or no call was found and the world said so - and either only blocks it, or puts the call in its
  place that the agent meant: of the tool with which it then went on itself, and in the words that
  it wrote in this turn or in that next call, whatever the punctuation. Everything else that is
  put in is a call nobody made.

Hints are soft: they change no action and are counted apart.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.episode import Episode
from tasks.gate.touch import Comparison, Difference, same_call
from tasks.harness import Call
from tasks.harness.replay import RecordedStep

_WORD = re.compile(r"[^\W_]+")
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
    return "repaired" if _is_meant(decision.call, recorded, following) else "change"


def _is_meant(call: Call, recorded: RecordedStep, following: Call | None) -> bool:
    if following is None or following.tool != call.tool:
        return False
    wanted = _words(call.arguments)
    written = _words([recorded.raw_text, recorded.raw_arguments or ""])
    return wanted == _words(following.arguments) or _contains(written, wanted)


def _words(value: object) -> list[str]:
    """Letters and digits of all values in a JSON value, names of arguments left out."""
    if isinstance(value, Mapping):
        return [word for key in sorted(value) for word in _words(value[key])]
    if isinstance(value, list):
        return [word for item in value for word in _words(item)]
    return _WORD.findall(str(value).casefold())


def _contains(written: Sequence[str], wanted: Sequence[str]) -> bool:
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(written)} "


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
