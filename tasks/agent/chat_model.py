"""A model behind an OpenAI-compatible endpoint: native tool calls, calls as text, or by schema."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.errors import ModelFault
from schemas.ids import canonical_json, make_id, sha256_hex
from schemas.settings import EndpointSettings, Price
from tasks.agent.endpoint import Endpoint
from tasks.agent.identity import UNKNOWN, Identity
from tasks.agent.protocols import Conversation, EpisodeContext, JsonObject, ModelReply
from tasks.agent.run_limits import message_tokens
from tasks.agent.schema_mode import response_format, schema_messages, with_schema_call
from tasks.agent.text_mode import text_messages, with_call
from tasks.agent.wire import native_messages, read_reply

Message = Mapping[str, Any]
SEED_BITS = 31
_SENT = ("temperature", "top_p", "max_tokens")


@dataclass
class ChatModel:
    """A frozen model behind an endpoint.

    Attributes:
        identity: what is known of who answers there.
    """

    name: str
    endpoint: Endpoint
    identity: Identity = UNKNOWN
    is_simulated: bool = False
    _served: str | None = None

    @property
    def fingerprint(self) -> str:
        """Hash of address, model, who answers, mode and sampling; no keys, limits or prices."""
        settings = self.endpoint.settings
        sampling = settings.sampling.model_dump(mode="json")
        key = [self.endpoint.url, settings.model, settings.mode, sampling, self.identity.key]
        return make_id("model", key)

    @property
    def is_deterministic(self) -> bool:
        """Whether replies are drawn at temperature 0."""
        return self.endpoint.settings.sampling.temperature == 0

    @property
    def calls_as_text(self) -> bool:
        """Whether calls are read from the text of a reply."""
        return self.endpoint.settings.mode == "text"

    @property
    def usd_per_token(self) -> float | None:
        """The most one token costs; null without a price."""
        price = self.endpoint.settings.price
        return None if price is None else max(price.prompt, price.completion) / 1_000_000

    async def __aenter__(self) -> "ChatModel":
        await self.endpoint.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.endpoint.__aexit__(*exc)

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode."""
        key = [context.task.task_id, context.seed, context.repeat]
        seed = int(sha256_hex(canonical_json(key))[:12], 16)
        return _PinnedConversation(self, ChatConversation(self.endpoint, seed=seed))

    def require_same(self, reply: ModelReply) -> None:
        """Refuse a reply of another model than answered first: a trajectory is of one model.

        Raises:
            ModelFault: it is.
        """
        self._served = self._served or self.identity.served_model or reply.served_model
        if reply.served_model not in (None, self._served):
            what = f"{self.name} is answered by {reply.served_model}, and was by {self._served}"
            hint = f"`tackroom model check {self.name.partition(':')[2]}` takes note of it"
            raise ModelFault(what, kind="changed", hint=hint)


@dataclass(frozen=True)
class _PinnedConversation:
    model: ChatModel
    inner: "ChatConversation"

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        reply = await self.inner.reply(messages, tools)
        self.model.require_same(reply)
        return reply


class ChatConversation:
    """Requests of one episode, or of anybody else who talks to an endpoint."""

    def __init__(self, endpoint: Endpoint, *, seed: int) -> None:
        self._endpoint = endpoint
        self._rng = random.Random(seed)
        self._seed = seed % 2**SEED_BITS

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        """Answer the conversation so far.

        Raises:
            ContextOverflow: the conversation is too long for the model.
            ModelFault: the endpoint is down, refuses, or answers with nonsense.
        """
        settings = self._endpoint.settings
        body = request_body(settings, messages, tools, seed=self._seed)
        expected = self._expected_tokens(messages, tools)
        started = time.perf_counter()
        reply = await self._endpoint.complete(body, self._rng, read_reply, tokens=expected)
        latency_s = time.perf_counter() - started
        if expected and reply.prompt_tokens is not None:
            took = reply.prompt_tokens + (reply.completion_tokens or 0)
            self._endpoint.account.settle(settings.limits, took - expected)
        reply = replace(reply, latency_s=latency_s, cost_usd=cost_usd(settings.price, reply))
        match settings.mode:
            case "text" if tools:
                return with_call(reply)
            case "schema" if tools:
                return with_schema_call(reply)
            case _:
                return reply

    def _expected_tokens(self, messages: Sequence[Message], tools: Sequence[Message]) -> int:
        """What a request will take, where tokens a minute are limited; replies are settled."""
        if not self._endpoint.settings.limits.tokens_per_minute:
            return 0
        return message_tokens(messages, tools)


def request_body(
    settings: EndpointSettings, messages: Sequence[Message], tools: Sequence[Message], *, seed: int
) -> JsonObject:
    """Make the request; members that are not configured are left to the endpoint."""
    sampling = settings.sampling
    body: JsonObject = {"model": settings.model}
    # Without tools there is nothing to explain: a loop tells them itself, or asks for prose.
    match settings.mode if tools else "tools":
        case "text":
            body["messages"] = text_messages(messages, tools)
        case "schema":
            body["messages"] = schema_messages(messages, tools)
            body["response_format"] = response_format(tools, settings.schema_form)
        case "tools":
            body["messages"] = native_messages(messages)
            if tools:
                body["tools"] = list(tools)
    body |= {name: getattr(sampling, name) for name in _SENT if getattr(sampling, name) is not None}
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.send_seed:
        body["seed"] = seed
    if sampling.logprobs:
        body["logprobs"] = True
    return body | sampling.extra_body


def cost_usd(price: Price | None, reply: ModelReply) -> float | None:
    """Price of a reply; null when the endpoint has no price or did not count tokens."""
    if price is None or reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    dollars = price.prompt * reply.prompt_tokens + price.completion * reply.completion_tokens
    return dollars / 1_000_000
