"""Elements of a file to drafts, one by one: what cannot be read is refused, the rest goes on."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from schemas.ids import canonical_json
from tasks.importers.container import Element
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftMessage, Redacts, Refusal
from tasks.importers.reading import Unreadable

T = TypeVar("T")


def read_element(element: Element, redactor: Redacts, read: Callable[[Element], T]) -> T | Refusal:
    """Redact an element and read it; the reader says by `Unreadable` that it cannot be."""
    if element.problem is not None:
        return Refusal(element.index, element.place, element.problem, element.excerpt)
    value = redactor.value(element.value)
    try:
        return read(replace(element, value=value))
    except Unreadable as error:
        return Refusal.of(element.index, element.place, str(error), value)


def read_elements(
    elements: Iterable[Element], redactor: Redacts, read: Callable[[Element], T]
) -> Iterator[T | Refusal]:
    """Read elements in their order."""
    for element in elements:
        yield read_element(element, redactor, read)


def conversation_key(native_id: str | None, messages: Iterable[DraftMessage]) -> JsonValue:
    """What tells one episode from another: its id and all that was said and called."""
    said = [
        [
            message.role,
            message.text,
            message.reasoning,
            [
                [call.requestor, call.tool, call.raw, canonical_json(call.arguments)]
                for call in message.calls
            ],
            message.result,
        ]
        for message in messages
    ]
    return [native_id, said]


def first_text(messages: Iterable[DraftMessage], role: str) -> str | None:
    """Text of the first message of a role that says something."""
    return next((m.text for m in messages if m.role == role and m.text and not m.copied), None)
