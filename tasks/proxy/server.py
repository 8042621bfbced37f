"""HTTP around the service: paths, token, streams; what is not steered passes byte for byte."""

import hmac
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp import web

from tasks.proxy.service import FORMS, Response, Service
from tasks.proxy.upstream import Answered, broken, forwarded, returned

TOKEN_HEADER = "x-tackroom-token"
MOST_REQUEST_BYTES = 64 * 1024 * 1024
CONNECT_S = 10.0
DRAIN_S = 10.0
"""Seconds that requests under way get when the proxy ends."""


@dataclass(frozen=True)
class Address:
    """Where the proxy listens and what is behind it.

    Attributes:
        token: word that clients must show; empty for none.
        upstream: address that ends before `/chat/completions`.
        timeout_s: seconds a response may take.
    """

    host: str
    port: int
    upstream: str
    timeout_s: float
    token: str = ""


@asynccontextmanager
async def open_client() -> AsyncIterator[aiohttp.ClientSession]:
    """Connections to the upstream, as many as there are requests."""
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(
        timeout=timeout, connector=connector, auto_decompress=True
    ) as client:
        yield client


@asynccontextmanager
async def listen(
    service: Service, client: aiohttp.ClientSession, address: Address
) -> AsyncIterator[str]:
    """Serve until left; gives the base URL for clients.

    Raises:
        OSError: the port is in use.
    """
    app = web.Application(client_max_size=MOST_REQUEST_BYTES)
    app.router.add_route("*", "/{path:.*}", _Handler(service, client, address).handle)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=DRAIN_S)
    await runner.setup()
    try:
        site = web.TCPSite(runner, address.host, address.port)
        await site.start()
        host, port = runner.addresses[0][:2]
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{port}/v1"
    finally:
        await runner.cleanup()


class _Handler:
    def __init__(self, service: Service, client: aiohttp.ClientSession, address: Address) -> None:
        self._service, self._client, self._address = service, client, address
        self._forms = {form.path: form for form in FORMS}
        self._timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_S, sock_read=address.timeout_s
        )

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = "/" + request.match_info["path"]
        if path == "/healthz":
            return web.json_response({"status": "ok"})
        allowed = self._without_token(path, request.headers)
        if allowed is None:
            what = f"the proxy wants its token in {TOKEN_HEADER}, or in the path before /v1"
            return _error(401, "token", what)
        if not allowed.startswith("/v1/"):
            return _error(404, "path", "the proxy serves paths below /v1")
        path = allowed.removeprefix("/v1")
        try:
            raw = await request.read()
        except web.HTTPRequestEntityTooLarge:
            what = f"the request is longer than {MOST_REQUEST_BYTES} bytes"
            return _error(413, "too_large", what)
        except (aiohttp.ClientError, web.HTTPException, ValueError) as error:
            return _error(400, "body", f"the request cannot be read: {error}")
        headers = {k: v for k, v in request.headers.items() if k.lower() != TOKEN_HEADER}
        form = self._forms.get(path) if request.method == "POST" else None
        response = await self._service.answer(form, raw, headers) if form else None
        if response is None:
            return await self._pass(request, path, raw, headers)
        return await send(request, response)

    def _without_token(self, path: str, headers: Mapping[str, str]) -> str | None:
        """The path behind the token; null when a token is wanted and not shown."""
        token = self._address.token
        if not token:
            return path
        if hmac.compare_digest(_bytes(headers.get(TOKEN_HEADER, "")), _bytes(token)):
            return path
        first, _, rest = path[1:].partition("/")
        return f"/{rest}" if hmac.compare_digest(_bytes(first), _bytes(token)) else None

    async def _pass(
        self, request: web.Request, path: str, raw: bytes, headers: Mapping[str, str]
    ) -> web.StreamResponse:
        """Hand a request on and its response back, part by part as it comes."""
        query = f"?{request.query_string}" if request.query_string else ""
        url = f"{self._address.upstream}{path}{query}"
        response: web.StreamResponse | None = None
        try:
            async with self._client.request(
                request.method,
                url,
                data=raw or None,
                headers=forwarded(headers),
                timeout=self._timeout,
            ) as got:
                response = web.StreamResponse(status=got.status, headers=returned(got.headers))
                await response.prepare(request)
                async for part in got.content.iter_any():
                    await response.write(part)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if response is None:
                return _whole(broken(502, "connection", f"{type(error).__name__}: {error}"))
            # The head has gone out, so a cut connection is all that can be told.
            if request.transport is not None:
                request.transport.abort()
            return response
        await response.write_eof()
        return response


async def send(request: web.Request, answer: Response) -> web.StreamResponse:
    """Give a client its response, whole or as a stream."""
    if answer.events is None:
        return web.Response(status=answer.status, headers=answer.headers, body=answer.body)
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    await response.prepare(request)
    for event in answer.events:
        await response.write(event)
    await response.write_eof()
    return response


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _whole(answered: Answered) -> web.Response:
    return web.Response(status=answered.status, headers=answered.headers, body=answered.body)


def _error(status: int, code: str, what: str) -> web.Response:
    error = {"message": what, "type": "proxy_error", "code": code, "param": None}
    body = json.dumps({"error": error}).encode()
    return web.Response(status=status, body=body, content_type="application/json")
