"""Tool definitions are read in the form of every API, and what is none is told."""

import pytest

from tasks.toolset.definitions import ToolDefinition, read_definitions

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
TOOL = ToolDefinition("look", "Looks.", SCHEMA)


@pytest.mark.parametrize(
    "entry",
    [
        {
            "type": "function",
            "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA},
        },
        {"type": "function", "name": "look", "description": "Looks.", "parameters": SCHEMA},
        {"name": "look", "description": "Looks.", "inputSchema": SCHEMA},
        {"name": "look", "description": "Looks.", "input_schema": SCHEMA},
        {"name": "look", "description": "Looks.", "parameters": SCHEMA},
    ],
)
def test_one_tool_reads_the_same_in_every_form(entry):
    assert read_definitions([entry]) == [TOOL]
    assert read_definitions({"tools": [entry]}) == [TOOL]
    assert read_definitions({"jsonrpc": "2.0", "id": 1, "result": {"tools": [entry]}}) == [TOOL]


def test_a_tool_may_have_neither_description_nor_parameters():
    assert read_definitions([{"name": "ping"}]) == [ToolDefinition("ping", "", {})]
    assert read_definitions([]) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("tools", "expected a list"),
        (7, "expected a list"),
        ({"tools": "x"}, "expected a list"),
        ({"name": "look"}, "expected a list"),
        (["look"], "tool 0 is no object"),
        ([{"name": "a"}, {"type": "web_search"}], "tool 1 has no name .type 'web_search'."),
        ([{"name": ""}], "tool 0 has no name"),
        ([{"name": "a", "parameters": []}], "parameters of tool 'a' are no JSON schema"),
        ([{"name": "a"}, {"name": "a"}], "'a' is defined twice"),
        ([{"name": f"t{n}"} for n in range(1001)], "at most 1000"),
    ],
)
def test_what_is_no_list_of_tools_says_which_entry_is_wrong(value, words):
    with pytest.raises((ValueError, TypeError), match=words):
        read_definitions(value)
