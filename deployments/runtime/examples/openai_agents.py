"""A harness around an agent of the OpenAI Agents SDK: python openai_agents.py FOLDER TASK."""

import asyncio
import sys

from agents import Agent, FunctionTool, Runner, ToolsToFinalOutputResult
from desk import TOOLS, execute
from tackroom_runtime import Decision, Harness, Sandbox, Session


async def main(folder, task, is_over=False):
    async def invoke(context, arguments):  # stands in for every tool of the agent
        return await carry_out(await session.before_call(context.tool_name, arguments))

    async def carry_out(decided):
        nonlocal is_over
        result = execute(decided.call) if decided.call else decided.message
        after = await session.after_result(decided.call, result, is_error=not decided.call)
        is_over, forced = after.stop or not session.remaining_steps, after.forced
        further = await carry_out(Decision("execute", forced)) if forced and not is_over else ""
        return f"{after.observation}\n{further}".strip()

    async with Sandbox() as sandbox:
        session = Session(Harness.load(folder), task, TOOLS, sandbox=sandbox, budget=20)
        sent = session.condition([{"role": "user", "content": task}], TOOLS)
        tools = [FunctionTool(*tool["function"].values(), invoke) for tool in sent.tools]
        agent, heard = Agent("worker", model="gpt-5-mini", tools=tools), sent.messages
        agent.tool_use_behavior = lambda _, done: ToolsToFinalOutputResult(is_over, done[0].output)
        while not is_over:
            said = await Runner.run(agent, heard)
            decision = await session.before_call(None, None, raw_text=str(said.final_output))
            if is_over or decision.kind == "none":  # stopped by a rule, or the answer
                break
            told = await carry_out(decision)
            heard = [*said.to_input_list(), {"role": "user", "content": told}]
        print(said.final_output)


asyncio.run(main(*sys.argv[1:3]))
