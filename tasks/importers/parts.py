"""Messages with `parts`: OpenTelemetry's GenAI conventions, and Gemini's own."""

from collections.abc import Iterator

from tasks.importers.chat import read_role
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, DraftMessage
from tasks.importers.reading import JsonObject, as_content, as_list, as_name, as_object, as_text


def has_parts(value: JsonValue) -> bool:
    """Whether a message holds parts instead of content."""
    message = as_object(value)
    return isinstance(message.get("parts"), list) and "content" not in message


def read_parts_message(message: JsonObject, position: int) -> tuple[DraftMessage, ...]:
    """A message, and a tool message for each response in it.

    Raises:
        Unreadable: it has no known role.
    """
    role = read_role(message, position)
    parts = [part if isinstance(part, dict) else {"content": part} for part in message["parts"]]
    results = tuple(_results(parts))
    calls = tuple(_calls(parts)) if role == "assistant" else ()
    text = _join(parts, is_thought=False)
    if results and text is None and not calls:
        return results
    said = DraftMessage(
        role="user" if role == "tool" else role,
        text=text,
        reasoning=_join(parts, is_thought=True),
        calls=calls,
        finish_reason=as_text(message.get("finish_reason")),
    )
    return (*results, said) if role == "user" else (said, *results)


def _join(parts: list[JsonObject], *, is_thought: bool) -> str | None:
    texts = [
        text
        for part in parts
        if (part.get("type") in ("reasoning", "thinking") or part.get("thought") is True)
        == is_thought
        and (text := as_text(part.get("content")) or as_text(part.get("text"))) is not None
    ]
    return "\n".join(texts) if texts else None


def _calls(parts: list[JsonObject]) -> Iterator[DraftCall]:
    for part in parts:
        call = as_object(part.get("functionCall")) if "functionCall" in part else part
        if part.get("type") == "tool_call" or "functionCall" in part:
            given = call.get("arguments", call.get("args"))
            raw = as_text(given)
            yield DraftCall(
                tool=as_text(call.get("name")) or "",
                raw=raw,
                arguments=None if raw is not None else given,
                native_id=as_name(call.get("id")),
            )


def _results(parts: list[JsonObject]) -> Iterator[DraftMessage]:
    for part in parts:
        answer = as_object(part.get("functionResponse")) if "functionResponse" in part else part
        if part.get("type") == "tool_call_response" or "functionResponse" in part:
            given = answer.get("response", answer.get("result"))
            yield DraftMessage(
                role="tool",
                text=as_content(given),
                result_of=as_name(answer.get("id")),
                result_name=as_text(answer.get("name")),
                requestor="assistant",
            )


def text_parts(value: JsonValue) -> str | None:
    """Instructions that are given as a list of parts, or as text."""
    parts = as_list(value)
    return _join([as_object(part) for part in parts], is_thought=False) if parts else as_text(value)
