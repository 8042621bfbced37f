"""A harness in a LangGraph of two nodes: python langgraph_agent.py FOLDER TASK."""

import sys
from typing import TypedDict

from desk import TOOLS, ask, execute
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from tackroom_runtime import Decision, Harness, SyncSandbox, SyncSession


class State(TypedDict):
    messages: list
    decided: Decision  # what the harness made of the last reply


def think(state):
    text, name, arguments = ask(state["messages"], sent.tools)
    decided = session.before_call(name, arguments, raw_text=text)
    reply = {"role": "assistant", "content": text or f"{name}({arguments})"}
    update = {"messages": [*state["messages"], reply], "decided": decided}
    return Command(update=update, goto=END if decided.kind == "none" else "act")


def act(state):
    call, message = state["decided"].call, state["decided"].message
    after = session.after_result(call, execute(call) if call else message, is_error=not call)
    heard = [*state["messages"], {"role": "user", "content": after.observation}]
    goto = "act" if after.forced else "think" if session.remaining_steps else END
    update = {"messages": heard, "decided": Decision("execute", after.forced)}
    return Command(update=update, goto=END if after.stop else goto)


with SyncSandbox() as sandbox:
    harness, task = Harness.load(sys.argv[1]), sys.argv[2]
    session = SyncSession(harness, task, TOOLS, sandbox=sandbox, budget=20)
    sent = session.condition([{"role": "user", "content": task}], TOOLS)
    graph = StateGraph(State).add_node(think).add_node(act).add_edge(START, "think").compile()
    print(graph.invoke({"messages": sent.messages}, {"recursion_limit": 99})["messages"])
