"""Calls as JSON that the endpoint holds to a schema made from the tools (`response_format`).

The decoder cannot write anything but a call of a known tool with arguments of the right names and
types. That hides the first class of failures, calls that cannot be executed, so each such reply
is recorded as an intervention.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from tasks.agent.protocols import JsonObject, ModelReply, RawCall
from tasks.agent.text_mode import read_call, text_messages

Message = Mapping[str, Any]
NAME = "tool_call"
ENVELOPE = "call"
"""Member that holds the call: several endpoints refuse alternatives at the root of a schema."""
MOST_CHARS = 4000
"""Longest text of an argument where the tool sets no bound: a grammar without one can write for
ever."""
MOST_ITEMS = 64
DEEPEST = 12
_OPENED = re.compile(r'^\s*\{\s*"call"\s*:\s*', re.DOTALL)
_KEPT = ("description", "enum", "const", "format", "pattern", "minimum", "maximum", "minItems")


def schema_messages(messages: Sequence[Message], tools: Sequence[Message]) -> list[JsonObject]:
    """Tell a conversation as text mode does, with calls in the envelope of the schema."""
    return text_messages(messages, tools, envelope=ENVELOPE)


def response_format(tools: Sequence[Message], form: str = "json_schema") -> JsonObject:
    """The member of a request that holds replies to calls of these tools."""
    schema = calls_schema(tools)
    if form == "json_object":
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "json_schema": {"name": NAME, "schema": schema}}


def calls_schema(tools: Sequence[Message]) -> JsonObject:
    """Schema of one call of one of these tools, in its envelope."""
    calls = [_call_schema(tool["function"]) for tool in tools]
    call = calls[0] if len(calls) == 1 else {"anyOf": calls}
    return _object_schema({ENVELOPE: call}, [ENVELOPE])


def _call_schema(function: Message) -> JsonObject:
    parameters = cast("JsonObject", function.get("parameters") or {})
    named = {"type": "string", "enum": [function["name"]]}
    arguments = _closed({"type": "object", **parameters}, parameters, 0)
    return _object_schema({"tool": named, "arguments": arguments}, ["tool", "arguments"])


def _object_schema(properties: JsonObject, required: Sequence[str]) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _closed(schema: Any, root: JsonObject, depth: int) -> JsonObject:
    """A schema that a grammar can end: no further members, bounded texts and lists.

    What a grammar cannot be made of (a reference that leads nowhere, a schema nested too deeply)
    becomes the schema of any bounded text or object.
    """
    if not isinstance(schema, dict) or depth > DEEPEST:
        return {"type": "string", "maxLength": MOST_CHARS}
    given = _resolved(cast("JsonObject", schema), root)
    for word in ("anyOf", "oneOf"):
        if isinstance(given.get(word), list):
            return {"anyOf": [_closed(one, root, depth + 1) for one in given[word]]}
    kind = given.get("type") or _kind_by_members(given)
    if isinstance(kind, list):
        kinds = cast("list[str]", kind)
        return {"anyOf": [_closed({**given, "type": one}, root, depth + 1) for one in kinds]}
    kept = {name: given[name] for name in _KEPT if name in given}
    if "enum" in kept or "const" in kept:
        return kept if kind is None else {"type": kind, **kept}
    return {**kept, **_bounded(given, cast("str | None", kind), root, depth)}


def _bounded(given: JsonObject, kind: str | None, root: JsonObject, depth: int) -> JsonObject:
    match kind:
        case "object":
            properties = cast("JsonObject", given.get("properties") or {})
            closed = {name: _closed(one, root, depth + 1) for name, one in properties.items()}
            wanted = cast("list[str]", given.get("required") or [])
            return _object_schema(closed, [name for name in wanted if name in properties])
        case "array":
            items = _closed(given.get("items") or {"type": "string"}, root, depth + 1)
            most = min(given.get("maxItems", MOST_ITEMS), MOST_ITEMS)
            return {"type": "array", "items": items, "maxItems": most}
        case "integer" | "number" | "boolean" | "null":
            return {"type": kind}
        case _:
            most = min(given.get("maxLength", MOST_CHARS), MOST_CHARS)
            return {"type": "string", "maxLength": most}


def _kind_by_members(given: JsonObject) -> str | None:
    if "properties" in given:
        return "object"
    return "array" if "items" in given else None


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Follow `#/...` references into the tool's own schema; a circle ends after a few."""
    for _ in range(DEEPEST):
        path = schema.get("$ref")
        if not isinstance(path, str):
            break
        found: Any = root
        for part in path.removeprefix("#/").split("/"):
            found = cast("JsonObject", found).get(part) if isinstance(found, dict) else None
        schema = cast("JsonObject", found) if isinstance(found, dict) else {}
    return schema


def read_schema_call(text: str) -> RawCall | None:
    """Read the call in its envelope, or bare where an endpoint does not hold to the schema.

    A reply that was cut off inside its arguments is a call whose arguments are broken.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return read_call(_OPENED.sub("", text, count=1))
    if isinstance(value, dict) and isinstance(cast("JsonObject", value).get(ENVELOPE), dict):
        return read_call(json.dumps(value[ENVELOPE], ensure_ascii=False))
    return read_call(text)


def with_schema_call(reply: ModelReply) -> ModelReply:
    """Add the call that the text of a reply is, and that its decoder was held to a schema."""
    call = read_schema_call(reply.text)
    return replace(reply, calls=(call,) if call else (), is_constrained=True)
