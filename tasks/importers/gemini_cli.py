"""Gemini CLI sessions: one object with `sessionId` and `messages` (formats.md 2.15)."""

from collections.abc import Iterator

from tasks.importers.container import Element, Outline, whole
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, Drafted, DraftEpisode, DraftMessage, Redacts, Source
from tasks.importers.elements import conversation_key, first_text, read_element
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
    require_list,
    require_object,
)
from tasks.importers.stated_verdict import judge_named


class GeminiCliReader:
    """Reads session files."""

    name = "gemini-cli"
    describes = "Gemini CLI sessions (`sessionId`, `projectHash`, `messages`)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """An object of a session."""
        return {"sessionId", "projectHash", "messages"} <= set(outline.members)

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield the episode of the file."""
        yield read_element(whole(source.path), redactor, lambda e: _read_session(e, source))


def _read_message(value: JsonValue, position: int) -> Iterator[DraftMessage]:
    message = require_object(value, f"message {position}")
    kind, text = message.get("type"), as_content(message.get("content"))
    if kind != "gemini":
        if kind not in ("user", "info", "error"):
            told = f"message {position} is of no known type but {str(kind)[:40]!r}"
            raise Unreadable(told)
        yield DraftMessage(role="user" if kind == "user" else "environment", text=text)
        return
    tokens = as_object(message.get("tokens"))
    calls = [as_object(call) for call in as_list(message.get("toolCalls"))]
    yield DraftMessage(
        role="assistant",
        text=text,
        reasoning=_thoughts(message),
        calls=tuple(_read_call(call) for call in calls),
        native_id=as_name(message.get("id")),
        prompt_tokens=as_count(tokens.get("input")),
        completion_tokens=as_count(tokens.get("output")),
        served_model=as_text(message.get("model")),
    )
    for call in calls:
        if "result" in call:
            failed = call.get("status") == "error"
            yield DraftMessage(
                role="tool",
                text=as_content(call["result"]),
                result_of=as_name(call.get("id")),
                is_error=failed,
                error_kind="tool_error" if failed else None,
                requestor="assistant",
            )


def _read_call(call: JsonObject) -> DraftCall:
    return DraftCall(
        as_text(call.get("name")) or "",
        arguments=call.get("args"),
        native_id=as_name(call.get("id")),
    )


def _thoughts(message: JsonObject) -> str | None:
    thoughts = [as_object(item) for item in as_list(message.get("thoughts"))]
    texts = [as_text(t.get("description")) or as_text(t.get("subject")) for t in thoughts]
    return "\n".join(text for text in texts if text) or None


def _read_session(element: Element, source: Source) -> DraftEpisode:
    session = drop_nulls(require_object(element.value, "the session"))
    items = require_list(session.get("messages"), "`messages`")
    messages = tuple(m for at, item in enumerate(items) for m in _read_message(item, at))
    model = next((m.served_model for m in messages if m.served_model), None)
    task_text = first_text(messages, "user") or ""
    native_id = as_name(session.get("sessionId"))
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment="gemini_cli",
        family="session",
        native_task=None,
        task_text=task_text,
        task_definition=task_text,
        identity=conversation_key(native_id, messages),
        verdict=judge_named({}, source.options.verdict_field),
        messages=messages,
        model=model or source.options.model or "unknown",
        model_settings=[model],
        is_model_sourced=model is not None,
        task_prompt=task_text or None,
        lost=("arguments_not_json", "arguments_raw", "seed", "system_prompt", "tools"),
        raw=session,
        replaced=element.replaced,
        native_id=native_id,
    )
