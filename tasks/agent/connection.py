"""The HTTP connection to an OpenAI-compatible endpoint: address, authentication, bounded replies.

Requests go through the client's low-level `post`, which keeps its authentication and timeouts
without the walk over every message that `chat.completions.create` makes on each call.
"""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient, Omit
from openai._types import RequestOptions
from pydantic import SecretStr

from schemas.errors import ModelFault
from schemas.settings import EndpointSettings
from tasks.agent.arguments import clean_value
from tasks.agent.protocols import JsonObject


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
class Connection:
    """What lives as long as somebody uses an endpoint in one event loop."""

    client: AsyncOpenAI
    slots: asyncio.Semaphore
    authorization: RequestOptions
    users: int = 0

    async def post(self, path: str, body: JsonObject) -> object:
        """Send a request and return what came, decoded where it is JSON by its look."""
        try:
            value = await self._post(path, body)
        except UnicodeEncodeError:  # a caller passed text with lone surrogates
            value = await self._post(path, clean_value(body))
        # Some servers and proxies send JSON under another content type.
        if isinstance(value, str) and value.lstrip().startswith("{"):
            return json.loads(value)
        return value

    async def _post(self, path: str, body: JsonObject) -> object:
        return await self.client.post(path, body=body, cast_to=object, options=self.authorization)

    async def get(self, path: str) -> object:
        """Fetch a listing."""
        return await self.client.get(path, cast_to=object, options=self.authorization)


def connect(settings: EndpointSettings, key: SecretStr | None) -> Connection:
    """Open a connection; nothing is sent yet."""
    limit = settings.limits.max_reply_bytes

    async def bound(response: httpx2.Response) -> None:
        stream = response.stream
        if isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _LimitedStream(stream, limit)

    client = AsyncOpenAI(
        api_key=key.get_secret_value() if key else "none",
        base_url=public_url(settings.base_url),
        default_query=dict(parse_qsl(urlsplit(settings.base_url).query)),
        max_retries=0,
        timeout=settings.limits.timeout_s,
        http_client=DefaultAioHttpClient(event_hooks={"response": [bound]}),
    )
    slots = asyncio.Semaphore(settings.limits.concurrency)
    return Connection(client, slots, _authorization(settings, key))


def _authorization(settings: EndpointSettings, key: SecretStr | None) -> RequestOptions:
    """Nothing with a key, which the client sends; else user and password of the address."""
    if key:
        return {}
    parts = urlsplit(settings.base_url)
    if not parts.username:
        return {"headers": {"Authorization": Omit()}}
    word = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return {"headers": {"Authorization": f"Basic {b64encode(word).decode()}"}}
