"""A model behind an OpenAI-compatible endpoint, with native tool calls or calls as text."""

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.ids import canonical_json, make_id, sha256_hex
from schemas.settings import EndpointSettings, Price
from tasks.agent.endpoint import Endpoint
from tasks.agent.protocols import Conversation, EpisodeContext, JsonObject, ModelReply
from tasks.agent.text_mode import text_messages, with_call
from tasks.agent.wire import native_messages, read_reply

Message = Mapping[str, Any]
SEED_BITS = 31


@dataclass(frozen=True)
class ChatModel:
    """A frozen model behind an endpoint."""

    name: str
    endpoint: Endpoint
    is_simulated: bool = False

    @property
    def fingerprint(self) -> str:
        """Hash of address, model, mode and sampling; keys, limits and prices are not in it."""
        settings = self.endpoint.settings
        sampling = settings.sampling.model_dump(mode="json")
        return make_id("model", [self.endpoint.url, settings.model, settings.mode, sampling])

    @property
    def is_deterministic(self) -> bool:
        """Whether replies are drawn at temperature 0."""
        return self.endpoint.settings.sampling.temperature == 0

    async def __aenter__(self) -> "ChatModel":
        await self.endpoint.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.endpoint.__aexit__(*exc)

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode."""
        key = [context.task.task_id, context.seed, context.repeat]
        return ChatConversation(self.endpoint, seed=int(sha256_hex(canonical_json(key))[:12], 16))


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
        started = time.perf_counter()
        reply = read_reply(await self._endpoint.complete(body, self._rng))
        if settings.mode == "text" and tools:
            reply = with_call(reply)
        latency_s = time.perf_counter() - started
        return replace(reply, latency_s=latency_s, cost_usd=cost_usd(settings.price, reply))


def request_body(
    settings: EndpointSettings, messages: Sequence[Message], tools: Sequence[Message], *, seed: int
) -> JsonObject:
    """Make the request; members that are not configured are left to the endpoint."""
    sampling = settings.sampling
    body: JsonObject = {"model": settings.model}
    if settings.mode == "text" and tools:
        body["messages"] = text_messages(messages, tools)
    else:
        body["messages"] = native_messages(messages)
        if tools:
            body["tools"] = list(tools)
    body |= sampling.model_dump(include={"temperature", "top_p", "max_tokens"}, exclude_none=True)
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.send_seed:
        body["seed"] = seed
    return body | sampling.extra_body


def cost_usd(price: Price | None, reply: ModelReply) -> float | None:
    """Price of a reply; null when the endpoint has no price or did not count tokens."""
    if price is None or reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    dollars = price.prompt * reply.prompt_tokens + price.completion * reply.completion_tokens
    return dollars / 1_000_000
