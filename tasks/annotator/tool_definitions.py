"""Tools by what they are called and how they are defined: names, arguments, likely roles."""

import re
from collections.abc import Sequence
from typing import Any

from tasks.agent.protocols import JsonObject
from tasks.annotator.canonical import TEXT_CAP

READ_VERBS = frozenset(
    {
        "browse",
        "calculate",
        "check",
        "compare",
        "compute",
        "count",
        "describe",
        "examine",
        "fetch",
        "find",
        "get",
        "inspect",
        "list",
        "look",
        "lookup",
        "query",
        "read",
        "retrieve",
        "search",
        "show",
        "think",
        "view",
    }
)
WRITE_VERBS = frozenset(
    {
        "activate",
        "add",
        "apply",
        "approve",
        "assign",
        "book",
        "buy",
        "cancel",
        "change",
        "close",
        "commit",
        "create",
        "deactivate",
        "delete",
        "disable",
        "downgrade",
        "edit",
        "enable",
        "exchange",
        "grant",
        "insert",
        "issue",
        "lock",
        "modify",
        "move",
        "pay",
        "place",
        "post",
        "put",
        "refuel",
        "refund",
        "register",
        "reject",
        "remove",
        "rename",
        "reserve",
        "reset",
        "resume",
        "return",
        "revoke",
        "save",
        "schedule",
        "send",
        "set",
        "submit",
        "subscribe",
        "suspend",
        "toggle",
        "transfer",
        "unlock",
        "unsubscribe",
        "update",
        "upgrade",
        "write",
    }
)
HANDOVER_WORDS = ("human", "operator", "supervisor", "live_agent", "escalate")
IDLE_COMMAND_VERBS = frozenset({"look", "inventory", "examine", "help", "wait"})
_WORD = re.compile(r"[A-Za-z]+")
_STATEMENT_NAMES = ("sql", "query", "statement", "command", "code", "script", "cmd")
_CONSENT = re.compile(
    r"explicit[^.\n]{0,60}(?:confirm|consent)|(?:obtain|ask|wait)[^.\n]{0,60}confirmation"
)


def function_of(entry: JsonObject) -> JsonObject:
    """The part of a definition that names tool and parameters."""
    inner = entry.get("function")
    return inner if isinstance(inner, dict) else entry


def tool_name(entry: JsonObject) -> str:
    """Name of a tool definition in OpenAI or plain shape."""
    name = function_of(entry).get("name")
    return name if isinstance(name, str) else ""


def name_words(tool: str) -> list[str]:
    """Split a tool name into lower-case words."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", tool[:200])
    return [word.lower() for word in _WORD.findall(spaced.replace("_", " "))]


def guess_role(tool: str) -> str:
    """Guess from its name whether a tool reads, writes or hands over; `unknown` otherwise."""
    words = name_words(tool)
    if not words:
        return "unknown"
    joined = "_".join(words)
    if ("transfer" in words or "escalate" in words) and any(w in joined for w in HANDOVER_WORDS):
        return "handover"
    for word in words[:2]:
        if word in READ_VERBS:
            return "read"
        if word in WRITE_VERBS:
            return "write"
    return "unknown"


def properties_of(entry: JsonObject) -> JsonObject:
    """JSON Schemas of a tool's arguments by name."""
    parameters = function_of(entry).get("parameters")
    found = parameters.get("properties") if isinstance(parameters, dict) else None
    return found if isinstance(found, dict) else {}


def statement_arguments(tools: Sequence[JsonObject]) -> dict[str, str]:
    """Find tools that take SQL: an argument called so, or a description that says so."""
    found: dict[str, str] = {}
    for entry in tools:
        function, name = function_of(entry), tool_name(entry)
        for argument, schema in properties_of(entry).items():
            text = f"{name} {argument} {function.get('description', '')} {schema}".lower()
            if argument.lower() in _STATEMENT_NAMES and "sql" in text[:TEXT_CAP]:
                found[name] = argument
    return found


def as_tools(value: Any) -> tuple[JsonObject, ...]:
    """The tool definitions in a decoded JSON value."""
    items = value if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, dict) and tool_name(item))


def single_text_arguments(tools: Sequence[JsonObject]) -> dict[str, str]:
    """Tools whose only argument is a text."""
    found: dict[str, str] = {}
    for entry in tools:
        properties = properties_of(entry)
        if len(properties) != 1:
            continue
        argument, schema = next(iter(properties.items()))
        if isinstance(schema, dict) and schema.get("type") == "string":
            found[tool_name(entry)] = argument
    return found


def asks_for_consent(system_text: str) -> bool:
    """Whether the agent's instructions demand a confirmation before it changes anything."""
    return _CONSENT.search(system_text[:TEXT_CAP].lower()) is not None
