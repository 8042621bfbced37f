"""Opens the transport to an MCP server: a program on stdio, or streamable HTTP."""

import sys
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TextIO, cast

import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tasks.agent.mcp_upstream import Upstream

OPENING_S = 60.0
"""For a start and its handshake, which take longer than an answer: programs are fetched first."""
CONNECT_S = 30.0
MAX_SAID = 300


def open_transport(upstream: Upstream) -> AbstractAsyncContextManager[Any]:
    """Streams of a session with the server; the program ends with them."""
    if not upstream.command:
        return _over_http(upstream)
    command, *arguments = upstream.command
    # Strict decoding would end the reading of a server that writes one wrong byte.
    wanted = StdioServerParameters(
        command=command,
        args=arguments,
        env=dict(upstream.environ),
        cwd=upstream.folder,
        encoding_error_handler="replace",
    )
    # A notebook puts an object without a descriptor in the place of the stream.
    return stdio_client(wanted, errlog=cast("TextIO", sys.__stderr__))


@asynccontextmanager
async def _over_http(upstream: Upstream) -> AsyncGenerator[Any]:
    # A call may take as long as it takes; whoever wants a limit sets one for every transport.
    limit = httpx2.Timeout(CONNECT_S, read=None)
    async with (
        httpx2.AsyncClient(headers=dict(upstream.headers), timeout=limit) as client,
        streamable_http_client(
            upstream.url, http_client=client, max_sse_event_size=None
        ) as streams,
    ):
        yield streams


def said(error: BaseException) -> str:
    """The innermost error in one bounded line."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return (" ".join(str(error).split()) or type(error).__name__)[:MAX_SAID]
