"""Chat messages as trainers take them: whole calls with arguments as objects, or a refusal.

Templates of trainers crash on a call without a name, write `undefined` for a missing field, and
tell unknown roles apart in silence; nothing of that kind leaves the house.
"""

import json
from collections.abc import Sequence
from typing import Any

from tasks.agent.arguments import clean_value, parse_arguments

Message = dict[str, Any]
ROLES = frozenset({"system", "user", "assistant", "tool"})


class RefusedError(Exception):
    """An example that must not be written, and why."""


def as_messages(text: str, known: dict[str, str] | None = None) -> list[Message]:
    """Read stored messages and bring them into the trainers' form.

    `known` maps the ids of calls made so far to their tools, and takes in those of these messages.

    Raises:
        RefusedError: a message is empty, of an unknown role, or holds a broken call.
    """
    stored = _read(text)
    if not isinstance(stored, list) or not stored:
        message = "it has no messages"
        raise RefusedError(message)
    calls = {} if known is None else known
    return [_message(item, calls) for item in stored]


def as_tools(text: str) -> tuple[str, frozenset[str]]:
    """Tool definitions as JSON text, and the names of the tools.

    Raises:
        RefusedError: they are no list of named functions.
    """
    tools = _read(text)
    names = [_tool_name(tool) for tool in tools] if isinstance(tools, list) else []
    if not names or not all(names):
        message = "its tools are no list of named functions"
        raise RefusedError(message)
    return json.dumps(tools, ensure_ascii=False, sort_keys=True), frozenset(filter(None, names))


def require_known(messages: Sequence[Message], names: frozenset[str]) -> None:
    """Check that what is to be learned calls only tools that are offered.

    Raises:
        RefusedError: it calls another one.
    """
    for message in messages:
        for call in message.get("tool_calls", []):
            if call["function"]["name"] not in names:
                what = f"it teaches a call of `{call['function']['name'][:80]}`, which is no tool"
                raise RefusedError(what)


def _read(text: str) -> Any:
    try:
        return clean_value(json.loads(text))
    except (ValueError, RecursionError) as error:
        message = "it holds something that is no JSON"
        raise RefusedError(message) from error


def _tool_name(tool: Any) -> str | None:
    function = tool.get("function") if isinstance(tool, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) and name else None


def _message(item: Any, calls: dict[str, str]) -> Message:
    role = item.get("role") if isinstance(item, dict) else None
    content = item.get("content") if isinstance(item, dict) else None
    if role not in ROLES or not isinstance(content, str):
        what = f"a message has the role {role!r} and content that is no text"
        raise RefusedError(what)
    message: Message = {"role": role, "content": content}
    if role == "tool":
        return message | _answered(item, calls)
    written = item.get("tool_calls")
    if role == "assistant" and written:
        return message | {"tool_calls": [_call(call, calls) for call in written]}
    if not content.strip():
        what = f"a message of the {role} is empty"
        raise RefusedError(what)
    return message


def _answered(item: Message, calls: dict[str, str]) -> Message:
    identity = item.get("tool_call_id")
    if not isinstance(identity, str) or identity not in calls:
        what = f"a tool result answers no call: {identity!r}"
        raise RefusedError(what)
    return {"tool_call_id": identity, "name": calls[identity]}


def _call(call: Any, calls: dict[str, str]) -> Message:
    function = call.get("function") if isinstance(call, dict) else None
    identity = call.get("id") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(identity, str) or not identity:
        message = "a call has no function or no id"
        raise RefusedError(message)
    name = function.get("name")
    if not isinstance(name, str) or not name.strip():
        message = "a call has no name"
        raise RefusedError(message)
    calls[identity] = name
    arguments = _arguments(function.get("arguments"))
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _arguments(written: Any) -> Message:
    """Arguments as an object; a stored text that is empty stands for no arguments."""
    parsed = parse_arguments(written) if isinstance(written, str) else None
    if parsed is None or parsed.arguments is None:
        message = "the arguments of a call are no object"
        raise RefusedError(message)
    return parsed.arguments
