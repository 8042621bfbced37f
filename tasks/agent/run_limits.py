"""What one run of a command may spend on models, and how many episodes it plays side by side.

A request is sent only when what it may take at most still fits beside what was spent and what is
in flight. When it does not fit it waits for those in flight, which mostly take less than was set
aside for them; when nothing is in flight the cap is reached and no further request is made.
"""

import asyncio
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from schemas.errors import CapReached
from tasks.agent.protocols import Conversation, ModelReply

CONCURRENCY = 64
CHARS_PER_TOKEN = 3.0
"""Fewer than in most texts, so that what is set aside is rather too much."""
FIRST_REPLY_TOKENS = 512
"""Set aside for a reply as long as none has been seen."""
Message = Mapping[str, Any]


@dataclass
class Spending:
    """Tokens and dollars of a run; 0 sets no cap.

    Attributes:
        tokens: spent so far; what an endpoint does not count is estimated.
        usd: spent so far at the prices of the endpoints.
        is_reached: whether a request was refused for a cap; none is made afterwards.
    """

    max_tokens: int = 0
    max_usd: float = 0.0
    tokens: int = 0
    usd: float = 0.0
    is_reached: bool = False
    _held: list["_Hold"] = field(default_factory=list["_Hold"])
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque[asyncio.Future[None]])
    _longest_reply: int = 0

    @property
    def is_capped(self) -> bool:
        """Whether there is a cap at all."""
        return bool(self.max_tokens or self.max_usd)

    async def hold(self, sent: int, usd_per_token: float) -> "_Hold":
        """Set aside what a request of about so many tokens may take.

        Raises:
            CapReached: it does not fit any more.
        """
        hold = _Hold(sent, self._longest_reply or FIRST_REPLY_TOKENS, usd_per_token)
        while self.is_reached or not self._fits(hold):
            if self.is_reached or not self._held:
                self.is_reached = True
                self._wake()
                raise self.stopped()
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter
        self._held.append(hold)
        return hold

    def settle(self, hold: "_Hold", reply: ModelReply | None) -> None:
        """Book what a request took; nothing when it failed."""
        self._held.remove(hold)
        if reply is not None:
            self._book(hold, reply)
        self._wake()

    def _book(self, hold: "_Hold", reply: ModelReply) -> None:
        written = reply.completion_tokens
        if written is None:
            texts = [reply.text, reply.reasoning or "", *(call.arguments for call in reply.calls)]
            written = estimated_tokens(texts)
        took = (hold.sent if reply.prompt_tokens is None else reply.prompt_tokens) + written
        self.tokens += took
        self._longest_reply = max(self._longest_reply, written)
        self.usd += took * hold.usd_per_token if reply.cost_usd is None else reply.cost_usd

    def _fits(self, new: "_Hold") -> bool:
        ahead = [*self._held, new]
        if self.max_tokens and self.tokens + sum(one.most for one in ahead) > self.max_tokens:
            return False
        usd = sum(one.most * one.usd_per_token for one in ahead)
        return not self.max_usd or self.usd + usd <= self.max_usd

    def _wake(self) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)

    def require_room(self) -> None:
        """Go on only when no request was refused.

        Raises:
            CapReached: one was.
        """
        if self.is_reached:
            raise self.stopped()

    def stopped(self) -> CapReached:
        """Say where the run stopped, and what to do about it."""
        caps = [f"{self.max_tokens} tokens"] if self.max_tokens else []
        caps += [f"{self.max_usd:g} USD"] if self.max_usd else []
        what = f"stopped before the cap of {' and '.join(caps)}: this run spent {self.told}"
        hint = "what it made is stored; run the same command again to go on, or raise the cap"
        return CapReached(what, tokens=self.tokens, usd=round(self.usd, 6), hint=hint)

    @property
    def told(self) -> str:
        """What was spent, for people."""
        return f"{self.tokens} tokens and {self.usd:.4f} USD"


@dataclass(eq=False)
class _Hold:
    """Tokens set aside for one request in flight, and the most that one of them costs."""

    sent: int
    written: int
    usd_per_token: float

    @property
    def most(self) -> int:
        return self.sent + self.written


@dataclass(frozen=True)
class RunLimits:
    """Limits of the run that is under way."""

    spending: Spending = field(default_factory=Spending)
    concurrency: int = CONCURRENCY


_LIMITS: ContextVar[RunLimits | None] = ContextVar("run_limits", default=None)


def run_limits() -> RunLimits:
    """Limits of the run that is under way; none where nobody set any."""
    return _LIMITS.get() or RunLimits()


@contextmanager
def limited(limits: RunLimits) -> Generator[RunLimits]:
    """Let limits hold in the block; those of a run that is under way already stay."""
    if _LIMITS.get() is not None:
        yield run_limits()
        return
    token = _LIMITS.set(limits)
    try:
        yield limits
    finally:
        _LIMITS.reset(token)


def estimated_tokens(texts: Sequence[str]) -> int:
    """Tokens of texts that nobody has counted."""
    return int(sum(map(len, texts)) / CHARS_PER_TOKEN) + 1


def message_tokens(messages: Sequence[Message], tools: Sequence[Message]) -> int:
    """Tokens of a request, estimated without encoding it."""
    texts = [str(part) for message in messages for part in message.values() if part]
    return estimated_tokens([*texts, *map(str, tools)])


@dataclass(frozen=True)
class _Capped:
    """A conversation that asks only within the caps of the run."""

    inner: Conversation
    spending: Spending
    usd_per_token: float

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        hold = await self.spending.hold(message_tokens(messages, tools), self.usd_per_token)
        try:
            reply = await self.inner.reply(messages, tools)
        except BaseException:
            self.spending.settle(hold, None)
            raise
        self.spending.settle(hold, reply)
        return reply


def within_caps(conversation: Conversation, model: object) -> Conversation:
    """The conversation as it is, or held to the caps of the run where there are some."""
    spending = run_limits().spending
    if not spending.is_capped:
        return conversation
    return _Capped(conversation, spending, usd_per_token(model) or 0.0)


@runtime_checkable
class Priced(Protocol):
    """A model that somebody is paid for, or that stands before one."""

    @property
    def usd_per_token(self) -> float | None:
        """The most one token costs in US dollars; null when nobody knows."""
        ...


def usd_per_token(model: object) -> float | None:
    """The most a token of a model costs: 0 where none is paid for, null where nobody knows."""
    return model.usd_per_token if isinstance(model, Priced) else 0.0
