"""The MCP server that clients see: each client gets a link of its own to the upstream.

Only the handshake era of the protocol is served: a harness session belongs to a connection, and
in the revisions without a handshake there is none over HTTP. Clients of both eras fall back.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import TaskGroup
from mcp import MCPError
from mcp.server import Server
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from tasks.agent.mcp_upstream import Upstream
from tasks.mcp_face.gate import Gate, Terms
from tasks.mcp_face.link import Link
from tasks.mcp_face.log import UNAVAILABLE, Mode, SessionLog, TrafficLog
from tasks.mcp_face.wire import Context, Json

Handler = Callable[[Link, Context], Awaitable[Json]]
_LINK = "link"
_HANDLERS: dict[str, tuple[type[BaseModel], Handler]] = {
    "tools/list": (types.PaginatedRequestParams, Link.list_tools),
    "tools/call": (types.CallToolRequestParams, Link.call_tool),
    "prompts/list": (types.PaginatedRequestParams, Link.list_prompts),
    "prompts/get": (types.GetPromptRequestParams, Link.get_prompt),
    "resources/list": (types.PaginatedRequestParams, Link.forward),
    "resources/templates/list": (types.PaginatedRequestParams, Link.forward),
    "resources/read": (types.ReadResourceRequestParams, Link.forward),
    "resources/subscribe": (types.SubscribeRequestParams, Link.forward),
    "resources/unsubscribe": (types.UnsubscribeRequestParams, Link.forward),
    "completion/complete": (types.CompleteRequestParams, Link.forward),
    "logging/setLevel": (types.SetLevelRequestParams, Link.forward),
}


class Face:
    """What all clients share: the upstream, the terms and the log; open while serving."""

    def __init__(self, upstream: Upstream, terms: Terms, log: TrafficLog, mode: Mode) -> None:
        """Nothing is started; an upstream is when a client says hello."""
        self.upstream = upstream
        self.terms = terms
        self.log = log
        self.mode: Mode = mode
        self.clients = 0
        self._links: set[Link] = set()
        self._tasks: TaskGroup | None = None
        self.server = self._build()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Serve clients inside; at the end every upstream is let go of."""
        async with anyio.create_task_group() as self._tasks:
            try:
                yield
            finally:
                for link in tuple(self._links):
                    self._let_go(link)

    def _build(self) -> Server[Any]:
        server: Server[Any] = Server("tackroom")
        server.middleware.append(self._between)
        for method, (params, handler) in _HANDLERS.items():
            server.add_request_handler(method, params, _linked(handler))
        server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, _roots_changed
        )
        return server

    async def _between(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Refuse what has no handshake, and open a link with it."""
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(
                types.UNSUPPORTED_PROTOCOL_VERSION,
                "only revisions with a handshake are served here",
                {"supported": [*HANDSHAKE_PROTOCOL_VERSIONS], "requested": ctx.protocol_version},
            )
        answer = await call_next(ctx)
        if ctx.method != "initialize" or not isinstance(answer, dict):
            return answer
        link = await self._open_link(ctx)
        return link.introduce(answer)

    async def _open_link(self, ctx: Context) -> Link:
        if self._tasks is None:
            raise MCPError(types.INTERNAL_ERROR, "the server is not open")
        connection, said = _connection(ctx), ctx.params or {}
        connection.client_params = types.InitializeRequestParams.model_validate(said)
        self.clients += 1
        log = SessionLog(self.log, self.clients, self.mode)
        log.note(
            "session",
            client=said.get("clientInfo"),
            harness_id=self.terms.harness.harness_id,
            mode=self.mode,
            upstream=self.upstream.shown,
            unavailable=list(UNAVAILABLE),
        )
        link = Link(self.upstream, Gate(self.terms, log), ctx)
        problem = await self._tasks.start(link.wire.run)
        if problem:
            what = f"the upstream server {self.upstream.shown} cannot be used: {problem}"
            raise MCPError(types.INTERNAL_ERROR, what)
        self._links.add(link)
        connection.state[_LINK] = link
        connection.exit_stack.callback(self._let_go, link)
        return link

    def _let_go(self, link: Link) -> None:
        if link in self._links:
            self._links.remove(link)
            link.gate.log.note("end", calls=link.gate.calls)
            link.wire.close()


def _connection(ctx: Context) -> Connection:
    # The SDK hands the connection's state and its end to no handler under a public name.
    return ctx.session._connection


def _link(ctx: Context) -> Link:
    link = _connection(ctx).state.get(_LINK)
    if not isinstance(link, Link):
        raise MCPError(types.INVALID_REQUEST, "the client has not said hello")
    return link


def _linked(handler: Handler) -> Callable[[Context, Any], Awaitable[Json]]:
    async def handle(ctx: Context, params: Any) -> Json:  # noqa: ARG001
        return await handler(_link(ctx), ctx)

    return handle


async def _roots_changed(ctx: Context, params: Any) -> None:  # noqa: ARG001
    await _link(ctx).tell_roots_changed()
