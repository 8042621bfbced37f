"""Tool calls for models without native ones: tools in the prompt, one JSON object as a call."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from schemas.ids import canonical_json
from tasks.agent.protocols import JsonObject, Model, ModelReply, RawCall, WritesCalls

Message = Mapping[str, Any]
_FENCED = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL)
_BROKEN = re.compile(r'\{\s*"tool"\s*:\s*"([^"\\]{0,200})"\s*,\s*"arguments"\s*:\s*(.*)', re.DOTALL)
_EXAMPLES: dict[str, Any] = {
    "string": "text",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}


def text_messages(
    messages: Sequence[Message], tools: Sequence[Message], *, envelope: str = ""
) -> list[JsonObject]:
    """Tell a conversation without tool messages: results come from the user.

    With an envelope, calls stand inside a member of this name.
    """
    told: list[JsonObject] = []
    manual = _manual(tools, envelope)
    if not messages or messages[0]["role"] != "system":
        told.append({"role": "system", "content": manual})
    for message in messages:
        content = _content(message, envelope)
        if message["role"] == "system":
            content = f"{content}\n\n{manual}"
        role = "user" if message["role"] == "tool" else message["role"]
        if told and told[-1]["role"] == role == "user":
            told[-1]["content"] += f"\n\n{content}"
        else:
            told.append({"role": role, "content": content})
    return told


def _content(message: Message, envelope: str) -> str:
    content = message.get("content") or ""
    calls: list[Message] = message.get("tool_calls") or []
    if message["role"] == "assistant" and calls and not content:
        return "\n".join(_render(call["function"], envelope) for call in calls)
    if message["role"] == "tool":
        return f"Result:\n{content}"
    return content


def writes_calls(model: Model) -> bool:
    """Whether a model calls tools in the form of this module, so that a text can show it how."""
    return isinstance(model, WritesCalls) and model.calls_as_text


def written_call(name: str, arguments: JsonObject) -> str:
    """The text by which a model in text mode calls a tool."""
    return _render({"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}, "")


def _render(function: Message, envelope: str) -> str:
    name = json.dumps(function["name"], ensure_ascii=False)
    call = f'{{"tool": {name}, "arguments": {function["arguments"] or "{}"}}}'
    return f'{{"{envelope}": {call}}}' if envelope else call


def _manual(tools: Sequence[Message], envelope: str) -> str:
    functions = [tool["function"] for tool in tools]
    listed = "\n".join(_describe(item) for item in functions)
    example = _render(_example(functions[0]), envelope) if functions else ""
    shape = '{"tool": ..., "arguments": {...}}'
    shape = f'{{"{envelope}": {shape}}}' if envelope else shape
    return (
        f"You act by calling tools:\n{listed}\n\n"
        f"Reply with one JSON object {shape} and nothing else, for example:\n{example}"
    )


def _describe(function: Message) -> str:
    schema = canonical_json(function["parameters"])
    return f"- {function['name']}: {function['description']}\n  arguments: {schema}"


def _example(function: Message) -> Message:
    parameters = function["parameters"]
    properties: JsonObject = parameters.get("properties") or {}
    names = parameters.get("required") or list(properties)
    values = {name: _EXAMPLES.get(properties.get(name, {}).get("type"), "text") for name in names}
    return {"name": function["name"], "arguments": canonical_json(values)}


def read_call(text: str) -> RawCall | None:
    """Read a reply that is a call and nothing else, bare or fenced; null when it is none.

    A call whose arguments are broken is still a call: its argument text says what is wrong.
    """
    body = text.strip()
    fenced = _FENCED.fullmatch(body)
    body = fenced.group(1).strip() if fenced else body
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        broken = _BROKEN.match(body)
        return RawCall(broken.group(1), broken.group(2)) if broken else None
    if not isinstance(value, dict):
        return None
    call = cast("JsonObject", value)
    name, arguments = call.get("tool"), call.get("arguments")
    if not isinstance(name, str):
        return None
    return RawCall(name, "" if arguments is None else json.dumps(arguments, ensure_ascii=False))


def with_call(reply: ModelReply) -> ModelReply:
    """Add the call that the text of a reply is, if it is one; the text stays."""
    call = read_call(reply.text)
    return replace(reply, calls=(call,) if call else ())
