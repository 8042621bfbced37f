"""One OpenAI-compatible endpoint: who may send when, and repetition of failed requests."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

import openai
from pydantic import SecretStr

from schemas.errors import ContextOverflow, ModelFault
from schemas.ids import canonical_json
from schemas.redaction import MARK, Redactor
from schemas.settings import EndpointSettings, Limits
from schemas.text import clean_text
from tasks.agent.connection import Connection, connect, public_url
from tasks.agent.protocols import JsonObject
from tasks.agent.retry import (
    LOST_STATUS,
    PAUSED,
    UNREADABLE_STATUS,
    Refusal,
    asked_wait_s,
    backoff_s,
)
from tasks.agent.traffic_limits import Account, account_of, wait_turn
from tasks.agent.trouble import IS_UP, NO_API, lost_request, refused_request, times

PATH = "/chat/completions"
MESSAGE_LENGTH = 300
READ_LENGTH = 4000
T = TypeVar("T")


class Endpoint:
    """Connections to one endpoint; open while entered, in one event loop at a time.

    A key is used for the authentication of requests and for nothing else: neither errors nor
    the fingerprint of a model hold it.
    """

    def __init__(self, settings: EndpointSettings, key: SecretStr | None = None) -> None:
        self.settings = settings
        self.url = public_url(settings.base_url)
        self._key = key
        self._connection: Connection | None = None

    async def __aenter__(self) -> "Endpoint":
        if self._connection is None:
            self._connection = connect(self.settings, self._key)
        self._connection.users += 1
        return self

    async def __aexit__(self, *exc: object) -> None:
        connection = self._connection
        if connection is None:
            return
        connection.users -= 1
        if connection.users == 0:
            self._connection = None
            await connection.client.close()

    def within(self, limits: Limits) -> "Endpoint":
        """The same endpoint under other limits."""
        return Endpoint(self.settings.model_copy(update={"limits": limits}), self._key)

    @property
    def account(self) -> Account:
        """What this process has asked of the endpoint so far."""
        return account_of(self.url, self.settings.model)

    async def complete(
        self,
        body: JsonObject,
        rng: random.Random,
        read: Callable[[object], T],
        *,
        tokens: float = 0,
    ) -> T:
        """Send one request of about so many tokens, and read what comes; repeat what may help.

        Raises:
            ContextOverflow: the conversation is too long for the model.
            ModelFault: the endpoint refuses, or is not usable within limits and retry budgets;
                or `read` cannot make sense of what comes.
        """
        if self._connection is None:
            async with self:
                return await self.complete(body, rng, read, tokens=tokens)
        limits, loop, account = self.settings.limits, asyncio.get_running_loop(), self.account
        account.requests += 1
        refused: list[Refusal] = []
        deadline = 0.0
        while True:
            async with self._connection.slots:
                self._require_no_long_pause(account, loop.time())
                await wait_turn(account, limits, tokens)
                deadline = deadline or loop.time() + limits.retry_budget_s
                answer = await self._send(self._connection, body, read)
            if isinstance(answer, _Answer):
                return answer.value
            refused.append(answer)
            wait_s = self._next_wait(refused, rng, deadline - loop.time())
            account.repetitions += 1
            await asyncio.sleep(wait_s)

    async def fetch(self, path: str) -> object:
        """What the endpoint gives at a path, once and within the timeout.

        Raises:
            ModelFault: it gives nothing there.
        """
        if self._connection is None:
            async with self:
                return await self.fetch(path)
        connection = self._connection
        answer = await self._attempt(lambda: connection.get(path), lambda value: value)
        if isinstance(answer, _Answer):
            return answer.value
        if answer.status == LOST_STATUS:
            raise self._given_up(answer, 1)
        what = f"{self.url}: {path}: status {answer.status}: {answer.text}"
        raise ModelFault(what, kind="refused", hint=answer.hint)

    async def _send(
        self, connection: Connection, body: JsonObject, read: Callable[[object], T]
    ) -> "_Answer[T] | Refusal":
        answer = await self._attempt(lambda: connection.post(PATH, body), read)
        if isinstance(answer, Refusal) and answer.wait_s and answer.status in PAUSED:
            self.account.pause(asyncio.get_running_loop().time() + answer.wait_s)
        return answer

    async def _attempt(
        self, ask: Callable[[], Awaitable[object]], read: Callable[[object], T]
    ) -> "_Answer[T] | Refusal":
        """Ask once; no response, and one without sense, are refusals of statuses of their own."""
        limits = self.settings.limits
        try:
            async with asyncio.timeout(limits.timeout_s):
                value = await ask()
            return _Answer(read(value))
        except openai.APIStatusError as error:
            text = self._redact(_said(error))
            return Refusal(error.status_code, text, asked_wait_s(error.response.headers))
        except (TimeoutError, openai.APIConnectionError) as error:
            lost = lost_request(error, self.url, limits.timeout_s)
            return Refusal(LOST_STATUS, self._redact(lost.what), hint=lost.hint)
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            what = self._redact(f"{type(error).__name__}: {error}")
            return Refusal(UNREADABLE_STATUS, f"the response cannot be read: {what}", hint=NO_API)
        except ModelFault as error:
            if error.kind != "malformed":
                raise
            return Refusal(UNREADABLE_STATUS, self._redact(error.what), hint=error.hint or NO_API)

    def _require_no_long_pause(self, account: Account, now: float) -> None:
        wait_s = account.paused_until - now
        if wait_s > self.settings.limits.retry_budget_s:
            raise self._given_up(Refusal(429, "no requests for now", round(wait_s)), 0)

    def _next_wait(self, refused: list[Refusal], rng: random.Random, left_s: float) -> float:
        """Seconds until the next try.

        Raises:
            ModelFault: there is none.
        """
        last, tries = refused[-1], len(refused)
        self._raise_if_final(last, tries)
        limits = self.settings.limits
        wait_s = max(backoff_s(tries - 1, rng), last.wait_s or 0.0)
        if tries > limits.max_retries or wait_s > left_s or last.is_hopeless(refused):
            raise self._given_up(last, tries)
        if not self.account.may_repeat(limits):
            raise self._given_up(last, tries, "; the repetitions of all requests are spent")
        return wait_s

    def _raise_if_final(self, refusal: Refusal, tries: int) -> None:
        if refusal.is_overflow:
            what = f"{self.url}: {refusal.text}"
            raise ContextOverflow(what, kind="refused")
        if not refusal.is_retryable:
            trouble = refused_request(refusal, self.settings)
            what = f"{self.url} {trouble.what}; tried {times(tries)}"
            raise ModelFault(what, kind="refused", hint=trouble.hint)

    def _given_up(self, refusal: Refusal, tries: int, why: str = "") -> ModelFault:
        if refusal.status == UNREADABLE_STATUS:
            what = f"{self.url}: {refusal.text}; tried {times(tries)}{why}"
            return ModelFault(what, kind="malformed", hint=refusal.hint)
        status = "" if refusal.status == LOST_STATUS else f"status {refusal.status}: "
        asked = f"; it asks to wait {refusal.wait_s:g} s" if refusal.wait_s else ""
        tried = "1 try" if tries == 1 else f"{tries} tries"
        what = f"{self.url} is not usable after {tried}: {status}{refusal.text}{asked}{why}"
        hint = refusal.hint or refused_request(refusal, self.settings).hint or IS_UP
        if why:
            hint += ", or raise limits.retry_share"
        return ModelFault(what, kind="unavailable", hint=hint)

    def _redact(self, text: str) -> str:
        if self._key and self._key.get_secret_value():
            text = text.replace(self._key.get_secret_value(), MARK)
        bounded = clean_text(" ".join(text[:READ_LENGTH].split()))
        return Redactor().text(bounded)[:MESSAGE_LENGTH]


@dataclass(frozen=True)
class _Answer(Generic[T]):
    value: T


def _said(error: openai.APIStatusError) -> str:
    """What the server said, from the places servers use for it."""
    body: object = error.body
    if isinstance(body, dict):
        parts = cast("JsonObject", body)
        texts = [parts.get(name) for name in ("code", "message", "detail")]
        found = ": ".join(text for text in texts if isinstance(text, str) and text)
        return found or canonical_json(parts)
    return str(body or error.message)
