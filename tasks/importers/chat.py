"""Chat messages in the shape of the OpenAI API, also older and looser dialects of it."""

from dataclasses import replace

from tasks.importers.decoding import JsonValue, Undecodable, decode
from tasks.importers.draft import DraftCall, DraftMessage, Role
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_list,
    as_name,
    as_object,
    as_text,
    require_object,
)

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "agent": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "environment": "environment",
}


def read_role(message: JsonObject, position: int) -> Role:
    """Role of a message in our words.

    Raises:
        Unreadable: the message has no known role.
    """
    role = message.get("role")
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        text = f"message {position} has no known role but {str(role)[:40]!r}"
        raise Unreadable(text)
    return known


def read_call(item: JsonValue) -> DraftCall:
    """One entry of `tool_calls`; argument text is kept as emitted."""
    call = as_object(_unpack(item))
    function = as_object(call.get("function")) or call
    arguments = function.get("arguments")
    raw = as_text(arguments)
    parsed = None if raw is not None else arguments
    return DraftCall(
        tool=as_text(function.get("name")) or "",
        raw=raw,
        arguments=parsed,
        native_id=as_name(call.get("id")) or ("" if "id" in call else None),
        error=None if isinstance(_unpack(item), dict) else "the call is no object",
    )


def _unpack(item: JsonValue) -> JsonValue:
    """Calls that a columnar writer has kept as JSON text."""
    if not isinstance(item, str):
        return item
    try:
        return decode(item).value
    except Undecodable:
        return item


def read_calls(message: JsonObject) -> tuple[DraftCall, ...]:
    """Calls of a message, `function_call` of older dumps included."""
    calls = tuple(read_call(item) for item in as_list(message.get("tool_calls")))
    legacy = message.get("function_call")
    if not calls and isinstance(legacy, dict):
        return (read_call({"function": legacy}),)
    return calls


def read_chat_message(value: JsonValue, position: int) -> DraftMessage:
    """One message of a chat.

    Raises:
        Unreadable: it is no object or has no known role.
    """
    message = require_object(value, f"message {position}")
    role = read_role(message, position)
    is_result = role == "tool"
    content = message.get("content")
    return DraftMessage(
        role=role,
        text=as_content(message.get("refusal") if content is None else content),
        reasoning=as_text(message.get("reasoning_content")) or as_text(message.get("reasoning")),
        calls=() if is_result else _as_callers(read_calls(message), role),
        native_id=as_name(message.get("id")),
        result_of=as_name(message.get("tool_call_id")) if is_result else None,
        result_name=as_text(message.get("name")) if is_result else None,
        requestor=("user" if message.get("requestor") == "user" else "assistant")
        if is_result
        else None,
    )


def _as_callers(calls: tuple[DraftCall, ...], role: Role) -> tuple[DraftCall, ...]:
    """Calls of whoever made them; some simulated users call tools too."""
    return tuple(replace(call, requestor="user") for call in calls) if role == "user" else calls
