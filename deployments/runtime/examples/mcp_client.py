"""A harness around the tools of an MCP server: python mcp_client.py FOLDER TASK COMMAND [ARG…]."""

import asyncio
import sys

from desk import as_tool, ask
from mcp import Client, StdioServerParameters
from tackroom_runtime import Harness, Sandbox, Session


async def main(folder, task, command, *arguments):
    server = StdioServerParameters(command=command, args=list(arguments))
    async with Client(server) as client, Sandbox() as sandbox:
        listed = await client.list_tools()
        tools = [as_tool(one.name, one.description, one.input_schema) for one in listed.tools]
        session = Session(Harness.load(folder), task, tools, sandbox=sandbox, budget=20)
        sent = session.condition([{"role": "user", "content": task}], tools)
        messages, after = sent.messages, None
        while session.remaining_steps and not (after and after.stop):
            call, result, failed = after and after.forced, "", True
            if call is None:  # no rule acts for the model, so it is asked
                text, name, given = await asyncio.to_thread(ask, messages, sent.tools)
                decision = await session.before_call(name, given, raw_text=text)
                messages.append({"role": "assistant", "content": text or f"{name}({given})"})
                if decision.kind == "none":  # no call, and no rule that found one: the answer
                    break
                call, result = decision.call, decision.message
            if call:
                done = await client.call_tool(call.tool, call.arguments)
                result, failed = "\n".join(part.text for part in done.content), done.is_error
            after = await session.after_result(call, result, is_error=failed)
            messages.append({"role": "user", "content": after.observation})
        print(messages)


asyncio.run(main(*sys.argv[1:]))
