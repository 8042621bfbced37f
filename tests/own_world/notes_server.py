"""A small MCP server that keeps notes in memory: python notes_server.py, on stdio."""

import asyncio
import json
import os

import mcp_types as types
from mcp import MCPError
from mcp.server import Server
from mcp.server.stdio import stdio_server

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING = {"type": "object", "properties": {}}
READ = types.ToolAnnotations(read_only_hint=True)
TOOLS = [
    types.Tool(name="add_note", description="Add a note.", input_schema=TEXT),
    types.Tool(
        name="list_notes", description="List all notes.", input_schema=NOTHING, annotations=READ
    ),
    types.Tool(name="tell", description="Tell a variable.", input_schema=TEXT, annotations=READ),
    types.Tool(name="crash", description="End the server.", input_schema=NOTHING),
    types.Tool(name="hang", description="Never answer.", input_schema=NOTHING),
]
NOTES = []


def said(value, **more):
    text = value if isinstance(value, str) else json.dumps(value)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], **more)


async def list_tools(ctx, params):
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(ctx, params):
    given = params.arguments or {}
    match params.name:
        case "add_note" if not isinstance(given.get("text"), str):
            return said("text must be a text", is_error=True)
        case "add_note":
            NOTES.append(given["text"])
            return said({"notes": len(NOTES)})
        case "list_notes":
            return said({"notes": NOTES})
        case "tell":
            return said(os.environ.get(str(given.get("text")), "not set"))
        case "crash":
            os._exit(3)
        case "hang":
            await asyncio.sleep(3600)
    raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")


async def main():
    server = Server("notes", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
