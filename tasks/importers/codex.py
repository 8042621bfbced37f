"""Codex CLI rollouts: one conversation a file (formats.md 2.15).

Codex writes Responses items; its events repeat what users and the agent said, so they are read
only where there are no items. Lines of kinds that are not known pass.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks.importers.container import Element, Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import (
    Drafted,
    DraftEpisode,
    DraftMessage,
    Redacts,
    Refusal,
    Source,
)
from tasks.importers.elements import conversation_key, first_text, read_element
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_count,
    as_name,
    as_object,
    as_text,
    require_object,
)
from tasks.importers.responses_items import is_item, read_items
from tasks.importers.stated_verdict import judge_named

_KINDS = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_SPOKEN = {"user_message": "user", "agent_message": "assistant"}


@dataclass
class _Session:
    """What the lines of a rollout say, gathered line by line."""

    meta: JsonObject = field(default_factory=dict[str, JsonValue])
    model: str | None = None
    items: list[JsonValue] = field(default_factory=list[JsonValue])
    spoken: list[JsonValue] = field(default_factory=list[JsonValue])
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    replaced: int = 0

    def take(self, line: JsonObject) -> None:
        """Add a line; the kind decides what it is for."""
        payload = as_object(line.get("payload"))
        kind = line.get("type")
        if kind == "session_meta":
            self.meta = payload
        elif kind == "turn_context":
            self.model = as_text(payload.get("model")) or self.model
        elif kind == "response_item":
            self.items.append(payload)
        elif kind == "event_msg":
            self._hear(payload)

    def _hear(self, event: JsonObject) -> None:
        role = _SPOKEN.get(as_text(event.get("type")) or "")
        if role is not None:
            self.spoken.append({"role": role, "content": event.get("message")})
        if event.get("type") == "token_count":
            total = as_object(event.get("info")).get("total_token_usage", event)
            self.usage = as_object(total) or self.usage

    def messages(self) -> tuple[DraftMessage, ...]:
        """Items in their order, behind the instructions; what was spoken when there are none."""
        told = as_object(self.meta.get("base_instructions")).get("text")
        text = as_content(self.meta.get("instructions")) or as_text(told)
        first = (DraftMessage(role="system", text=text),) if text else ()
        return first + read_items(self.items or self.spoken)


def _has_marks(value: JsonValue) -> bool:
    line = as_object(value)
    return as_text(line.get("type")) in _KINDS and isinstance(line.get("payload"), dict)


class CodexReader:
    """Reads rollout files."""

    name = "codex"
    describes = "Codex CLI rollouts (lines with `type` and `payload`)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A line of a rollout."""
        return any(map(_has_marks, outline.samples)) or _has_marks(outline.members)

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield refusals of single lines, then the episode of the file."""
        session, first = _Session(), None
        for element in every(source.path, source.outline):
            drafted = read_element(element, redactor, _read_line)
            if isinstance(drafted, Refusal):
                yield drafted
                continue
            first = first or element
            session.replaced += element.replaced
            session.take(drafted)
        if first is not None:
            yield _read_session(first, session, source)


def _read_line(element: Element) -> JsonObject:
    line = require_object(element.value, "the line")
    if not isinstance(line.get("type"), str):
        message = "a line of a rollout has a `type`"
        raise Unreadable(message)
    if line["type"] == "response_item" and not isinstance(line.get("payload"), dict):
        message = "a `response_item` holds an object as `payload`"
        raise Unreadable(message)
    if line["type"] == "response_item" and is_item(line["payload"]):
        read_items([line["payload"]])
    return line


def _read_session(first: Element, session: _Session, source: Source) -> DraftEpisode | Refusal:
    try:
        messages = session.messages()
    except Unreadable as error:
        return Refusal.of(first.index, first.place, str(error), session.meta)
    if not messages:
        return Refusal.of(first.index, first.place, "the session holds no turns", session.meta)
    task_text = first_text(messages, "user") or ""
    model = session.model
    native_id = as_name(session.meta.get("id"))
    return DraftEpisode(
        index=first.index,
        place=first.place,
        environment="codex",
        family="session",
        native_task=None,
        task_text=task_text,
        task_definition=task_text,
        identity=conversation_key(native_id, messages),
        verdict=judge_named({}, source.options.verdict_field),
        messages=messages,
        format_version=as_text(session.meta.get("cli_version")) or "",
        model=model or source.options.model or "unknown",
        model_settings=[model, session.meta.get("model_provider")],
        is_model_sourced=model is not None,
        prompt_tokens=as_count(session.usage.get("input_tokens")),
        completion_tokens=as_count(session.usage.get("output_tokens")),
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        lost=("result_errors", "seed", "tools"),
        raw=[session.meta, session.items, session.spoken],
        replaced=session.replaced,
        native_id=native_id,
        dialect="items" if session.items else "events",
    )
