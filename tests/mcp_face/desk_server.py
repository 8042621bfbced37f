"""A small MCP server for tests: python desk_server.py [--clash] [--http PORT]."""

import argparse
import asyncio
import os
import sys

import mcp_types as types
import uvicorn
from mcp import MCPError
from mcp.server import Server
from mcp.server.stdio import stdio_server

OBJECT = {"type": "object", "properties": {}}
NAMES = ["echo", "picture", "fail", "refuse", "crash", "hang", "huge", "grow", "ask", "noise"]
PICTURE = "aGVsbG8="


def tool(name):
    return types.Tool(name=name, description=f"Does {name}.", input_schema=OBJECT)


def text(said, **more):
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], **more)


class Desk:
    def __init__(self, clash):
        self.names = [*NAMES, *(["load_skill"] if clash else [])]
        self.prompts = ["greet", *(["look-up"] if clash else [])]

    async def list_tools(self, ctx, params):
        half = len(self.names) // 2
        if params is None or params.cursor is None:
            first = [tool(name) for name in self.names[:half]]
            return types.ListToolsResult(tools=first, next_cursor="rest")
        return types.ListToolsResult(tools=[tool(name) for name in self.names[half:]])

    async def call_tool(self, ctx, params):
        act = getattr(self, f"do_{params.name}", None)
        if act is None or params.name not in self.names:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return await act(ctx, params.arguments or {})

    async def do_echo(self, ctx, given):
        await asyncio.sleep(given.get("wait", 0))
        return text(str(given.get("text", "")), structured_content={"got": given})

    async def do_picture(self, ctx, given):
        image = types.ImageContent(type="image", data=PICTURE, mime_type="image/png")
        return types.CallToolResult(content=[image])

    async def do_fail(self, ctx, given):
        return text("it failed", is_error=True)

    async def do_refuse(self, ctx, given):
        raise MCPError(-32042, "not today", {"why": "test"})

    async def do_crash(self, ctx, given):
        os._exit(3)

    async def do_hang(self, ctx, given):
        await asyncio.sleep(3600)

    async def do_huge(self, ctx, given):
        return text("x" * given["size"])

    async def do_noise(self, ctx, given):
        os.write(WIRE, b"this is no message\n\xff\xfe\n{}\n")
        return text("made noise")

    async def do_grow(self, ctx, given):
        self.names.append("grown")
        await ctx.session.send_tool_list_changed()
        return text("grew")

    async def do_ask(self, ctx, given):
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        answer = await ctx.session.elicit_form("Who?", schema)
        return text(str((answer.content or {}).get("name")))

    async def do_load_skill(self, ctx, given):
        return text("the upstream's own load_skill")

    async def list_prompts(self, ctx, params):
        return types.ListPromptsResult(prompts=[types.Prompt(name=one) for one in self.prompts])

    async def get_prompt(self, ctx, params):
        said = types.TextContent(type="text", text=f"upstream {params.name}")
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=said)])

    async def list_resources(self, ctx, params):
        return types.ListResourcesResult(resources=[types.Resource(uri="desk://a", name="a")])

    async def read_resource(self, ctx, params):
        found = types.TextResourceContents(uri=params.uri, text="content of a")
        return types.ReadResourceResult(contents=[found])

    def server(self):
        return Server(
            "desk",
            version="7",
            instructions="Upstream says.",
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_list_resources=self.list_resources,
            on_read_resource=self.read_resource,
        )


async def main(given):
    server = Desk(given.clash).server()
    if given.http:
        app = server.streamable_http_app()
        await uvicorn.Server(
            uvicorn.Config(app, port=given.http, log_level="error", access_log=False)
        ).serve()
        return
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


parser = argparse.ArgumentParser()
parser.add_argument("--http", type=int, default=0)
parser.add_argument("--clash", action="store_true")
WIRE = os.dup(1)
sys.stdout.flush()
asyncio.run(main(parser.parse_args()))
