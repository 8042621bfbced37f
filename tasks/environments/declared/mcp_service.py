"""A service over MCP: one session an episode, tools as the server lists them."""

import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, MCPError
from mcp_types import CallToolResult, PaginatedRequestParams, TextContent, Tool
from pydantic import ValidationError

from schemas.errors import ConfigError, EnvironmentFault
from schemas.text import clean_text
from tasks.agent.mcp_transport import OPENING_S, open_transport, said
from tasks.agent.mcp_upstream import Upstream
from tasks.agent.protocols import ActResult, Call, ToolSpec
from tasks.environments.declared.reset import Resetting, post
from tasks.environments.declared.service import Secrets, in_json

MOST_PAGES = 100
MOST_CHARS = 1_000_000
GONE = frozenset({-32000, -32001})
"""Codes of the protocol's own SDK: the connection is closed, or the time is over."""
_BROKEN = (OSError, EOFError, TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError)


class McpService:
    """Implements `Service` over an MCP server."""

    def __init__(
        self,
        upstream: Upstream,
        resetting: Resetting,
        *,
        timeout_s: float,
        secrets: Secrets,
        hidden: Iterable[str] = (),
        reads: Iterable[str] = (),
    ) -> None:
        """The server is started once here, to be asked for its tools.

        Raises:
            EnvironmentFault: it cannot be started, or says nothing.
        """
        self.upstream, self.timeout_s, self._resetting = upstream, timeout_s, resetting
        self.secrets = secrets
        self.is_apart = resetting.reset.restart
        hidden = set(hidden)
        with _Session(self) as session:
            listed = session.list_tools()
        self.known = frozenset(tool.name for tool in listed)
        kept = [tool for tool in listed if tool.name not in hidden]
        self.tools = tuple(
            ToolSpec(tool.name, clean_text(tool.description or ""), tool.input_schema)
            for tool in kept
        )
        writes = {tool.name for tool in kept if not _is_read_only(tool)}
        self.write_tools = frozenset(writes - set(reads))
        self.left_out: Mapping[str, str] = dict.fromkeys(sorted(hidden), "hidden")

    def open(self, episode: str, task: Mapping[str, Any], seed: int) -> "McpDesk":
        """Reset the service and begin a session of its own."""
        del episode
        self._resetting.begin(task, seed, post)
        return McpDesk(self)

    def close(self) -> None:
        """Nothing: sessions are the episodes'."""

    def check_look(self, place: str) -> None:
        """Refuse what is no `TOOL {JSON}`."""
        try:
            name, arguments = read_look(place)
        except ValueError:
            name, arguments = "", None
        if name not in self.known or not isinstance(arguments, dict):
            what = f"the look {place[:80]!r} cannot be used"
            raise ConfigError(what, hint='write `TOOL {"argument": "{column}"}` with a known tool')


def read_look(place: str) -> tuple[str, Any]:
    """Tool and arguments of a look.

    Raises:
        ValueError: the arguments are no JSON.
    """
    name, _, text = place.strip().partition(" ")
    return name, json.loads(text) if text.strip() else {}


def _is_read_only(tool: Tool) -> bool:
    return tool.annotations is not None and tool.annotations.read_only_hint is True


class McpDesk:
    """The session of one episode."""

    def __init__(self, service: McpService) -> None:
        self._service = service
        self._names = {tool.name for tool in service.tools}
        self._session = _Session(service)
        self._session.__enter__()

    def call(self, call: Call) -> ActResult:
        """Call a tool."""
        if call.tool not in self._names:
            text = f"tool {call.tool[:100]!r} not found"
            return ActResult(text, is_error=True, error_kind="unknown_tool")
        return self._session.call(call.tool, call.arguments)

    def look(self, place: str, row: Mapping[str, Any]) -> Any:
        """JSON of what a tool gives."""
        name, arguments = read_look(in_json(place, row))
        result = self._session.call(name, arguments)
        try:
            return json.loads(result.observation)
        except (ValueError, RecursionError):
            said_it = result.observation[:100]
            what = f"the look `{name}` gave no JSON: {said_it}"
            raise EnvironmentFault(what, hint="`look` needs a tool that gives JSON") from None

    def close(self) -> None:
        """End the session, and the server where we started it."""
        self._session.__exit__(None, None, None)


class _Session:
    """A session that can be asked from a thread."""

    def __init__(self, service: McpService) -> None:
        self._service = service
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._client: ClientSession | None = None

    def __enter__(self) -> "_Session":
        try:
            self._portal = self._stack.enter_context(start_blocking_portal())
            opened = self._portal.wrap_async_context_manager(self._connect())
            self._client = self._stack.enter_context(opened)
        except Exception as error:
            self._stack.close()
            raise self._fault(error, "cannot be used") from None
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self._stack.close()
        except Exception as error:
            raise self._fault(error, "did not end in order") from None

    @asynccontextmanager
    async def _connect(self) -> AsyncGenerator[ClientSession]:
        async with (
            open_transport(self._service.upstream) as (read, write),
            ClientSession(read, write) as client,
        ):
            with anyio.fail_after(OPENING_S):
                await client.initialize()
            yield client

    def list_tools(self) -> list[Tool]:
        """All tools over all pages."""
        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = self._ask("list_tools", params=PaginatedRequestParams(cursor=cursor))
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return tools

    def call(self, name: str, arguments: Mapping[str, Any]) -> ActResult:
        """Call a tool; a refusal by the server is a result."""
        try:
            result = self._ask("call_tool", name, dict(arguments))
        except MCPError as error:
            text = self._hidden(clean_text(error.message))
            return ActResult(text, is_error=True, error_kind="mcp")
        return ActResult(self._hidden(_text(result)), is_error=bool(result.is_error))

    def _hidden(self, text: str) -> str:
        return self._service.secrets.hide(text)

    def _ask(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Ask in the session's own thread.

        Raises:
            EnvironmentFault: the server is gone, says nothing in time, or speaks no MCP.
            MCPError: it refuses.
        """
        assert self._portal is not None
        limit = self._service.timeout_s

        async def ask() -> Any:
            with anyio.fail_after(limit):
                return await getattr(self._client, method)(*args, **kwargs)

        try:
            return self._portal.call(ask)
        except MCPError as error:
            if error.code in GONE:
                raise self._fault(error, "has ended") from None
            raise
        except TimeoutError:
            what = f"the MCP server {self._service.upstream.shown} gave no answer in {limit:g} s"
            raise EnvironmentFault(what, hint="raise service.timeout_s, or mend it") from None
        except ValidationError as error:
            raise self._fault(error, "gave an answer that is no MCP") from None
        except _BROKEN as error:
            raise self._fault(error, "has ended") from None

    def _fault(self, error: Exception, how: str) -> EnvironmentFault:
        reason = clean_text(self._hidden(said(error)))
        what = f"the MCP server {self._service.upstream.shown} {how}: {reason}"
        return EnvironmentFault(what, hint="see whether it runs by itself")


def _text(result: CallToolResult) -> str:
    """What an agent reads: texts, else the structured content."""
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    if not texts and result.structured_content is not None:
        texts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return clean_text("\n".join(texts))[:MOST_CHARS]
