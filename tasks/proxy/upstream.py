"""The endpoint behind the proxy: asked over HTTP, its errors handed on as they are."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import aiohttp

from tasks.proxy.forms import Item

MOST_REPLY_BYTES = 64 * 1024 * 1024
_HOP = frozenset(
    [
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te"),
        *("trailer", "transfer-encoding", "upgrade", "host", "content-length", "content-encoding"),
    ]
)
"""Headers that belong to one connection, or to a body that is written anew."""
_NOT_SENT = _HOP | {"accept-encoding", "x-session-id"}


@dataclass(frozen=True)
class Answered:
    """What an upstream answered, or what happened to it.

    Attributes:
        body: as it came, for whoever is to be given just that.
        value: the body as an object; null when it is none, or no success.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    value: Item | None = None


class Upstream(Protocol):
    """Whatever answers requests."""

    async def ask(self, path: str, body: Item, headers: Mapping[str, str]) -> Answered:
        """Ask once; what goes wrong is an answer as well."""
        ...


@dataclass
class HttpUpstream:
    """An endpoint at an address that ends before `/chat/completions`.

    Attributes:
        timeout_s: seconds a reply may take.
    """

    base_url: str
    client: aiohttp.ClientSession
    timeout_s: float

    async def ask(self, path: str, body: Item, headers: Mapping[str, str]) -> Answered:
        """Ask once; nothing is repeated here, clients do that as they see fit."""
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        kept = {k: v for k, v in forwarded(headers).items() if k.lower() != "content-type"}
        sent = {**kept, "Content-Type": "application/json"}
        try:
            async with asyncio.timeout(self.timeout_s):
                async with self.client.post(self.base_url + path, data=data, headers=sent) as got:
                    return _answered(got, await _read(got))
        except TimeoutError:
            return broken(504, "timeout", f"no reply within {self.timeout_s:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return broken(502, "connection", f"{type(error).__name__}: {error}")


def forwarded(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers that go on to the other side; keys among them are not looked at."""
    return {name: value for name, value in headers.items() if name.lower() not in _NOT_SENT}


def returned(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers of a response that go on to the client."""
    return {name: value for name, value in headers.items() if name.lower() not in _HOP}


def broken(status: int, code: str, what: str) -> Answered:
    """An upstream that gave no response, told in the way its own errors are told."""
    error = {"message": f"the upstream gave no response: {what}"[:500], "type": "upstream_error"}
    body = json.dumps({"error": error | {"code": code, "param": None}}).encode()
    return Answered(status, body, {"Content-Type": "application/json"})


async def _read(got: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in got.content.iter_any():
        size += len(part)
        if size > MOST_REPLY_BYTES:
            message = f"the response is longer than {MOST_REPLY_BYTES} bytes"
            raise ValueError(message)
        parts.append(part)
    return b"".join(parts)


def _answered(got: aiohttp.ClientResponse, body: bytes) -> Answered:
    headers = returned(got.headers)
    if got.status != 200:
        return Answered(got.status, body, headers)
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    return Answered(got.status, body, headers, value if isinstance(value, dict) else None)
