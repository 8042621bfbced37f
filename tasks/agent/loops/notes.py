"""Notes of an agent to itself: how they are bounded, and where the model sees them again."""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.agent.noting import Note
from tasks.agent.protocols import (
    JsonObject,
)

Message = Mapping[str, Any]
NOTE_CHARS = 2_000
"""Most characters of a note that are carried on; a note must not crowd out the task."""

HEADINGS = {
    "plan": "Your plan, made before you began. Follow it, and change it when a result says so:",
    "reflection": "What you noted after earlier trials of this task:",
}


def with_notes(messages: Sequence[Message], notes: Sequence[Note]) -> list[Message]:
    """Put notes behind the task, where every request of the episode shows them.

    They go into the last message before the first turn, as some endpoints refuse two messages of
    the user in a row.
    """
    told = list(messages)
    text = _render(notes)
    opening = [
        place
        for place, message in enumerate(told[: _first_turn(told)])
        if message["role"] == "user"
    ]
    if text and opening:
        last = told[opening[-1]]
        told[opening[-1]] = {**last, "content": f"{last.get('content') or ''}\n\n{text}"}
    return told


def _first_turn(messages: Sequence[Message]) -> int:
    turns = (place for place, one in enumerate(messages) if one["role"] == "assistant")
    return next(turns, len(messages))


def _render(notes: Sequence[Note]) -> str:
    parts: list[str] = []
    for kind, heading in HEADINGS.items():
        texts = [note.text.strip() for note in notes if note.kind == kind and note.text.strip()]
        if texts:
            parts.append("\n".join([heading, *texts]))
    return "\n\n".join(parts)


def written_calls(message: Message) -> list[tuple[str, str]]:
    """Name and argument text of the calls of a message."""
    calls: list[JsonObject] = message.get("tool_calls") or []
    return [(call["function"]["name"], call["function"]["arguments"] or "") for call in calls]


def list_tools(tools: Sequence[Message]) -> str:
    """Names and descriptions of tools, one a line."""
    functions: list[JsonObject] = [tool["function"] for tool in tools]
    return "\n".join(f"- {one['name']}: {one.get('description') or ''}" for one in functions)
