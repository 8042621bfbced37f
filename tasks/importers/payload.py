"""Messages out of what tracing tools keep as input and output: objects, lists or JSON text.

Vendors wrap messages in their own ways; a few members are known to hold them. What holds none is
shown as one message of the side that it stands on.
"""

from tasks.importers.conversation import is_message, read_conversation
from tasks.importers.decoding import JsonValue, Undecodable, decode
from tasks.importers.draft import DraftMessage, Role
from tasks.importers.reading import Unreadable, as_content, as_list, as_object, drop_nulls

_HOLDERS = (
    *("messages", "input", "inputs", "prompt", "generations", "choices", "message"),
    *("output", "outputs", "response", "args", "kwargs"),
)
_DEEPEST = 5


def decode_text(value: JsonValue) -> JsonValue:
    """What a JSON text holds; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return decode(value).value
    except Undecodable:
        return value


def find_items(value: JsonValue, depth: int = 0) -> list[JsonValue]:
    """Messages inside a value; an empty list when there are none."""
    value = decode_text(value)
    if depth > _DEEPEST:
        return []
    if isinstance(value, list):
        if any(map(is_message, value)):
            return [item for item in value if is_message(item)]
        return [item for one in value for item in find_items(one, depth + 1)]
    if is_message(value):
        return [value]
    members = as_object(value)
    for name in _HOLDERS:
        if name in members and (found := find_items(members[name], depth + 1)):
            return found
    return []


def messages_of(value: JsonValue, role: Role) -> tuple[DraftMessage, ...]:
    """Messages of an input or output, else the whole of it as one message; none for nothing."""
    items = find_items(value)
    if items:
        try:
            return read_conversation(items).messages
        except Unreadable:
            pass  # a vendor's own kind of message is shown as it stands
    text = _plain_text(drop_nulls(decode_text(value)))
    return () if not text else (DraftMessage(role=role, text=text),)


def _plain_text(value: JsonValue) -> str | None:
    members = as_object(value)
    for name in ("content", "text", "input", "output", "question", "answer"):
        if len(members) == 1 and isinstance(members.get(name), str):
            return members[name]
    return None if value in ({}, [], None) else as_content(value)


def tools_of(value: JsonValue) -> list[JsonValue]:
    """Tool definitions; some are kept as JSON text one by one."""
    return [decode_text(item) for item in as_list(decode_text(value))]
