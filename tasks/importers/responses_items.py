"""Items of the Responses API: one item for each message, reasoning, call and output.

Items that the model wrote one after the other are one turn of the agent. `id` names an item, a
call is known by `call_id`.
"""

from collections.abc import Iterable
from dataclasses import replace

from tasks.importers.chat import read_role
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, DraftMessage
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_list,
    as_name,
    as_object,
    as_text,
    require_object,
)

_OUTPUT = "_output"
_CALL = "_call"
_NOT_AN_ARGUMENT = frozenset({"id", "type", "status", "call_id", "name", "output", "error", "role"})


def is_item(value: JsonValue) -> bool:
    """Whether a message is an item of this API."""
    kind = _kind(value)
    if kind == "message":
        parts = [as_object(part).get("type") for part in as_list(as_object(value).get("content"))]
        return any(part in ("input_text", "output_text", "refusal") for part in parts)
    return kind == "reasoning" or kind.endswith((_CALL, _CALL + _OUTPUT))


def _kind(value: JsonValue) -> str:
    return as_text(as_object(value).get("type")) or ""


def read_items(items: Iterable[JsonValue], first: int = 0) -> tuple[DraftMessage, ...]:
    """Read items; unknown ones are passed over.

    Raises:
        Unreadable: an item is no object, or a message has no known role.
    """
    messages: list[DraftMessage] = []
    for position, value in enumerate(items, start=first):
        for message in _read_item(require_object(value, f"item {position}"), position):
            last = messages[-1] if messages else None
            if last and last.role == message.role == "assistant":
                messages[-1] = _merge(last, message)
            else:
                messages.append(message)
    return tuple(messages)


def _read_item(item: JsonObject, position: int) -> tuple[DraftMessage, ...]:
    kind = _kind(item)
    if kind == "message" or (not kind and "role" in item):
        return (
            DraftMessage(
                role=read_role(item, position),
                text=_text(item.get("content")),
                native_id=as_name(item.get("id")),
            ),
        )
    if kind == "reasoning":
        thought = _text(item.get("summary")) or _text(item.get("content"))
        return (DraftMessage(role="assistant", reasoning=thought),)
    if kind.endswith(_CALL + _OUTPUT):
        return (_read_output(item),)
    if kind.endswith(_CALL):
        return _read_call(item, kind)
    return ()


def _text(content: JsonValue) -> str | None:
    parts = as_list(content)
    texts = [
        as_text(as_object(p).get("text")) or as_text(as_object(p).get("refusal")) for p in parts
    ]
    found = [text for text in texts if text is not None]
    return "\n".join(found) if found or parts == content else as_content(content)


def _read_call(item: JsonObject, kind: str) -> tuple[DraftMessage, ...]:
    call_id = as_name(item.get("call_id"))
    raw = as_text(item.get("arguments"))
    call = DraftCall(
        tool=as_text(item.get("name")) or kind.removesuffix(_CALL),
        raw=raw,
        arguments=None if raw is not None else _arguments(item, kind),
        native_id=call_id or as_name(item.get("id")),
    )
    if "output" not in item and "error" not in item:
        is_ours = kind in ("function_call", "custom_tool_call", "local_shell_call")
        done = None if is_ours or item.get("status") not in (None, "completed") else True
        return (DraftMessage(role="assistant", calls=(replace(call, is_executed=done),)),)
    return (DraftMessage(role="assistant", calls=(call,)), _read_output(item, call.native_id))


def _arguments(item: JsonObject, kind: str) -> JsonValue:
    """Free text of custom tools and the members of built-in ones, where there is no JSON text."""
    if kind == "function_call":
        return item.get("arguments")
    return {name: value for name, value in item.items() if name not in _NOT_AN_ARGUMENT}


def _read_output(item: JsonObject, call_id: str | None = None) -> DraftMessage:
    error = as_content(item.get("error"))
    output = item.get("output")
    return DraftMessage(
        role="tool",
        text=error if error is not None else _text(output),
        result_of=call_id or as_name(item.get("call_id")),
        is_error=True if error is not None else None,
        error_kind="tool_error" if error is not None else None,
        requestor="assistant",
    )


def _merge(first: DraftMessage, second: DraftMessage) -> DraftMessage:
    return replace(
        first,
        text=_both(first.text, second.text),
        reasoning=_both(first.reasoning, second.reasoning),
        calls=first.calls + second.calls,
        native_id=first.native_id or second.native_id,
    )


def _both(first: str | None, second: str | None) -> str | None:
    return second if first is None else first if second is None else f"{first}\n{second}"
