"""A plain MCP server over stdio: named tools, each answered with one text."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

Answer = Callable[[str, dict[str, Any]], Awaitable[tuple[str, bool]]]
"""Answers a call by tool name and arguments: text, and whether it was refused."""


async def serve_tools(
    tools: Sequence[types.Tool], answer: Answer, *, instructions: str, version: str
) -> None:
    """Serve the one client on stdin and stdout until it is gone; calls are answered in turn."""

    async def list_tools(ctx: ServerRequestContext[Any, Any], params: Any) -> types.ListToolsResult:
        del ctx, params
        return types.ListToolsResult(tools=list(tools))

    async def call_tool(
        ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        del ctx
        text, is_refused = await answer(params.name, params.arguments or {})
        said = types.TextContent(type="text", text=text)
        return types.CallToolResult(content=[said], is_error=is_refused)

    server: Server[Any] = Server(
        "tackroom",
        version=version,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def make_tool(name: str, description: str, schema: dict[str, Any]) -> types.Tool:
    """Define a tool."""
    return types.Tool(name=name, description=description, input_schema=schema)
