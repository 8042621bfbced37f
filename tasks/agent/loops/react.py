"""The loop `react`: thought, action and observation as text, one action a turn.

The conversation is told without tool messages, whatever the endpoint could do (Yao and others
2023). Arguments stay the raw text that was written, so a malformed one is answered as in any loop.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from schemas.episode import Episode
from schemas.ids import canonical_json
from tasks.agent.loops.notes import with_notes, written_calls
from tasks.agent.loops.protocol import NoteRequest
from tasks.agent.noting import Note
from tasks.agent.protocols import (
    JsonObject,
    ModelReply,
    RawCall,
)

Message = Mapping[str, Any]
_ACTION = re.compile(r"^[ \t*]*Action[ \t*]*:[ \t*]*(?P<name>.*?)[ \t*]*$", re.MULTILINE)
_INPUT = re.compile(r"^[ \t*]*Action Input[ \t*]*:[ \t*]*", re.MULTILINE)
_NEXT = re.compile(r"^[ \t*]*(?:Observation|Thought|Action|Final Answer)[ \t*]*:", re.MULTILINE)
_INVENTED = re.compile(r"^[ \t*]*Observation[ \t*]*:", re.MULTILINE)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n?(.*?)\n?[ \t]*```", re.DOTALL)
_MANUAL = """You work in turns. In each turn write exactly three lines and stop:
Thought: why the next step is the right one
Action: the name of one tool
Action Input: its arguments as one JSON object
What the tool gives back comes as an observation; never write one yourself.
Tools:
"""


class React:
    """Thought, action and observation in plain text."""

    name = "react"
    learns = False

    def due(self, earlier: Episode | None, tools: Sequence[Message]) -> NoteRequest | None:  # noqa: ARG002
        """Nothing: thoughts are written in the turns."""
        return None

    def tell(
        self, messages: Sequence[Message], tools: Sequence[Message], notes: Sequence[Note]
    ) -> tuple[Sequence[Message], Sequence[Message]]:
        """The conversation as text; no tools are offered beside it."""
        manual = _MANUAL + "\n".join(_describe(tool["function"]) for tool in tools)
        told: list[JsonObject] = []
        if not messages or messages[0]["role"] != "system":
            told.append({"role": "system", "content": manual})
        for message in with_notes(messages, notes):
            role, content = _as_text(message)
            if role == "system":
                content = f"{content}\n\n{manual}"
            if told and told[-1]["role"] == role == "user":
                told[-1]["content"] += f"\n\n{content}"
            else:
                told.append({"role": role, "content": content})
        return told, ()

    def voice(self, reply: ModelReply) -> ModelReply:
        """Native calls written as actions; a reply without a call stays the prose it is."""
        if not reply.calls:
            return reply
        thought = " ".join(reply.text.split()) or "the next step is clear."
        actions = [write_action(call.name, call.arguments) for call in reply.calls]
        text = "\n".join([f"Thought: {thought}", *actions])
        return replace(reply, text=text, calls=())

    def unvoice(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Turns with a call lose the text that it was written in."""
        return [{**one, "content": ""} if one.get("tool_calls") else one for one in messages]

    def read(self, reply: ModelReply) -> ModelReply:
        """The first action of a reply; calls that came natively all the same are kept."""
        call = None if reply.calls else read_action(reply.text)
        return replace(reply, calls=(call,)) if call else reply


def write_action(name: str, arguments: str) -> str:
    """A call as the two lines of an action."""
    return f"Action: {name}\nAction Input: {arguments or '{}'}"


def read_action(text: str) -> RawCall | None:
    """The first action of a text; null when it has none.

    What follows an observation that the model invented is no action: it answers to nothing.
    """
    text = without_invented(text)
    found = _ACTION.search(text)
    name = found["name"].strip("`\"' ") if found else ""
    if found is None or not name:
        return None
    rest = text[found.end() :]
    begun = _INPUT.search(rest)
    following = _NEXT.search(rest)
    if begun is None or (following is not None and following.start() < begun.start()):
        return RawCall(name, "")
    return RawCall(name, _arguments(rest[begun.end() :]))


def without_invented(text: str) -> str:
    """A reply up to the first observation that the model wrote itself."""
    found = _INVENTED.search(text)
    return text[: found.start()].rstrip() if found else text


def _arguments(text: str) -> str:
    """The JSON object that a text begins with; else the text up to the next line of the form."""
    fenced = _FENCED.match(text.lstrip())
    body = (fenced.group(1) if fenced else text).strip().removeprefix("`")
    try:
        _, end = json.JSONDecoder().raw_decode(body)
    except (ValueError, RecursionError):
        following = _NEXT.search(body)
        return (body[: following.start()] if following else body).strip().removesuffix("`")
    following = _NEXT.search(body, end)
    rest = (body[end : following.start()] if following else body[end:]).strip().strip("`")
    # Text behind the object is the model's mistake to hear of, not ours to cut off.
    return f"{body[:end]} {rest}" if rest else body[:end]


def _as_text(message: Message) -> tuple[str, str]:
    role, content = str(message["role"]), str(message.get("content") or "")
    if role == "tool":
        return "user", f"Observation: {content}"
    if role != "assistant":
        return role, content
    if not _ACTION.search(content):
        written = [write_action(*call) for call in written_calls(message)]
        return role, "\n".join(part for part in (content, *written) if part)
    return role, without_invented(content)


def _describe(function: Message) -> str:
    schema = canonical_json(function["parameters"])
    return f"- {function['name']}: {function.get('description') or ''}\n  arguments: {schema}"
