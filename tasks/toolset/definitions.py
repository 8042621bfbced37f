"""Tool definitions in the forms that APIs use: chat, Responses, MCP, bare, and lists of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_TOOLS = 1_000
_SCHEMAS = ("parameters", "inputSchema", "input_schema")


@dataclass(frozen=True)
class ToolDefinition:
    """One tool.

    Attributes:
        name: its name.
        description: what the model is told of it; empty when nothing.
        parameters: JSON schema of its arguments; empty when it takes none.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


def read_definitions(value: object) -> list[ToolDefinition]:
    """Read a list of definitions, or an object with a list `tools`.

    Raises:
        ValueError: it is none; says which entry is wrong and what was expected.
    """
    if isinstance(value, Mapping) and "tools" in value:
        value = value["tools"]
    elif isinstance(value, Mapping) and isinstance(value.get("result"), Mapping):
        value = value["result"].get("tools")
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        message = "expected a list of tool definitions, or an object with a list `tools`"
        raise TypeError(message) from None
    if len(value) > MAX_TOOLS:
        message = f"{len(value)} tools; at most {MAX_TOOLS} are read"
        raise ValueError(message)
    found = [_read(entry, place) for place, entry in enumerate(value)]
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"tool {twice[:60]!r} is defined twice"
        raise ValueError(message)
    return found


def _read(entry: object, place: int) -> ToolDefinition:
    if not isinstance(entry, Mapping):
        message = f"tool {place} is no object"
        raise TypeError(message)
    function = entry.get("function")
    source = function if isinstance(function, Mapping) else entry
    name = source.get("name")
    if not isinstance(name, str) or not name:
        kind = entry.get("type")
        message = f"tool {place} has no name"
        message += f" (type {str(kind)[:40]!r})" if kind is not None else ""
        raise ValueError(message)
    schema = next((source[key] for key in _SCHEMAS if source.get(key) is not None), {})
    if not isinstance(schema, Mapping):
        message = f"the parameters of tool {name[:60]!r} are no JSON schema"
        raise TypeError(message)
    description = source.get("description")
    return ToolDefinition(name, description if isinstance(description, str) else "", schema)
