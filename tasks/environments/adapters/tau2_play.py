"""What the desks of tau2 share: their tools as definitions, carrying out a call, the gold plan."""

from typing import Any

from calls import Json, refusal, refuse_expression
from gold_plan import Plan
from tau2.data_model.message import ToolCall
from tau2.environment.toolkit import ToolType

TRANSFER = "transfer_to_human_agents"
DONE = "done"
OVER = "The conversation is over."


def definition(tool: Any) -> Json:
    """A tool of the package as a definition that takes no other arguments."""
    function = tool.openai_schema["function"]
    return {
        "name": function["name"],
        "description": function["description"],
        "parameters": {**function["parameters"], "additionalProperties": False},
    }


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


def plan_of(actions: list[Any]) -> Plan:
    """The plan of a task; an action may leave open what some of its arguments are."""

    def same(place: int, tool: str, arguments: Json) -> bool:
        made = ToolCall(id="", name=tool, arguments=arguments)
        return bool(actions[place].compare_with_tool_call(made))

    return Plan([(one.name, one.arguments) for one in actions], same)
