"""Calls as text, for models without native tool calls."""

import json

import pytest

from tasks.agent.conversation import opening_messages
from tasks.agent.text_mode import read_call, text_messages

TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add n.",
        "parameters": {
            "type": "object",
            "properties": {"n": {"type": "integer"}, "why": {"type": "string"}},
            "required": ["n"],
        },
    },
}
CALL = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"n":2}'}}


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "add", "arguments": {"n": 1}}',
        ' \n{"arguments": {"n": 1}, "tool": "add"}\n',
        '```json\n{"tool": "add", "arguments": {"n": 1}}\n```',
        '```\n{"tool": "add", "arguments": {"n": 1}}\n```\n',
    ],
)
def test_a_reply_that_is_a_call_is_one(text):
    call = read_call(text)
    assert call
    assert (call.name, json.loads(call.arguments)) == ("add", {"n": 1})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "add(1)",
        'I call {"tool": "add", "arguments": {"n": 1}}',
        '{"tool": "add", "arguments": {}} {"tool": "add", "arguments": {}}',
        '{"tool": 3, "arguments": {}}',
        '{"name": "add"}',
        "[1]",
        "[" * 100_000,
    ],
    ids=range(8),
)
def test_anything_else_is_prose(text):
    found = read_call(text)
    assert found is None or found.arguments.count("tool")


def test_broken_arguments_are_kept_as_written():
    call = read_call('{"tool": "add", "arguments": {"n": 1,}}')
    assert call
    assert (call.name, call.arguments) == ("add", '{"n": 1,}}')


def test_the_manual_shows_tools_and_an_example_that_is_a_call():
    system = text_messages(opening_messages("Be brief.", "Count."), [TOOL])[0]["content"]
    assert system.startswith("Be brief.\n\n")
    assert "- add: Add n." in system
    example = read_call(system.rsplit("\n", 1)[1])
    assert example
    assert (example.name, json.loads(example.arguments)) == ("add", {"n": 1})


def test_a_conversation_becomes_turns_of_user_and_assistant():
    messages = [
        {"role": "user", "content": "Count."},
        {"role": "assistant", "content": "", "tool_calls": [CALL, CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "2"},
        {"role": "tool", "tool_call_id": "c", "content": "4"},
        {"role": "assistant", "content": "Fine."},
    ]
    told = text_messages(messages, [TOOL])
    assert [message["role"] for message in told] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert told[2]["content"].splitlines()[0] == '{"tool": "add", "arguments": {"n":2}}'
    assert told[3]["content"] == "Result:\n2\n\nResult:\n4"
    assert messages[3]["content"] == "4"
