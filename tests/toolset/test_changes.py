"""A change of a tool is compatible exactly when every call that was right still is."""

import pytest

from tasks.toolset.changes import compare
from tasks.toolset.definitions import ToolDefinition
from tasks.toolset.outline import outline, seal

TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def tool(*required, description="Looks.", **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return seal(ToolDefinition("look", description, schema))


BASE = tool("q", q=TEXT, limit=WHOLE)


def both(old, new):
    """The property `a`, optional, then and now."""
    return compare("look", tool(a=old), tool(a=new))


@pytest.mark.parametrize(
    ("new", "status", "words"),
    [
        (BASE, "same", ""),
        (None, "gone", "no longer offered"),
        (tool("q", q=TEXT), "incompatible", "`limit` was removed"),
        (tool("q", q=TEXT, limit=TEXT), "incompatible", "`limit` was integer and is string"),
        (tool("q", "limit", q=TEXT, limit=WHOLE), "incompatible", "was optional and is required"),
        (tool("q", "by", q=TEXT, limit=WHOLE, by=TEXT), "incompatible", "`by` was added, required"),
        (tool("q", q=TEXT, limit=WHOLE, by=TEXT), "compatible", "`by` was added, optional"),
        (tool(q=TEXT, limit=WHOLE), "compatible", "was required and is optional"),
        (tool("q", q=TEXT, limit=NUMBER), "compatible", "was integer and is number"),
        (tool("q", q={"type": ["string", "null"]}, limit=WHOLE), "compatible", "null or string"),
        (tool("q", q={}, limit=WHOLE), "compatible", "of any type"),
        (tool("q", q=TEXT | {"maxLength": 5}, limit=WHOLE), "compatible", "bounds or texts"),
        (tool("q", q=TEXT, limit=WHOLE, description="Sees."), "compatible", "description changed"),
    ],
)
def test_each_kind_of_change_is_named_and_judged(new, status, words):
    found = compare("look", BASE, new)
    assert found.status == status
    assert words in "; ".join(found.changes)


def test_a_tool_that_was_not_there_is_new():
    assert compare("look", None, BASE).status == "new"


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ({"enum": ["a", "b"]}, {"enum": ["a", "b", "c"]}, "compatible"),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, "incompatible"),
        ({"enum": ["a", "b"]}, {}, "compatible"),
        ({}, {"enum": ["a", "b"]}, "incompatible"),
        ({"const": 1}, {"enum": [1]}, "compatible"),
        ({"anyOf": [TEXT, WHOLE]}, TEXT, "incompatible"),
        (TEXT, {"anyOf": [TEXT, {"type": "null"}]}, "compatible"),
        ({}, TEXT, "incompatible"),
        (NUMBER, WHOLE, "incompatible"),
    ],
)
def test_values_and_types_may_be_widened_and_not_narrowed(old, new, status):
    assert both(old, new).status == status


def test_breaking_changes_come_first():
    new = tool("q", q=WHOLE, limit=WHOLE, by=TEXT, description="Sees.")
    assert compare("look", BASE, new).changes[0] == "parameter `q` was string and is integer"


def test_what_lies_inside_objects_and_lists_is_compared_by_its_path():
    rows = {"type": "array", "items": {"type": "object", "properties": {"id": WHOLE}}}
    deep = {"type": "object", "properties": {"from": TEXT}, "required": ["from"]}
    found = outline({"properties": {"filter": deep, "rows": rows}})
    assert list(found) == ["filter", "filter.from", "rows", "rows[]", "rows[].id"]
    assert found["filter.from"].required
    assert both(rows, {"type": "array", "items": TEXT}).status == "incompatible"


def test_references_are_followed_and_ones_in_a_circle_end():
    schema = {
        "properties": {"a": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    }
    found = outline(schema)
    assert found["a"].types == ("object",)
    assert "a.next.next" in found
    assert len(found) == 8
    assert outline({"properties": {"a": {"$ref": "#/a"}}, "a": {"$ref": "#/a"}})["a"].types == ()


def test_odd_schemas_are_read_as_saying_nothing():
    odd = {"properties": {"a": "x", "b": {"type": 7, "enum": "no"}}, "required": "all"}
    assert [one.types for one in outline(odd).values()] == [(), ()]
    assert outline({"properties": []}) == {}
    assert len(outline({"properties": {f"p{n}": TEXT for n in range(500)}})) == 300
