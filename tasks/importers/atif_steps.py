"""Steps of an ATIF document to messages; a step may hold a reply, its calls and their results."""

from collections.abc import Iterator
from dataclasses import replace

from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, DraftMessage, Role
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    require_list,
    require_object,
)

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "agent": "assistant"}


def read_steps(document: JsonObject) -> tuple[DraftMessage, ...]:
    """Messages of a document.

    Raises:
        Unreadable: `steps` is no list, or a step has no known source.
    """
    steps = require_list(document.get("steps"), "`steps`")
    return tuple(message for at, step in enumerate(steps) for message in _read_step(step, at))


def is_copied(step: JsonValue) -> bool:
    """Whether a step was made elsewhere and only repeated here."""
    return as_object(step).get("is_copied_context") is True


def _read_step(value: JsonValue, position: int) -> Iterator[DraftMessage]:
    step = require_object(value, f"step {position}")
    source = as_text(step.get("source")) or ""
    role = _ROLES.get(source.lower())
    if role is None:
        message = f"step {position} has no known source but {source[:40]!r}"
        raise Unreadable(message)
    metrics = as_object(step.get("metrics"))
    copied = is_copied(step)
    # Only agents call tools in ATIF; our own export keeps what a user called under `extra`.
    told = step if role == "assistant" else as_object(step.get("extra"))
    calls = tuple(_read_call(item, role) for item in as_list(told.get("tool_calls")))
    yield DraftMessage(
        role=role,
        text=as_content(step.get("message")),
        reasoning=as_text(step.get("reasoning_content")),
        calls=calls,
        prompt_tokens=as_count(metrics.get("prompt_tokens")),
        completion_tokens=as_count(metrics.get("completion_tokens")),
        served_model=as_text(step.get("model_name")),
        native_id=as_name(step.get("step_id")),
        copied=copied,
    )
    results = as_list(as_object(step.get("observation")).get("results"))
    yield from (
        _read_result(item, is_called=bool(calls), copied=copied) for item in results if _says(item)
    )
    if role == "user":
        own = [
            _read_result(one, is_called=True, copied=copied) for one in as_list(told.get("results"))
        ]
        yield from (replace(one, requestor="user") for one in own)


def _says(item: JsonValue) -> bool:
    """Results that only point at the trajectory of another agent say nothing."""
    result = as_object(item)
    return result.get("content") is not None or result.get("source_call_id") is not None


def _read_call(item: JsonValue, role: Role) -> DraftCall:
    call = as_object(item)
    given = call.get("arguments")
    # ATIF has a place for objects only; our own export keeps a text that is none beside it.
    raw = as_text(as_object(call.get("extra")).get("arguments_raw")) or as_text(given)
    return DraftCall(
        tool=as_text(call.get("function_name")) or "",
        raw=raw,
        arguments=None if raw is not None else given,
        native_id=as_name(call.get("tool_call_id")),
        requestor="user" if role == "user" else "assistant",
        error=None if isinstance(item, dict) else "the call is no object",
    )


def _read_result(item: JsonValue, *, is_called: bool, copied: bool) -> DraftMessage:
    """What came back: the result of a call, or of what the agent wrote as text."""
    result = as_object(item)
    answered = as_name(result.get("source_call_id"))
    is_result = is_called or answered is not None
    return DraftMessage(
        role="tool" if is_result else "environment",
        text=as_content(result.get("content")),
        result_of=answered,
        requestor="assistant" if is_result else None,
        copied=copied,
    )
