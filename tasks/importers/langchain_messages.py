"""Messages of LangChain: constructors (`lc`, `kwargs`) and `type` with `data` or `content`."""

from tasks.importers.chat import read_calls
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, DraftMessage, Role
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
)

_ROLES: dict[str, Role] = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
_CLASSES = {"HumanMessage": "human", "AIMessage": "ai", "SystemMessage": "system"}
_CLASSES |= {"ToolMessage": "tool", "FunctionMessage": "function"}


def is_langchain(value: JsonValue) -> bool:
    """Whether a message has one of the two shapes."""
    return _kind(as_object(value)) in _ROLES


def _kind(message: JsonObject) -> str:
    if "lc" in message:
        path = as_list(message.get("id"))
        name = (as_text(path[-1]) if path else "") or ""
        return _CLASSES.get(name.removesuffix("Chunk"), "")
    kind = as_text(message.get("type")) or ""
    return kind if "role" not in message and ("data" in message or "content" in message) else ""


def read_langchain(message: JsonObject) -> DraftMessage:
    """One message; the kind must be known (`is_langchain`)."""
    members = as_object(message.get("kwargs")) if "lc" in message else message
    members = as_object(members.get("data")) or members
    role = _ROLES[_kind(message)]
    further = as_object(members.get("additional_kwargs"))
    usage = as_object(members.get("usage_metadata"))
    served = as_object(members.get("response_metadata"))
    is_result = role == "tool"
    failed = members.get("status") == "error"
    return DraftMessage(
        role=role,
        text=as_content(members.get("content")),
        reasoning=as_text(further.get("reasoning_content")),
        calls=() if is_result else _read_calls(members, further),
        native_id=as_name(members.get("id")),
        result_of=as_name(members.get("tool_call_id")) if is_result else None,
        result_name=as_text(members.get("name")) if is_result else None,
        is_error=failed if is_result else None,
        error_kind="tool_error" if is_result and failed else None,
        requestor="assistant" if is_result else None,
        prompt_tokens=as_count(usage.get("input_tokens")),
        completion_tokens=as_count(usage.get("output_tokens")),
        finish_reason=as_text(served.get("finish_reason")) or as_text(served.get("stop_reason")),
        served_model=as_text(served.get("model_name")) or as_text(served.get("model")),
    )


def _read_calls(members: JsonObject, further: JsonObject) -> tuple[DraftCall, ...]:
    """Parsed calls with the raw text of the provider's, and those that could not be parsed."""
    raw = {call.native_id: call.raw for call in read_calls(further)}
    parsed = tuple(
        DraftCall(
            tool=as_text(call.get("name")) or "",
            raw=raw.get(as_name(call.get("id"))),
            arguments=call.get("args", call.get("arguments")),
            native_id=as_name(call.get("id")),
        )
        for call in map(as_object, as_list(members.get("tool_calls")))
    )
    invalid = tuple(
        DraftCall(
            tool=as_text(call.get("name")) or "",
            raw=as_content(call.get("args")),
            native_id=as_name(call.get("id")),
            error=as_text(call.get("error")),
            is_executed=False,
        )
        for call in map(as_object, as_list(members.get("invalid_tool_calls")))
    )
    return parsed + invalid or read_calls(further)
