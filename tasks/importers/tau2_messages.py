"""Messages of tau2 simulations: parsed arguments, raw text from `raw_data`, calls of the user."""

from tasks.importers.chat import read_role
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, DraftMessage, Requestor
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    require_object,
)
from tasks.importers.tool_errors import error_kind, is_error_text


def _requestor(value: JsonValue) -> Requestor | None:
    return value if value in ("assistant", "user") else None


def _raw_calls(message: JsonObject) -> list[JsonObject]:
    """Calls as the provider sent them; the reply stands in `raw_data`, with or without a layer."""
    raw = as_object(message.get("raw_data"))
    reply = as_object(raw.get("message")) or raw
    return [as_object(item) for item in as_list(reply.get("tool_calls"))]


def _raw_arguments(raw: JsonObject) -> str | None:
    return as_text(as_object(raw.get("function")).get("arguments"))


def _match_raw(call: JsonObject, at: int, raws: list[JsonObject]) -> str | None:
    """Raw argument text of a call: by id, else by position when the tool is the same."""
    call_id = as_name(call.get("id"))
    for raw in raws:
        if call_id is not None and as_name(raw.get("id")) == call_id:
            return _raw_arguments(raw)
    if at < len(raws) and as_object(raws[at].get("function")).get("name") == call.get("name"):
        return _raw_arguments(raws[at])
    return None


def _read_calls(message: JsonObject, role: str) -> tuple[DraftCall, ...]:
    raws = _raw_calls(message)
    calls: list[DraftCall] = []
    for at, item in enumerate(as_list(message.get("tool_calls"))):
        call = as_object(item)
        arguments = call.get("arguments")
        text = as_text(arguments)
        calls.append(
            DraftCall(
                tool=as_text(call.get("name")) or "",
                raw=text if text is not None else _match_raw(call, at, raws),
                arguments=None if text is not None else arguments,
                native_id=as_name(call.get("id")) or ("" if "id" in call else None),
                requestor=_requestor(call.get("requestor"))
                or ("user" if role == "user" else "assistant"),
                error=None if isinstance(item, dict) else "the call is no object",
            )
        )
    return tuple(calls)


def _read_result(message: JsonObject, text: str | None) -> DraftMessage:
    flag = message.get("error")
    is_error = flag if isinstance(flag, bool) else is_error_text(text or "")
    return DraftMessage(
        role="tool",
        text=text,
        result_of=as_name(message.get("id")),
        result_name=as_text(message.get("name")),
        is_error=is_error,
        error_kind=error_kind(text or "") if is_error else None,
        requestor=_requestor(message.get("requestor")),
        native_id=as_name(message.get("id")),
    )


def read_message(value: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    """Read one message; a bundle of tool messages becomes several.

    Raises:
        Unreadable: it is no object or has no known role.
    """
    message = require_object(value, f"message {position}")
    bundle = message.get("tool_messages")
    if isinstance(bundle, list) and bundle:
        return tuple(read for item in bundle for read in read_message(item, position))
    role = read_role(message, position)
    text = as_content(message.get("content"))
    if role == "tool":
        return (_read_result(message, text),)
    usage = as_object(message.get("usage"))
    raw = as_object(message.get("raw_data"))
    return (
        DraftMessage(
            role=role,
            text=text,
            reasoning=as_text(message.get("reasoning"))
            or as_text(message.get("reasoning_content")),
            calls=_read_calls(message, role),
            prompt_tokens=as_count(usage.get("prompt_tokens")),
            completion_tokens=as_count(usage.get("completion_tokens")),
            finish_reason=as_text(raw.get("finish_reason")),
        ),
    )
