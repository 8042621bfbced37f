"""An MCP server that answers as the _meta of a call says: parrot_server.py TOOLS PORT."""

import asyncio
import json
import sys
from pathlib import Path

import mcp_types as types
import uvicorn
from mcp.server import Server

TOOLS = [
    types.Tool(name=one["name"], description=one["description"], input_schema=one["parameters"])
    for one in json.loads(Path(sys.argv[1]).read_text())
]


async def list_tools(ctx, params):
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(ctx, params):
    told = params.meta["test/answer"]
    said = types.TextContent(type="text", text=told["text"])
    ran = {"name": params.name, "arguments": params.arguments or {}}
    return types.CallToolResult(content=[said], is_error=told["is_error"], _meta={"test/ran": ran})


server = Server("parrot", on_list_tools=list_tools, on_call_tool=call_tool)
config = uvicorn.Config(
    server.streamable_http_app(), port=int(sys.argv[2]), log_level="error", access_log=False
)
asyncio.run(uvicorn.Server(config).serve())
