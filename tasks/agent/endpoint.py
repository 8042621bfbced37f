"""One OpenAI-compatible endpoint: connections, concurrency, repetition of failed requests.

Requests go through the client's low-level `post`, which keeps its authentication and timeouts
without the walk over every message that `chat.completions.create` makes on each call.
"""

import asyncio
import random
from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import cast
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

import httpx2
import openai
from openai import AsyncOpenAI, DefaultAioHttpClient, Omit
from openai._types import RequestOptions
from pydantic import SecretStr

from schemas.errors import ContextOverflow, ModelFault
from schemas.ids import canonical_json
from schemas.redaction import MARK, Redactor
from schemas.settings import EndpointSettings
from schemas.text import clean_text
from tasks.agent.arguments import clean_value
from tasks.agent.protocols import JsonObject
from tasks.agent.retry import Refusal, asked_wait_s, backoff_s
from tasks.agent.trouble import (
    IS_UP,
    LOST_STATUS,
    NO_API,
    lost_request,
    refused_request,
    times,
)

PATH = "/chat/completions"
MESSAGE_LENGTH = 300
READ_LENGTH = 4000


def public_url(url: str) -> str:
    """Address without user, password, query and fragment, which may hold secrets."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


class _LimitedStream(httpx2.AsyncByteStream):
    """Body of a response that becomes a fault when it grows beyond a limit."""

    def __init__(self, stream: httpx2.AsyncByteStream, limit: int) -> None:
        self._stream = stream
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read += len(chunk)
            if read > self._limit:
                what = f"the endpoint's response is longer than {self._limit} bytes"
                raise ModelFault(what, kind="malformed", hint="raise limits.max_reply_bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


@dataclass
class _Connection:
    """What lives as long as somebody uses the endpoint in one event loop."""

    client: AsyncOpenAI
    slots: asyncio.Semaphore
    users: int = 0


class Endpoint:
    """Connections to one endpoint; open while entered, in one event loop at a time.

    A key is used for the authentication of requests and for nothing else: neither errors nor
    the fingerprint of a model hold it.
    """

    def __init__(self, settings: EndpointSettings, key: SecretStr | None = None) -> None:
        self.settings = settings
        self.url = public_url(settings.base_url)
        self._key = key
        self._connection: _Connection | None = None

    async def __aenter__(self) -> "Endpoint":
        if self._connection is None:
            slots = asyncio.Semaphore(self.settings.limits.concurrency)
            self._connection = _Connection(self._connect(), slots)
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

    def _connect(self) -> AsyncOpenAI:
        limit = self.settings.limits.max_reply_bytes

        async def bound(response: httpx2.Response) -> None:
            stream = response.stream
            if isinstance(stream, httpx2.AsyncByteStream):
                response.stream = _LimitedStream(stream, limit)

        return AsyncOpenAI(
            api_key=self._key.get_secret_value() if self._key else "none",
            base_url=self.url,
            default_query=dict(parse_qsl(urlsplit(self.settings.base_url).query)),
            max_retries=0,
            timeout=self.settings.limits.timeout_s,
            http_client=DefaultAioHttpClient(event_hooks={"response": [bound]}),
        )

    async def complete(self, body: JsonObject, rng: random.Random) -> object:
        """Send one request and return the decoded response, repeating it while that may help.

        Raises:
            ContextOverflow: the conversation is too long for the model.
            ModelFault: the endpoint refuses, or is not usable within limits and retry budget.
        """
        if self._connection is None:
            async with self:
                return await self.complete(body, rng)
        limits, loop = self.settings.limits, asyncio.get_running_loop()
        connection = self._connection
        async with connection.slots:
            deadline = loop.time() + limits.retry_budget_s
            for attempt in range(limits.max_retries + 1):
                answer = await self._send(connection.client, body)
                if not isinstance(answer, Refusal):
                    return answer.value
                self._raise_if_final(answer, attempt + 1)
                wait = max(backoff_s(attempt, rng), answer.wait_s or 0.0)
                if attempt == limits.max_retries or loop.time() + wait > deadline:
                    raise self._given_up(answer, attempt + 1)
                await asyncio.sleep(wait)
        raise AssertionError  # the loop above returns or raises

    async def _send(self, client: AsyncOpenAI, body: JsonObject) -> "_Answer | Refusal":
        """Send a request once; a request without a response is a refusal of a status of its own."""
        try:
            async with asyncio.timeout(self.settings.limits.timeout_s):
                return _Answer(await self._post(client, body))
        except openai.APIStatusError as error:
            text = self._redact(_said(error))
            return Refusal(error.status_code, text, asked_wait_s(error.response.headers))
        except (TimeoutError, openai.APIConnectionError) as error:
            lost = lost_request(error, self.url, self.settings.limits.timeout_s)
            return Refusal(LOST_STATUS, self._redact(lost.what), hint=lost.hint)
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            what = self._redact(f"{type(error).__name__}: {error}")
            message = f"{self.url}: the response cannot be read: {what}"
            raise ModelFault(message, kind="malformed", hint=NO_API) from None

    async def _post(self, client: AsyncOpenAI, body: JsonObject) -> object:
        options = self._authorization()
        try:
            return await client.post(PATH, body=body, cast_to=object, options=options)
        except UnicodeEncodeError:  # a caller passed text with lone surrogates
            cleaned = clean_value(body)
            return await client.post(PATH, body=cleaned, cast_to=object, options=options)

    def _authorization(self) -> RequestOptions:
        """Nothing with a key, which the client sends; else user and password of the address."""
        if self._key:
            return {}
        parts = urlsplit(self.settings.base_url)
        if not parts.username:
            return {"headers": {"Authorization": Omit()}}
        word = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        return {"headers": {"Authorization": f"Basic {b64encode(word).decode()}"}}

    def _raise_if_final(self, refusal: Refusal, tries: int) -> None:
        if refusal.is_overflow:
            what = f"{self.url}: {refusal.text}"
            raise ContextOverflow(what, kind="refused")
        if not refusal.is_retryable:
            trouble = refused_request(refusal, self.settings)
            what = f"{self.url} {trouble.what}; tried {times(tries)}"
            raise ModelFault(what, kind="refused", hint=trouble.hint)

    def _given_up(self, refusal: Refusal, tries: int) -> ModelFault:
        status = "" if refusal.status == LOST_STATUS else f"status {refusal.status}: "
        asked = f"; it asks to wait {refusal.wait_s:g} s" if refusal.wait_s else ""
        tried = "1 try" if tries == 1 else f"{tries} tries"
        what = f"{self.url} is not usable after {tried}: {status}{refusal.text}{asked}"
        hint = refusal.hint or refused_request(refusal, self.settings).hint or IS_UP
        return ModelFault(what, kind="unavailable", hint=hint)

    def _redact(self, text: str) -> str:
        if self._key and self._key.get_secret_value():
            text = text.replace(self._key.get_secret_value(), MARK)
        bounded = clean_text(" ".join(text[:READ_LENGTH].split()))
        return Redactor().text(bounded)[:MESSAGE_LENGTH]


@dataclass(frozen=True)
class _Answer:
    value: object


def _said(error: openai.APIStatusError) -> str:
    """What the server said, from the places servers use for it."""
    body: object = error.body
    if isinstance(body, dict):
        parts = cast("JsonObject", body)
        texts = [parts.get(name) for name in ("code", "message", "detail")]
        found = ": ".join(text for text in texts if isinstance(text, str) and text)
        return found or canonical_json(parts)
    return str(body or error.message)
