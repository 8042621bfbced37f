"""Calls that a decoder is held to: the schema it gets, and what is read from its reply."""

import json

import jsonschema
import pytest

from tasks.agent.schema_mode import (
    MOST_CHARS,
    calls_schema,
    read_schema_call,
    response_format,
    schema_messages,
)


def tool(name: str, parameters) -> dict:
    return {
        "type": "function",
        "function": {"name": name, "description": "", "parameters": parameters},
    }


NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
ADD, END = tool("add", NUMBER), tool("end", {"type": "object", "properties": {}})
RICH = tool(
    "rich",
    {
        "type": "object",
        "$defs": {
            "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}},
            "size": {"enum": ["s", "m"]},
        },
        "properties": {
            "size": {"$ref": "#/$defs/size"},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 9}},
            "maybe": {"type": ["integer", "null"]},
            "either": {"oneOf": [{"type": "boolean"}, {"type": "string"}]},
            "tree": {"$ref": "#/$defs/node"},
            "lost": {"$ref": "#/$defs/absent"},
        },
        "required": ["size"],
    },
)


def fits(call, *tools) -> bool:
    try:
        jsonschema.validate({"call": call}, calls_schema(tools))
    except jsonschema.ValidationError:
        return False
    return True


def test_only_calls_of_known_tools_with_their_own_arguments_fit():
    assert fits({"tool": "add", "arguments": {"n": 1}}, ADD, END)
    assert fits({"tool": "end", "arguments": {}}, ADD, END)
    for wrong in (
        {"tool": "end", "arguments": {"n": 1}},
        {"tool": "add", "arguments": {}},
        {"tool": "add", "arguments": {"n": "1"}},
        {"tool": "add", "arguments": {"n": 1, "m": 2}},
        {"tool": "sub", "arguments": {"n": 1}},
        {"tool": "add"},
    ):
        assert not fits(wrong, ADD, END), wrong


def walk(schema):
    yield schema
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            yield from walk(value)


def test_every_object_is_closed_and_every_text_and_list_is_bounded():
    for part in walk(calls_schema([ADD, END, RICH])):
        if not isinstance(part, dict):
            continue
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert "required" in part
        if part.get("type") == "string" and "enum" not in part:
            assert part["maxLength"] <= MOST_CHARS
        if part.get("type") == "array":
            assert part["maxItems"] <= 64
        assert "$ref" not in part


def test_references_choices_and_optional_arguments_keep_their_meaning():
    good = {"size": "m", "tags": ["a"], "maybe": None, "either": True, "tree": {"next": {}}}
    assert fits({"tool": "rich", "arguments": good}, RICH)
    assert fits({"tool": "rich", "arguments": {"size": "s"}}, RICH)
    assert not fits({"tool": "rich", "arguments": {"size": "xl"}}, RICH)
    assert not fits({"tool": "rich", "arguments": {"size": "s", "maybe": "no"}}, RICH)


def test_the_root_of_the_schema_is_an_object_as_strict_servers_want():
    form = response_format([ADD, END])
    assert form["json_schema"]["schema"]["type"] == "object"
    assert response_format([ADD], "json_object")["schema"] == calls_schema([ADD])


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('{"call": {"tool": "add", "arguments": {"n": 1}}}', "add", {"n": 1}),
        ('{"tool": "add", "arguments": {"n": 1}}', "add", {"n": 1}),
    ],
)
def test_a_call_is_read_with_and_without_its_envelope(text, name, arguments):
    call = read_schema_call(text)
    assert call
    assert (call.name, json.loads(call.arguments)) == (name, arguments)


def test_a_call_that_was_cut_off_is_a_call_with_broken_arguments():
    call = read_schema_call('{"call": {"tool": "add", "arguments": {"n": 1')
    assert call
    assert (call.name, call.arguments) == ("add", '{"n": 1')


@pytest.mark.parametrize("text", ["", "I add 1.", '{"call": 3}', '{"call": {}}', "[]", "{"])
def test_anything_else_is_no_call(text):
    assert read_schema_call(text) is None


def test_the_prompt_shows_calls_as_the_schema_wants_them():
    said = schema_messages([{"role": "user", "content": "Go."}], [ADD])
    example = said[0]["content"].rsplit("\n", 1)[1]
    jsonschema.validate(json.loads(example), calls_schema([ADD]))
