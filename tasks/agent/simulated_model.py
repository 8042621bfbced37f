"""Simulated models: an expert passed through a seeded fault process that reads its prompt by facts.

What the process did goes to the optional recorder only, never into a reply.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, get_args

from schemas.errors import ConfigError
from schemas.ids import canonical_json, make_id
from tasks.agent.capabilities import HasExpert
from tasks.agent.protocols import (
    Call,
    Conversation,
    Environment,
    EpisodeContext,
    ModelReply,
    RawCall,
)
from tasks.agent.simulated_declared import declared_simulation
from tasks.agent.simulated_faults import CueCache, FaultProcess, SimulatedEvent
from tasks.agent.simulated_prompt import (
    CHARS_PER_TOKEN,
    LOAD_TOOL,
    PromptReader,
    Shown,
    ToolsShown,
    read_tools,
)
from tasks.agent.simulated_prose import write_note
from tasks.agent.simulated_tiers import PROFILES, Luck, TierProfile
from tasks.agent.simulated_world import HasSimulation, Simulation, Slip, Tier, View
from tasks.agent.sources import source_hash

_MODULES = (
    "declared",
    "declared_cues",
    "faults",
    "model",
    "prompt",
    "prose",
    "reading",
    "tiers",
    "world",
)
"""Modules `simulated_*`, whose code decides what a simulated model says."""
_WORD = re.compile(r"^simulated:(?P<tier>[a-z]+)(?:\?temperature=(?P<temperature>[0-9.]+))?$")

Message = Mapping[str, Any]
Recorder = Callable[[Luck, int, SimulatedEvent], None]
"""Hears which episode did what at which reply; for tests only."""


@dataclass(frozen=True)
class SimulatedModel:
    """A model of one tier; build it with `simulated_model`."""

    tier: Tier
    temperature: float = 0.0
    recorder: Recorder | None = None
    profile: TierProfile | None = None
    """Parameters in place of the tier's own."""
    is_simulated: bool = True
    cache: CueCache = field(default_factory=CueCache, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The word a user writes for it."""
        return f"simulated:{self.tier}" + (
            f"?temperature={self.temperature:g}" if self.temperature else ""
        )

    @property
    def parameters(self) -> TierProfile:
        """What makes the tier."""
        return self.profile or PROFILES[self.tier]

    @property
    def fingerprint(self) -> str:
        """Hash of everything that changes its replies but the world: parameters and code."""
        return make_id("model", [self.name, asdict(self.parameters), _code()])

    @property
    def is_deterministic(self) -> bool:
        """At temperature 0 the repeat does not count."""
        return self.temperature == 0

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode.

        Raises:
            ConfigError: the environment has no expert.
        """
        environment = context.environment
        if not isinstance(environment, HasExpert):
            what = f"environment {environment.name!r} cannot be played by {self.name}"
            raise ConfigError(what, hint="take a model behind an endpoint, or `gold`")
        return SimulatedConversation(self, context, environment)


@lru_cache(maxsize=1)
def _code() -> str:
    return source_hash(*(f"tasks.agent.simulated_{name}" for name in _MODULES))


def simulated_model(word: str, recorder: Recorder | None = None) -> SimulatedModel:
    """Make the model a word such as `simulated:mid?temperature=0.7` names.

    Raises:
        ConfigError: the word names no tier or no temperature from 0 to 2.
    """
    match = _WORD.match(word)
    try:
        temperature = float((match and match["temperature"]) or 0.0)
    except ValueError:
        match, temperature = None, 0.0
    tier = next((tier for tier in get_args(Tier) if match and tier == match["tier"]), None)
    if tier is None or not 0 <= temperature <= 2:
        what = f"{word!r} is no simulated model"
        hint = "simulated:weak, simulated:mid or simulated:strong, with ?temperature=T up to 2"
        raise ConfigError(what, hint=hint)
    return SimulatedModel(tier, temperature, recorder)


def simulation_of(environment: Environment) -> Simulation:
    """The fault side of an environment: its own, else one made of what it declares."""
    if isinstance(environment, HasSimulation):
        return environment.simulation
    return declared_simulation(environment)


class SimulatedConversation:
    """One episode of a simulated model."""

    def __init__(self, model: SimulatedModel, context: EpisodeContext, expert: HasExpert) -> None:
        repeat = 0 if model.is_deterministic else context.repeat
        self._context = context
        self._expert = expert
        self._simulation = simulation_of(context.environment)
        self._profile = model.parameters
        self._luck = Luck(context.seed, context.task.task_id, repeat)
        self._recorder = model.recorder
        self._process = FaultProcess(
            self._simulation, model.tier, self._profile, self._luck, model.cache
        )
        self._reader = PromptReader(context.environment, context.task, context.world.opening)
        self._last: Call | None = None
        self._is_fresh = True
        self._tools: tuple[Sequence[Message], ToolsShown] | None = None

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        """Answer as the expert would, or slip; without tools to call, in prose."""
        context = self._context
        if not tools:
            return _in_prose(messages)
        if self._tools is None or self._tools[0] is not tools:
            self._tools = (tools, read_tools(tools, context.environment))
        shown = self._reader.read(messages, self._tools[1])
        if self._is_fresh:
            self._process.skip(shown.turns)
            self._last, self._is_fresh = shown.last_call, False
        expert = self._expert.expert_call(context.task, context.world)
        view = View(context.task, context.world, expert, self._last)
        slip = self._load(shown, view) or self._slip(shown, view)
        if slip is None:
            self._last = expert
            slip = Slip(calls=(RawCall(expert.tool, canonical_json(expert.arguments)),))
        return _as_reply(slip, shown)

    def _load(self, shown: Shown, view: View) -> Slip | None:
        """Load the skill that fits best, when the model has the luck to think of it."""
        fits = [
            (self._simulation.skill_fit(name, description, view), name)
            for name, description in shown.catalogue
        ]
        fit, name = max(fits, key=lambda item: item[0], default=(0.0, ""))
        if fit <= 0 or name in shown.loaded:
            return None
        chance = self._profile.loads_skill
        if name in shown.newest():
            chance += (1 - chance) * self._profile.nudge
        if self._luck.draw(LOAD_TOOL, 0) >= chance:
            return None
        self._record(shown, SimulatedEvent(LOAD_TOOL, "load", name))
        return Slip(calls=(RawCall(LOAD_TOOL, canonical_json({"name": name})),))

    def _slip(self, shown: Shown, view: View) -> Slip | None:
        slip = self._process.next(view, shown)
        for event in self._process.events:
            self._record(shown, event)
        return slip

    def _record(self, shown: Shown, event: SimulatedEvent) -> None:
        if self._recorder is not None:
            self._recorder(self._luck, shown.turns, event)


def _in_prose(messages: Sequence[Message]) -> ModelReply:
    told = [str(message.get("content") or "") for message in messages]
    text = write_note(told[-1] if told else "")
    tokens = sum(len(content) for content in told) // CHARS_PER_TOKEN
    written = len(text) // CHARS_PER_TOKEN + 1
    return ModelReply(text, finish_reason="stop", prompt_tokens=tokens, completion_tokens=written)


def _as_reply(slip: Slip, shown: Shown) -> ModelReply:
    calls = tuple(
        RawCall(call.name, call.arguments, f"sim{shown.turns:05d}{place:01d}")
        for place, call in enumerate(slip.calls)
    )
    size = len(slip.text) + sum(len(call.name) + len(call.arguments) for call in calls)
    return ModelReply(
        text=slip.text,
        calls=calls,
        finish_reason="tool_calls" if calls else "stop",
        prompt_tokens=shown.tokens,
        completion_tokens=size // CHARS_PER_TOKEN + 1,
    )
