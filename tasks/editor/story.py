"""A stored run as its moments: what rules are shown before each turn and after each result.

The texts are those that the sandbox is given, so a rule of ours decides here as it does there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.episode import Episode
from tasks.agent.clearance import step_indices
from tasks.agent.protocols import JsonObject
from tasks.agent.recording import condition, record, recover_opening
from tasks.harness import Action, Harness, HistoryEntry
from tasks.harness.judging import read_action
from tasks.harness.replay import RecordedEpisode, RecordedStep
from tasks.harness.timeline import encode_action, encode_base, encode_entry, encode_message


@dataclass(frozen=True)
class Moment:
    """One point at which rules are asked.

    Attributes:
        position: index of the recorded step.
        step_index: its step in the episode.
        action: the turn as the model wrote it.
        context: what rules are shown beside it.
        taken: what rules of the harness in force did there; they come first.
    """

    position: int
    step_index: int
    action: JsonObject
    context: JsonObject
    taken: frozenset[str] = frozenset()

    @property
    def history(self) -> list[JsonObject]:
        """Finished turns."""
        return self.context["history"]


@dataclass(frozen=True)
class Story:
    """The moments of a run: turns without a usable call, turns with one, and results.

    What follows the last result reaches nobody and is left out.
    """

    episode: Episode
    steps: Sequence[RecordedStep]
    texts: tuple[Moment, ...]
    calls: tuple[Moment, ...]
    results: tuple[Moment, ...]


def read_story(episode: Episode, harness: Harness, tools: Sequence[JsonObject]) -> Story:
    """Read a run that was made under a harness; `tools` stand in where its source names none."""
    opening = recover_opening(episode, harness, tools)
    if not opening.tools:
        opening = replace(opening, tools=tuple(tools))
    recorded = record(episode, opening, condition(harness, opening))
    return _Reader(episode, recorded).read()


class _Reader:
    """Encodes a run once; moments share what they see."""

    def __init__(self, episode: Episode, recorded: RecordedEpisode) -> None:
        self.episode = episode
        self.recorded = recorded
        self.base: JsonObject = json.loads(encode_base(recorded.task_text, recorded.tools))
        self.indices = step_indices(episode, recorded.steps)
        self.actions = [
            None if step.is_forced else read_action(step.name, step.raw_arguments, step.raw_text)
            for step in recorded.steps
        ]
        pairs = zip(recorded.steps, self.actions, strict=True)
        self.history = [json.loads(encode_entry(_entry(step, action))) for step, action in pairs]
        self.messages = [json.loads(encode_message(message)) for message in recorded.messages]
        self.taken = _taken(episode)

    def read(self) -> Story:
        texts: list[Moment] = []
        calls: list[Moment] = []
        results: list[Moment] = []
        turns = 0
        for position, step in enumerate(self.recorded.steps):
            self.messages += [json.loads(encode_message(message)) for message in step.heard]
            action = self.actions[position]
            encoded = encode_action(action) if action is not None else None
            if action is not None and encoded is not None:
                moment = self._moment(position, position, turns, step.admissible, encoded)
                (texts if action.call is None else calls).append(moment)
            turns += step.is_new_turn
            if position + 1 < len(self.recorded.steps):
                results.append(self._moment(position, position + 1, turns, step.admissible_after))
        steps = self.recorded.steps
        return Story(self.episode, steps, tuple(texts), tuple(calls), tuple(results))

    def _moment(
        self,
        position: int,
        past: int,
        turns: int,
        offered: Sequence[str] | None,
        encoded: str = "null",
    ) -> Moment:
        budget = self.recorded.budget
        context = self.base | {
            "messages": list(self.messages),
            "history": self.history[:past],
            "admissible": None if offered is None else list(offered),
            "step": turns,
            "remaining_steps": None if budget is None else max(0, budget - turns),
        }
        index = self.indices[position]
        layer = "actions" if past == position else "regulation"
        taken = self.taken.get((index, layer), frozenset())
        return Moment(position, index, json.loads(encoded), context, taken)


def _entry(step: RecordedStep, action: Action | None) -> HistoryEntry:
    done = action or Action(None, None)
    if step.executed is not None:
        call = step.executed
        done = replace(done, tool=call.tool, arguments=call.arguments, parse_error=None)
    return HistoryEntry(done, step.observation, step.is_error, step.is_new_turn)


def _taken(episode: Episode) -> Mapping[tuple[int, str], frozenset[str]]:
    found: dict[tuple[int, str], frozenset[str]] = {}
    for row in episode.interventions:
        if not row.suppressed:
            key = (row.step_index, row.layer)
            found[key] = found.get(key, frozenset()) | {row.kind}
    return found
