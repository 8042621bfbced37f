"""Models that need no endpoint: the expert, the one that does nothing, and a script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.errors import ConfigError, ModelFault
from schemas.ids import canonical_json, make_id
from tasks.agent.capabilities import HasExpert
from tasks.agent.protocols import Call, Conversation, EpisodeContext, ModelReply, RawCall

Message = Mapping[str, Any]
ScriptItem = str | Call | RawCall | ModelReply | Exception


def raw_call(call: Call) -> RawCall:
    """Write a call down as a model would."""
    return RawCall(call.tool, canonical_json(call.arguments))


@dataclass(frozen=True)
class _GoldConversation:
    context: EpisodeContext
    expert: HasExpert

    async def reply(self, _messages: Sequence[Message], _tools: Sequence[Message]) -> ModelReply:
        call = self.expert.expert_call(self.context.task, self.context.world)
        return ModelReply(calls=(raw_call(call),), finish_reason="tool_calls")


@dataclass(frozen=True)
class GoldModel:
    """The expert of an environment, as a model; it must pass every task."""

    name: str = "gold"
    fingerprint: str = "builtin:gold:1"
    is_simulated: bool = True
    is_deterministic: bool = True

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode.

        Raises:
            ConfigError: the environment has no expert.
        """
        environment = context.environment
        if not isinstance(environment, HasExpert):
            what = f"environment `{environment.name}` has no expert, so `gold` cannot act in it"
            raise ConfigError(what, hint="use another model")
        return _GoldConversation(context, environment)


@dataclass(frozen=True)
class _NoopConversation:
    async def reply(self, _messages: Sequence[Message], _tools: Sequence[Message]) -> ModelReply:
        return ModelReply(finish_reason="stop")


@dataclass(frozen=True)
class NoopModel:
    """A model that says nothing; it must pass no task."""

    name: str = "noop"
    fingerprint: str = "builtin:noop:1"
    is_simulated: bool = True
    is_deterministic: bool = True

    def open(self, _context: EpisodeContext) -> Conversation:
        """Start an episode."""
        return _NoopConversation()


def _as_reply(item: ScriptItem) -> ModelReply:
    match item:
        case Exception():
            raise item
        case ModelReply():
            return item
        case Call():
            return ModelReply(calls=(raw_call(item),))
        case RawCall():
            return ModelReply(calls=(item,))
        case str():
            return ModelReply(text=item)


@dataclass
class _ScriptedConversation:
    items: Sequence[ScriptItem]
    repeats_last: bool
    requests: list[list[Message]]
    position: int = 0

    async def reply(self, messages: Sequence[Message], _tools: Sequence[Message]) -> ModelReply:
        self.requests.append([dict(message) for message in messages])
        position = self.position
        if self.repeats_last and self.items:
            position = min(position, len(self.items) - 1)
        if position >= len(self.items):
            what = f"the script has {len(self.items)} replies and was asked for one more"
            raise ModelFault(what)
        self.position += 1
        return _as_reply(self.items[position])


@dataclass(frozen=True)
class ScriptedModel:
    """A model that says what a list says, one item a reply; for tests and examples.

    An item is text, a call, a raw call, a whole reply, or an exception to raise. `requests`
    keeps the messages of every request, in the order they came.
    """

    script: Sequence[ScriptItem] | Mapping[str, Sequence[ScriptItem]]
    """The replies; as a mapping, one list for each task id."""
    name: str = "scripted"
    is_simulated: bool = True
    is_deterministic: bool = True
    repeats_last: bool = False
    """Whether the last item is said again and again; otherwise the end is a ModelFault."""
    requests: list[list[Message]] = field(default_factory=list[list[Message]])

    @property
    def fingerprint(self) -> str:
        """Hash of the script."""
        return make_id("model", [self.name, repr(self.script), self.repeats_last])

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode at the top of its list."""
        script = self.script
        items = script.get(context.task.task_id, ()) if isinstance(script, Mapping) else script
        return _ScriptedConversation(items, self.repeats_last, self.requests)
