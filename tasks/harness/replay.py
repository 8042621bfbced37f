"""What a harness would have done in a stored episode, without a model: for the replay gate.

The history is the stored one throughout, so each moment is judged as if the harness had
stepped in there for the first time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from .conduct import Conduct
from .harness import Harness
from .judging import joined, read_action
from .prompts import tool_name
from .sandbox import RuleOutcome, Sandbox
from .text import JsonObject
from .timeline import Point, Timeline, encode_action, encode_base, encode_entry, encode_message
from .values import Action, Call, Decision, HistoryEntry, Regulated, RuleLayer


@dataclass(frozen=True)
class RecordedStep:
    """One stored turn.

    Attributes:
        name: tool as the model wrote it; null when its reply held no call.
        raw_arguments: argument text as written.
        raw_text: what the model wrote besides the call.
        executed: call that ran, after rewrites; null when none did.
        observation: what came back, hints left out.
        heard: messages that came before the turn, such as words of the user.
        is_new_turn: false for the second and later calls of one reply.
        is_forced: whether a rule acted instead of the model.
        admissible: commands offered before the turn.
        admissible_after: commands offered after it.
    """

    name: str | None
    raw_arguments: str | None
    observation: str
    raw_text: str = ""
    executed: Call | None = None
    is_error: bool = False
    heard: tuple[JsonObject, ...] = ()
    is_new_turn: bool = True
    is_forced: bool = False
    admissible: tuple[str, ...] | None = None
    admissible_after: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RecordedEpisode:
    """One stored episode: what `Session` was given, and the turns."""

    task_text: str
    tools: Sequence[Mapping[str, JsonValue]]
    steps: Sequence[RecordedStep]
    messages: Sequence[Mapping[str, JsonValue]] = field(default_factory=tuple[JsonObject, ...])
    budget: int | None = None


@dataclass(frozen=True)
class StepDecisions:
    """What the harness would have done at one stored turn; no decision on a forced one."""

    decision: Decision | None
    regulated: Regulated


async def replay_session(
    harness: Harness, episode: RecordedEpisode, *, sandbox: Sandbox
) -> list[StepDecisions]:
    """Ask a harness about every turn of a stored episode, in a few feeds for all of them.

    Gives what a `Session` that is shown the same turns gives.

    Raises:
        SandboxError: the sandbox is gone.
    """
    replay = _Replay(harness, episode, sandbox)
    before = await replay.ask("actions", replay.actions)
    after = await replay.ask("regulation", [None] * len(episode.steps))
    await replay.ask_rescued(before)
    found: list[StepDecisions] = []
    for index, step in enumerate(episode.steps):
        decision = None
        if not step.is_forced:
            decision = await replay.decide(index, before[index])
        found.append(StepDecisions(decision, replay.regulate(index, after[index])))
    return found


class _Replay:
    """The stored episode, encoded once, and the harness judging it."""

    def __init__(self, harness: Harness, episode: RecordedEpisode, sandbox: Sandbox) -> None:
        names = frozenset(name for tool in episode.tools if (name := tool_name(tool)) is not None)
        self.harness = harness
        self.episode = episode
        self.sandbox = sandbox
        self.names = names
        self.conduct = Conduct(harness, names)
        self.actions = [
            None if step.is_forced else read_action(step.name, step.raw_arguments, step.raw_text)
            for step in episode.steps
        ]
        self._base = encode_base(episode.task_text, episode.tools)
        self._history = [
            encode_entry(_entry(step, action))
            for step, action in zip(episode.steps, self.actions, strict=True)
        ]
        self._messages, self._heard = _encode_messages(episode)
        self._steps = _count_turns(episode)
        self._firsts = _first_calls(episode)
        self._judged: dict[int, tuple[Action | None, tuple[RuleOutcome, ...]]] = {}

    def _point(self, layer: RuleLayer, index: int, action: Action | None) -> Point | None:
        step = self.episode.steps[index]
        encoded = encode_action(action) if action is not None else None
        if layer == "regulation":
            past, turns, offered = index + 1, self._steps[index + 1], step.admissible_after
            return Point(encoded, past, self._heard[index], turns, self.remaining(turns), offered)
        if encoded is None:
            return None
        # All calls of a reply are judged before the first of them is executed.
        past = self._firsts[index]
        turns, offered = self._steps[past], self.episode.steps[past].admissible
        return Point(encoded, past, self._heard[past], turns, self.remaining(turns), offered)

    def remaining(self, turns: int) -> int | None:
        """Units of budget left after so many turns."""
        budget = self.episode.budget
        return None if budget is None else max(0, budget - turns)

    async def ask(
        self, layer: RuleLayer, actions: Sequence[Action | None]
    ) -> list[tuple[RuleOutcome, ...]]:
        """Ask the rules of a layer at every step; nothing is asked about a missing action."""
        found: list[tuple[RuleOutcome, ...]] = [()] * len(actions)
        rules = self.conduct.rules(layer)
        if rules is None:
            return found
        points = {
            index: point
            for index, action in enumerate(actions)
            if (point := self._point(layer, index, action)) is not None
        }
        timeline = Timeline(self._base, self._history, self._messages, tuple(points.values()))
        outcomes = await self.sandbox.evaluate(rules, timeline)
        for index, outcome in zip(points, outcomes, strict=True):
            found[index] = outcome
        return found

    async def ask_rescued(self, before: Sequence[tuple[RuleOutcome, ...]]) -> None:
        """Ask about the calls that rules find in turns without one, all in one feed."""
        conduct = Conduct(self.harness, self.names)
        found = [
            self._rescued(conduct, action, outcomes)[1]
            for action, outcomes in zip(self.actions, before, strict=True)
        ]
        outcomes = await self.ask("actions", found)
        self._judged = dict(enumerate(zip(found, outcomes, strict=True)))

    def _rescued(
        self, conduct: Conduct, action: Action | None, outcomes: Sequence[RuleOutcome]
    ) -> tuple[Decision | None, Action | None]:
        if action is None or action.call is not None:
            return None, None
        first, is_found = conduct.rescue(action, outcomes)
        if not is_found or first.call is None:
            return first, None
        return first, Action(first.call.tool, first.call.arguments, action.raw_text)

    async def decide(self, index: int, before: Sequence[RuleOutcome]) -> Decision:
        """Decide on one turn as a session would."""
        action = self.actions[index] or Action(None, None)
        loaded = self.conduct.answer_load(action)
        if loaded is not None:
            return loaded
        if action.call is not None:
            return self.conduct.decide(action.call, before)
        first, found = self._rescued(self.conduct, action, before)
        if first is None or found is None or found.call is None:
            return first or Decision("none")
        expected, outcomes = self._judged.get(index, (None, ()))
        if expected != found:
            actions = [found if at == index else None for at in range(len(self.actions))]
            outcomes = (await self.ask("actions", actions))[index]
        return joined(first, self.conduct.decide(found.call, outcomes))

    def regulate(self, index: int, after: Sequence[RuleOutcome]) -> Regulated:
        """Decide what follows one result as a session would."""
        observation = self.episode.steps[index].observation
        remaining = self.remaining(self._steps[index + 1])
        return self.conduct.regulate(observation, after, remaining_steps=remaining)


def _entry(step: RecordedStep, action: Action | None) -> HistoryEntry:
    done = action or Action(None, None)
    if step.executed is not None:
        call = step.executed
        done = replace(done, tool=call.tool, arguments=call.arguments, parse_error=None)
    return HistoryEntry(done, step.observation, step.is_error, step.is_new_turn)


def _encode_messages(episode: RecordedEpisode) -> tuple[list[str], list[int]]:
    encoded = [encode_message(message) for message in episode.messages]
    heard: list[int] = []
    for step in episode.steps:
        encoded += [encode_message(message) for message in step.heard]
        heard.append(len(encoded))
    return encoded, heard


def _first_calls(episode: RecordedEpisode) -> list[int]:
    """For each stored call, the position of the first call of its reply."""
    firsts: list[int] = []
    for index, step in enumerate(episode.steps):
        firsts.append(index if step.is_new_turn or not firsts else firsts[-1])
    return firsts


def _count_turns(episode: RecordedEpisode) -> list[int]:
    counts = [0]
    for step in episode.steps:
        counts.append(counts[-1] + step.is_new_turn)
    return counts
