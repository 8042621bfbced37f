"""The connection to an upstream server that is held for one client.

It lives in a task of its own, because it has to be closed by the task that opened it. What the
upstream says or asks unasked goes to the client as it came.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import TaskStatus
from mcp import ClientSession, MCPError
from mcp.client.session import ClientRequestContext
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from pydantic import RootModel, ValidationError

from tasks.agent.mcp_transport import OPENING_S, open_transport, said
from tasks.agent.mcp_upstream import Upstream

logger = logging.getLogger(__name__)
Context = ServerRequestContext[Any, Any]
Json = dict[str, Any]


class _Raw(RootModel[Json]):
    """A result as it came."""


class Wire:
    """A client's connection to its upstream."""

    def __init__(
        self,
        upstream: Upstream,
        client: ServerSession,
        *,
        on_tools_changed: Callable[[], None],
        on_fault: Callable[[str], None],
    ) -> None:
        """Nothing is started before `run`; `on_fault` hears what broke, in one line."""
        self.upstream = upstream
        self._client = client
        self._on_tools_changed = on_tools_changed
        self._on_fault = on_fault
        self._closing = anyio.Event()
        self._session: ClientSession | None = None

    async def run(self, *, task_status: TaskStatus[str]) -> None:
        """Hold the connection until `close`; reports an empty text, or why there is none."""
        is_open = False
        try:
            async with self._connected() as session:
                self._session, is_open = session, True
                task_status.started("")
                await self._closing.wait()
        except Exception as error:
            if is_open:
                self._on_fault(said(error))
            else:
                task_status.started(said(error))

    def close(self) -> None:
        """Let go of the upstream."""
        self._closing.set()

    @property
    def session(self) -> ClientSession:
        """The open session.

        Raises:
            MCPError: there is none.
        """
        if self._session is None:
            raise MCPError(types.CONNECTION_CLOSED, "Connection closed")
        return self._session

    def can(self, capability: str) -> bool:
        """Whether the upstream says that it has `tools`, `prompts` and the like."""
        found = self.session.server_capabilities
        return found is not None and getattr(found, capability) is not None

    async def send(self, ctx: Context, method: str, params: Json) -> Json:
        """Pass a request on and give the answer as it came.

        Raises:
            MCPError: the upstream's own error, its end, or the time limit.
        """
        meta = dict(params.get("_meta") or {})
        wants_progress = meta.pop("progressToken", None) is not None
        rest = {name: value for name, value in params.items() if name != "_meta"}
        if meta:
            rest["_meta"] = meta
        try:
            answer = await self.session.send_request(
                types.Request[Json, str](method=method, params=rest),
                _Raw,
                request_read_timeout_seconds=self.upstream.timeout_s,
                progress_callback=ctx.session.report_progress if wants_progress else None,
            )
        except ValidationError as error:
            what = f"the upstream server answered {method} with {error.error_count()} wrong members"
            raise MCPError(types.INTERNAL_ERROR, what) from None
        return answer.root

    async def walk(self, ctx: Context, kind: str) -> tuple[Json, list[Json]]:
        """All `tools` or `prompts` over all pages, and the members of the first page besides."""
        first: Json = {}
        items: list[Json] = []
        cursors: list[str] = []
        while True:
            params = {"cursor": cursors[-1]} if cursors else {}
            page = await self.send(ctx, f"{kind}/list", params)
            items += page.pop(kind)
            following = page.pop("nextCursor", None)
            first = first or page
            if following is None or following in cursors:
                return first, items
            cursors.append(following)

    async def _heard(self, message: types.ServerNotification | Exception) -> None:
        if isinstance(message, Exception):
            self._on_fault(f"what came was no message: {type(message).__name__}")
            return
        if isinstance(message, types.ToolListChangedNotification):
            self._on_tools_changed()
        # Progress goes back with the request it belongs to.
        if not isinstance(message, types.ProgressNotification):
            await self._client.send_notification(message)

    async def _sample(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.CreateMessageResultWithTools:
        del context
        request = types.CreateMessageRequest(params=params)
        if params.tools:
            return await self._client.send_request(request, types.CreateMessageResultWithTools)
        return await self._client.send_request(request, types.CreateMessageResult)

    async def _elicit(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        del context
        return await self._client.send_request(
            types.ElicitRequest(params=params), types.ElicitResult
        )

    async def _roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        del context
        return await self._client.send_request(types.ListRootsRequest(), types.ListRootsResult)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[ClientSession]:
        client = self._client
        able = client.client_capabilities or types.ClientCapabilities()
        async with open_transport(self.upstream) as (read, write):
            session = ClientSession(
                read,
                write,
                sampling_callback=self._sample if able.sampling else None,
                sampling_capabilities=able.sampling,
                elicitation_callback=self._elicit if able.elicitation else None,
                list_roots_callback=self._roots if able.roots else None,
                message_handler=self._heard,
                client_info=client.client_params.client_info if client.client_params else None,
            )
            async with session:
                with anyio.fail_after(OPENING_S):
                    await session.initialize()
                yield session
