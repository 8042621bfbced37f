"""What worlds of several packages share: definitions of tools of ours, refusals, states as JSON."""

import json
from typing import Any

Json = dict[str, Any]
MAX_EXPRESSION = 200


def own_tool(name: str, description: str, **properties: Json) -> Json:
    """Definition of a tool that the adapter adds."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    parameters = {**schema, "additionalProperties": False}
    return {"name": name, "description": description, "parameters": parameters}


def refusal(text: str, kind: str) -> Json:
    """A call that is not executed."""
    return {"observation": text, "is_error": True, "error_kind": kind}


def compact(value: Any) -> str:
    """JSON whose keys stay in their order, which results show, so it is part of a state."""
    return json.dumps(value, separators=(",", ":"))


def refuse_expression(tool: str, arguments: Json) -> str:
    """Why a sum is not worked out: desks evaluate it, and powers may take for ever."""
    expression = str(arguments.get("expression", ""))
    if tool == "calculate" and ("**" in expression or len(expression) > MAX_EXPRESSION):
        return f"Error: the expression may hold + - * / and {MAX_EXPRESSION} characters"
    return ""
