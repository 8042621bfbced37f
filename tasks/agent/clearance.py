"""What acting at one moment of a stored run would mean for it: the one criterion of false fire.

An editor asks before it proposes a rule, the gate before it lets one through. A rule that acts on
a success is presumed to break it. It is cleared only where the record shows that nothing is lost:

- *same*: it executes exactly the call that ran (a rewrite to the executed call, a forced call
  that the agent made anyway on its next turn);
- *repaired*: it acts on a turn that came to nothing - the call failed and the state is unchanged,
  or no call was found and the world said so - and either only blocks it, or puts the call in its
  place that the agent meant: of the tool with which it then went on itself, and in the words that
  it wrote in this turn or in that next call, whatever the punctuation. Everything else that is
  put in is a call nobody made.

Hints are soft: they change no action and are counted apart.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from schemas.episode import Episode
from tasks.harness import Call
from tasks.harness.replay import RecordedStep

HINT_LIMIT = 0.05
"""Share of successes in which a hint may be given (methods.md C.3)."""
MIN_COVERAGE = 0.5
"""Share of its pattern in which an edit must act in time (methods.md C.3)."""
DECISIVE_WINDOW = 3
"""Turns after its first evidence at which a failure has become decisive: until then the agent may
still repair it (methods.md C.2), so an edit that acts by then acts in time."""

_WORD = re.compile(r"[^\W_]+")
Effect = Literal["text", "hint", "same", "repaired", "change"]
Steps = Sequence[RecordedStep]


def is_false_fire(successes: Sequence[Iterable[Effect]]) -> bool:
    """Whether what an edit does to successful runs, one entry a run, speaks against it."""
    effects = [set(run) for run in successes]
    if any("change" in run for run in effects):
        return True
    return sum("hint" in run for run in effects) > HINT_LIMIT * len(effects)


def deadline(episode: Episode, step_index: int | None) -> int | None:
    """Last step at which acting on a failure is in time; a missing step is the end of the run."""
    turns = [step.step_index for step in episode.steps if step.role == "assistant"]
    later = [index for index in turns if step_index is not None and index > step_index]
    return later[:DECISIVE_WINDOW][-1] if later else step_index


def regulation_effect(forced: Call | None, steps: Steps, position: int, *, is_stop: bool) -> Effect:
    """What a hint, a forced call or a stop after a recorded turn means."""
    if is_stop:
        return "change"
    if forced is None:
        return "hint"
    return "same" if same_call(forced, steps[position + 1].executed) else "change"


def decision_effect(call: Call | None, episode: Episode, steps: Steps, position: int) -> Effect:
    """What another call in place of a recorded turn means; null when the turn is only refused."""
    recorded = steps[position]
    if call is not None and recorded.executed is not None and same_call(call, recorded.executed):
        return "same"
    if not _came_to_nothing(episode, steps, position):
        return "change"
    if call is None:
        return "repaired"
    following = _next_success(steps, position)
    return "repaired" if _is_meant(call, recorded, following) else "change"


def same_call(one: Call | None, other: Call | None) -> bool:
    """Whether two calls are provably the same: equal tool and equal JSON arguments."""
    return call_key(one) == call_key(other)


def call_key(call: Call | None) -> str | None:
    """Text that equal calls share."""
    if call is None:
        return None
    return json.dumps([call.tool, call.arguments], sort_keys=True, default=str)


def step_indices(episode: Episode, steps: Steps) -> list[int]:
    """Step of the episode for each recorded step."""
    turns = [step.step_index for step in episode.steps if step.role == "assistant"]
    found: list[int] = []
    turn = -1
    for step in steps:
        turn += step.is_new_turn
        found.append(turns[min(turn, len(turns) - 1)])
    return found


def _is_meant(call: Call, recorded: RecordedStep, following: Call | None) -> bool:
    if following is None or following.tool != call.tool:
        return False
    wanted = _words(call.arguments)
    written = _words([recorded.raw_text, recorded.raw_arguments or ""])
    return wanted == _words(following.arguments) or _contains(written, wanted)


def _words(value: object) -> list[str]:
    """Letters and digits of all values in a JSON value, names of arguments left out."""
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, Any]", value)
        return [word for key in sorted(parts) for word in _words(parts[key])]
    if isinstance(value, list):
        return [word for item in cast("list[Any]", value) for word in _words(item)]
    return _WORD.findall(str(value).casefold())


def _contains(written: Sequence[str], wanted: Sequence[str]) -> bool:
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(written)} "


def _came_to_nothing(episode: Episode, steps: Steps, position: int) -> bool:
    """Whether the recorded turn had no effect: an error, and no sign of a changed state."""
    if not steps[position].is_error:
        return False
    index = step_indices(episode, steps)[position]
    step = next((s for s in episode.steps if s.step_index == index), None)
    if step is None:
        return False
    is_alone = len(episode.calls_at(index)) <= 1
    before, after = step.state_hash_before, step.state_hash_after
    # Hashes are taken around a whole turn, so they say nothing about one of several calls.
    return before == after or (not is_alone and before is not None)


def _next_success(steps: Steps, position: int) -> Call | None:
    for step in steps[position + 1 :]:
        if step.executed is not None and not step.is_error:
            return step.executed
    return None
