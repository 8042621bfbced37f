"""Reasoning of a model, from the places endpoints put it in, kept apart from what it says."""

import re
from dataclasses import dataclass
from typing import Any, cast

from tasks.agent.protocols import JsonObject

FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
"""Members of a message that hold reasoning; the first that is not empty counts."""
_PARTS = frozenset({"thinking", "reasoning", "redacted_thinking"})
_INLINE = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)</\1>\s*", re.DOTALL)
_MEMBERS = ("text", "summary", "content", "thinking")


@dataclass(frozen=True)
class Thought:
    """A message taken apart.

    Attributes:
        text: what the model says.
        reasoning: what it thought before; empty when it is not told.
        field: where that stood: a member, `content part`, or `in the text`; empty when nowhere.
    """

    text: str
    reasoning: str = ""
    field: str = ""


def take_reasoning(message: JsonObject) -> Thought:
    """Part what a model thought from what it says.

    A block of `<think>` counts only where the text opens with it and it is closed: elsewhere the
    words are the model's.
    """
    content = message.get("content")
    text = text_of(content)
    for name in FIELDS:
        found = text_of(message.get(name))
        if found:
            return Thought(text, found, name)
    parts = _thinking_parts(content)
    if parts:
        return Thought(text, parts, "content part")
    inline = _INLINE.match(text)
    if inline is None:
        return Thought(text)
    return Thought(text[inline.end() :], inline.group(2).strip(), "in the text")


def text_of(content: Any) -> str:
    """Text of a content member, given as such or in parts; parts of reasoning are left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    listed = cast("list[Any]", content)
    parts = [cast("JsonObject", part) for part in listed if isinstance(part, dict)]
    return "".join(_said(part) for part in parts if part.get("type") not in _PARTS)


def _said(part: JsonObject) -> str:
    found = next((part[name] for name in _MEMBERS if isinstance(part.get(name), str)), "")
    return str(found)


def _thinking_parts(content: Any) -> str:
    if not isinstance(content, list):
        return ""
    listed = cast("list[Any]", content)
    parts = [cast("JsonObject", part) for part in listed if isinstance(part, dict)]
    thought = [part for part in parts if part.get("type") in _PARTS]
    return "".join(_said(part) or text_of(part.get("thinking")) for part in thought)
