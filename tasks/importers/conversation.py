"""Messages in any of the common shapes, told one by one: logs mix them.

Chat, its older `function_call`, Anthropic blocks, Responses items, parts, LangChain and ShareGPT.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tasks.importers.blocks import has_blocks, read_block_message
from tasks.importers.chat import read_chat_message
from tasks.importers.decoding import JsonValue, Undecodable, decode
from tasks.importers.draft import DraftCall, DraftMessage, Role
from tasks.importers.langchain_messages import is_langchain, read_langchain
from tasks.importers.parts import has_parts, read_parts_message
from tasks.importers.reading import (
    JsonObject,
    Unreadable,
    as_content,
    as_object,
    as_text,
    drop_nulls,
    require_object,
)
from tasks.importers.responses_items import is_item, read_items

_SPEAKERS: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "function_call": "assistant",
    "system": "system",
    "tool": "tool",
    "observation": "tool",
    "function_response": "tool",
}


@dataclass(frozen=True)
class Conversation:
    """Messages and the shapes that they had."""

    messages: tuple[DraftMessage, ...]
    dialect: str


def read_conversation(items: list[JsonValue]) -> Conversation:
    """Read messages; nulls that columnar writers add are no members.

    Raises:
        Unreadable: a message has no known shape or role.
    """
    messages: list[DraftMessage] = []
    dialects: list[str] = []
    position = 0
    while position < len(items):
        item = drop_nulls(items[position])
        name, read = _shape(item)
        if name == "responses":
            end = _end_of_items(items, position)
            messages += read_items([drop_nulls(one) for one in items[position:end]], position)
            position = end
        else:
            messages += read(item, position)
            position += 1
        dialects.append(name)
    return Conversation(tuple(messages), "+".join(dict.fromkeys(sorted(set(dialects)))))


def _end_of_items(items: list[JsonValue], start: int) -> int:
    """Items follow one another; a plain message among them belongs to the same turns."""
    end = start + 1
    while end < len(items) and is_item(drop_nulls(items[end])):
        end += 1
    return end


Read = Callable[[JsonValue, int], tuple[DraftMessage, ...]]


def _shape(item: JsonValue) -> tuple[str, Read]:
    return next((name, read) for name, is_so, read in _SHAPES if is_so(item))


def _read_speaker(item: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    turn = as_object(item)
    speaker = as_text(turn.get("from")) or ""
    role = _SPEAKERS.get(speaker.lower())
    if role is None:
        message = f"message {position} comes from nobody known but {speaker[:40]!r}"
        raise Unreadable(message)
    text = as_content(turn.get("value"))
    if speaker.lower() == "function_call":
        return (DraftMessage(role="assistant", calls=(_read_written_call(text or ""),)),)
    is_result = role == "tool"
    return (DraftMessage(role=role, text=text, requestor="assistant" if is_result else None),)


def _read_written_call(text: str) -> DraftCall:
    try:
        call = decode(text).value
    except Undecodable as error:
        return DraftCall("", raw=text, error=str(error))
    members = as_object(call)
    given = members.get("arguments", members.get("parameters"))
    raw = as_text(given)
    return DraftCall(
        tool=as_text(members.get("name")) or "",
        raw=raw,
        arguments=None if raw is not None else given,
        error=None if isinstance(call, dict) else "the call is no object",
    )


def _read_role_text(item: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    turn = as_object(item)
    content = turn.get("text", turn.get("system_prompt"))
    return (read_chat_message({"role": turn.get("role"), "content": content}, position),)


def _is_role_text(item: JsonValue) -> bool:
    turn = as_object(item)
    return "role" in turn and "content" not in turn and ("text" in turn or "system_prompt" in turn)


def _is_legacy(item: JsonValue) -> bool:
    message = as_object(item)
    return isinstance(message.get("function_call"), dict) or message.get("role") == "function"


def _read_chat(item: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    return (read_chat_message(item, position),)


def _read_langchain(item: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    del position  # its kind is known already
    return (read_langchain(as_object(item)),)


def _read_parts(item: JsonValue, position: int) -> tuple[DraftMessage, ...]:
    return read_parts_message(require_object(item, f"message {position}"), position)


def _is_speaker(item: JsonValue) -> bool:
    return "from" in as_object(item)


def _is_any(item: JsonValue) -> bool:
    del item
    return True


_SHAPES: tuple[tuple[str, Callable[[JsonValue], bool], Read], ...] = (
    ("responses", is_item, _read_chat),
    ("langchain", is_langchain, _read_langchain),
    ("sharegpt", _is_speaker, _read_speaker),
    ("parts", has_parts, _read_parts),
    ("blocks", has_blocks, read_block_message),
    ("text", _is_role_text, _read_role_text),
    ("function_call", _is_legacy, _read_chat),
    ("chat", _is_any, _read_chat),
)
"""In the order in which a message is tried; the last takes what is left."""


def is_message(value: JsonValue) -> bool:
    """Whether a value looks like a message of any of these shapes."""
    members: JsonObject = as_object(value)
    is_spoken = isinstance(members.get("role"), str) and bool(
        {"content", "parts", "tool_calls", "function_call", "text"} & set(members)
    )
    is_told = isinstance(members.get("from"), str) and "value" in members
    return is_spoken or is_told or is_item(value) or is_langchain(value)
