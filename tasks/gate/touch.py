"""Where two harnesses would act differently in a stored run: the basis of ties and forecasts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from schemas.episode import Episode
from schemas.fields import Layer
from tasks.agent.clearance import call_key, step_indices
from tasks.agent.protocols import JsonObject
from tasks.agent.recording import Opening, condition, record, recover_opening
from tasks.harness import Conditioned, Harness, Sandbox
from tasks.harness.replay import RecordedEpisode, RecordedStep, StepDecisions, replay_session

Where = Literal["prompt", "decision", "regulation"]
_Key = tuple[str, str]
RULE_LAYERS: tuple[Layer, ...] = ("actions", "regulation")


@dataclass(frozen=True)
class Difference:
    """One moment at which a candidate would act differently.

    Attributes:
        position: index of the recorded step; 0 for the prompt.
        step_index: its step in the episode.
        new: what the candidate would do; null for a difference of the prompt.
        added: lines the prompt gains.
        removed: lines the prompt loses.
    """

    where: Where
    position: int
    step_index: int
    recorded: RecordedStep | None = None
    new: StepDecisions | None = None
    added: str = ""
    removed: str = ""


@dataclass(frozen=True)
class Comparison:
    """A stored run seen by two harnesses; not exact when its prompts could not be explained."""

    episode: Episode
    is_exact: bool
    differences: tuple[Difference, ...] = ()
    steps: tuple[RecordedStep, ...] = ()

    @property
    def is_touched(self) -> bool:
        """Whether the candidate could change the run, as far as the record can tell."""
        return not self.is_exact or bool(self.differences)


@dataclass
class Replayer:
    """Asks harnesses about stored runs and remembers the answers of the one in force.

    `tools` stand in for imported episodes whose source names none.
    """

    sandbox: Sandbox
    tools: Sequence[JsonObject] = ()
    _openings: dict[_Key, Opening] = field(default_factory=dict[_Key, Opening])
    _sent: dict[_Key, Conditioned] = field(default_factory=dict[_Key, Conditioned])
    _decisions: dict[_Key, asyncio.Future[list[StepDecisions]]] = field(
        default_factory=dict[_Key, asyncio.Future[list[StepDecisions]]]
    )
    _recorded: dict[_Key, RecordedEpisode] = field(default_factory=dict[_Key, RecordedEpisode])
    _narrow: dict[_Key, tuple[Harness, Harness]] = field(
        default_factory=dict[_Key, tuple[Harness, Harness]]
    )

    async def can_touch(self, old: Harness, new: Harness, episode: Episode) -> bool:
        """Whether `new` could change a run stored under `old`.

        False is a proof for a deterministic model: the prompt is the same, and at no stored
        moment does any rule decide otherwise, so the run would go the same way.
        """
        if episode.trajectory.harness_id != old.harness_id or episode.trajectory.arm != "run":
            return True
        opening = self._opening(old, episode)
        if not opening.is_exact or self._prompts_differ(old, new, opening, episode):
            return True
        comparison = await self.compare(old, new, episode)
        return comparison.is_touched or _is_blind(comparison)

    def prompt_differs(self, old: Harness, new: Harness, episode: Episode) -> bool:
        """Whether two harnesses send a model different words in a stored run."""
        return self._prompts_differ(old, new, self._opening(old, episode), episode)

    async def compare(self, old: Harness, new: Harness, episode: Episode) -> Comparison:
        """Find every moment of a stored run at which two harnesses act differently."""
        opening = self._opening(old, episode)
        found: list[Difference] = []
        if self._prompts_differ(old, new, opening, episode):
            found.append(self._prompt_difference(old, new, opening, episode))
        recorded = self._record(old, opening, episode)
        if not _rules_differ(old, new):
            return Comparison(episode, opening.is_exact, tuple(found), tuple(recorded.steps))
        kept, changed = self._narrowed(old, new)
        before = await self._decide(kept, episode, recorded)
        after = await self._decide(changed, episode, recorded)
        found += _decision_differences(episode, recorded, before, after)
        return Comparison(episode, opening.is_exact, tuple(found), tuple(recorded.steps))

    async def blocks_again(
        self, old: Harness, new: Harness, episode: Episode, difference: Difference
    ) -> bool:
        """Whether `new` also stops a call that is made once more after it was blocked there.

        An agent that is refused a good call mostly makes it again; a rule that then lets it
        through costs one turn, which the run must have left.
        """
        recorded = self._record(old, self._opening(old, episode), episode)
        step, position = recorded.steps[difference.position], difference.position
        decided = difference.new.decision if difference.new else None
        turns = sum(one.is_new_turn for one in recorded.steps)
        if decided is None or (recorded.budget is not None and turns >= recorded.budget):
            return True
        refused = replace(step, executed=None, observation=decided.message, is_error=True)
        again = replace(step, heard=(), is_new_turn=True)
        tried = replace(recorded, steps=(*recorded.steps[:position], refused, again))
        _, changed = self._narrowed(old, new)
        decision = (await replay_session(changed, tried, sandbox=self.sandbox))[-1].decision
        if decision is None or decision.kind != "execute":
            return True
        return call_key(decision.call) != call_key(step.executed)

    def _opening(self, old: Harness, episode: Episode) -> Opening:
        key = (old.harness_id, episode.trajectory_id)
        if key not in self._openings:
            self._openings[key] = recover_opening(episode, old, self.tools)
        return self._openings[key]

    def _condition(self, harness: Harness, opening: Opening, episode: Episode) -> Conditioned:
        key = (harness.harness_id, episode.trajectory_id)
        if key not in self._sent:
            self._sent[key] = condition(harness, opening)
        return self._sent[key]

    def _record(self, old: Harness, opening: Opening, episode: Episode) -> RecordedEpisode:
        key = (old.harness_id, episode.trajectory_id)
        if key not in self._recorded:
            sent = self._condition(old, opening, episode)
            self._recorded[key] = record(episode, opening, sent)
        return self._recorded[key]

    def _prompts_differ(
        self, old: Harness, new: Harness, opening: Opening, episode: Episode
    ) -> bool:
        if _texts(old) == _texts(new):
            return False
        before = self._condition(old, opening, episode)
        after = self._condition(new, opening, episode)
        return before.messages != after.messages or before.tools != after.tools

    def _prompt_difference(
        self, old: Harness, new: Harness, opening: Opening, episode: Episode
    ) -> Difference:
        before = _lines(self._condition(old, opening, episode))
        after = _lines(self._condition(new, opening, episode))
        return Difference(
            "prompt",
            0,
            0,
            added="\n".join(line for line in after if line not in before),
            removed="\n".join(line for line in before if line not in after),
        )

    def _narrowed(self, old: Harness, new: Harness) -> tuple[Harness, Harness]:
        key = (old.harness_id, new.harness_id)
        if key not in self._narrow:
            self._narrow[key] = narrow(old, new)
        return self._narrow[key]

    async def _decide(
        self, harness: Harness, episode: Episode, recorded: RecordedEpisode
    ) -> list[StepDecisions]:
        key = (harness.harness_id, episode.trajectory_id)
        if key not in self._decisions:
            asking = replay_session(harness, recorded, sandbox=self.sandbox)
            # Edits that are checked side by side ask for the same runs at the same time.
            self._decisions[key] = asyncio.ensure_future(asking)
        return await self._decisions[key]


def _lines(sent: Conditioned) -> dict[str, None]:
    """Lines of the messages that are sent, in order."""
    texts = [str(message.get("content") or "") for message in sent.messages]
    return dict.fromkeys(line for text in texts for line in text.splitlines() if line.strip())


def _decision_differences(
    episode: Episode,
    recorded: RecordedEpisode,
    before: Sequence[StepDecisions],
    after: Sequence[StepDecisions],
) -> list[Difference]:
    found: list[Difference] = []
    indices = step_indices(episode, recorded.steps)
    for position, step in enumerate(recorded.steps):
        was, now = before[position], after[position]
        at = (position, indices[position], step, now)
        if _acts(was) != _acts(now):
            found.append(Difference("decision", *at))
        # What follows the last result of a run reaches nobody, so it is not compared.
        if position + 1 < len(recorded.steps) and _steers(was) != _steers(now):
            found.append(Difference("regulation", *at))
    return found


def narrow(old: Harness, new: Harness) -> tuple[Harness, Harness]:
    """Switch off rule layers that are the same in both; they decide alike on the same history."""
    for layer in RULE_LAYERS:
        path = f"{layer}.py"
        is_on = layer in old.layers and layer in new.layers
        if is_on and old.files[path] == new.files[path]:
            old, new = old.without_layer(layer), new.without_layer(layer)
    return old, new


def _texts(harness: Harness) -> tuple[object, ...]:
    """Everything of a harness that can reach the prompt."""
    files = {
        path: text
        for path, text in harness.files.items()
        if path == "contract.md" or path.startswith("skills/")
    }
    return (files, harness.layers, harness.delivery)


def _rules_differ(old: Harness, new: Harness) -> bool:
    def parts(harness: Harness) -> list[object]:
        rules = [harness.files[f"{layer}.py"] for layer in RULE_LAYERS if layer in harness.layers]
        skills = [harness.files[path] for path in harness.files if path.startswith("skills/")]
        return [harness.layers, rules, harness.budgets, harness.offers_skills and skills]

    return parts(old) != parts(new)


def _acts(decisions: StepDecisions) -> tuple[object, ...] | None:
    decision = decisions.decision
    if decision is None:
        return None
    return (decision.kind, call_key(decision.call), decision.message)


def _steers(decisions: StepDecisions) -> tuple[object, ...]:
    regulated = decisions.regulated
    return (regulated.observation, call_key(regulated.forced), regulated.stop)


def _is_blind(comparison: Comparison) -> bool:
    """Whether commands offered between the calls of one turn are missing from the record."""
    steps = comparison.steps
    return any(not step.is_new_turn and step.admissible is not None for step in steps)
