"""What the desks of tau2 share: their tools as definitions, carrying out a call, the gold plan."""

import json
from typing import Any

from tau2.data_model.message import ToolCall
from tau2.environment.toolkit import ToolType

Json = dict[str, Any]
TRANSFER = "transfer_to_human_agents"
DONE = "done"
OVER = "The conversation is over."
MAX_EXPRESSION = 200


def definition(tool: Any) -> Json:
    """A tool of the package as a definition that takes no other arguments."""
    function = tool.openai_schema["function"]
    return {
        "name": function["name"],
        "description": function["description"],
        "parameters": {**function["parameters"], "additionalProperties": False},
    }


def own_tool(name: str, description: str, **properties: Json) -> Json:
    """Definition of a tool that the adapter adds."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    parameters = {**schema, "additionalProperties": False}
    return {"name": name, "description": description, "parameters": parameters}


def write_tools(*kits: Any) -> list[str]:
    """Tools of the kits that the package marks as writing."""
    return [name for kit in kits for name in kit.tools if kit.tool_type(name) == ToolType.WRITE]


def carry_out(environment: Any, tool: str, arguments: Json) -> Json:
    """Execute a call of a tool of the package."""
    reason = refuse_expression(tool, arguments)
    if reason:
        return refusal(reason, "execution")
    told = environment.get_response(ToolCall(id="", name=tool, arguments=arguments))
    kind = "execution" if told.error else None
    return {"observation": told.content, "is_error": bool(told.error), "error_kind": kind}


def refuse_expression(tool: str, arguments: Json) -> str:
    """Why a sum is not worked out: the package evaluates it, and powers may take for ever."""
    expression = str(arguments.get("expression", ""))
    if tool == "calculate" and ("**" in expression or len(expression) > MAX_EXPRESSION):
        return "Error: the expression may hold + - * / and is at most 200 characters long"
    return ""


def refusal(text: str, kind: str) -> Json:
    """A call that is not executed."""
    return {"observation": text, "is_error": True, "error_kind": kind}


class Plan:
    """The gold actions of a task, and which of them have been made.

    Attributes:
        next: the first action of the plan that has not been made in its order.
        met: actions that some call has met, in whatever order.
    """

    def __init__(self, actions: list[Any]) -> None:
        self.actions = actions
        self.next = 0
        self.met: list[int] = []

    def hear(self, tool: str, arguments: Json) -> None:
        """Take note of a call that was executed."""
        call = ToolCall(id="", name=tool, arguments=arguments)
        found = [
            place for place, one in enumerate(self.actions) if one.compare_with_tool_call(call)
        ]
        self.met = sorted({*self.met, *found})
        if self.next in found:
            self.next += 1

    @property
    def is_met(self) -> bool:
        """Whether every action has been made."""
        return len(self.met) == len(self.actions)

    def call(self) -> Json | None:
        """The next action as a call; null when all are made."""
        if self.next >= len(self.actions):
            return None
        action = self.actions[self.next]
        return {"tool": action.name, "arguments": action.arguments}

    @property
    def place(self) -> list[Any]:
        """How far it is, as JSON."""
        return [self.next, self.met]

    @place.setter
    def place(self, place: list[Any]) -> None:
        self.next, self.met = place


def compact(value: Any) -> str:
    """JSON whose keys stay in their order, which results show, so it is part of a state."""
    return json.dumps(value, separators=(",", ":"))


def interleaved(rows: list[Json]) -> list[Json]:
    """Tasks with their families in turn; within a family they keep their order."""
    seen: dict[str, int] = {}
    ranks = []
    for row in rows:
        family = row["task_id"].split("/")[1]
        ranks.append(seen.setdefault(family, 0))
        seen[family] += 1
    order = sorted(range(len(rows)), key=lambda place: ranks[place])
    return [rows[place] for place in order]
