"""Calls are checked against the tools of a world and refused in an API's words."""

import json

import pytest

from tasks.agent.protocols import Call, ToolSpec
from tasks.environments.validation import make_check

MOVE = ToolSpec(
    "move",
    "Move.",
    {
        "type": "object",
        "properties": {
            "to": {"type": "string"},
            "steps": {"type": "array", "items": {"type": "integer"}},
            "deep": {},
        },
        "required": ["to"],
        "additionalProperties": False,
    },
)
CHECK = make_check([MOVE])


def test_a_fitting_call_is_not_refused():
    assert CHECK(Call("move", {"to": "x", "steps": [1, 2]})) is None


@pytest.mark.parametrize(
    ("call", "text", "kind"),
    [
        (Call("fly", {}), "tool 'fly' not found", "unknown_tool"),
        (Call("move", {}), "'to' is a required property", "schema"),
        (Call("move", {"to": 5}), "to: 5 is not of type 'string'", "schema"),
        (Call("move", {"to": "x", "steps": 1}), "steps: 1 is not of type 'array'", "schema"),
        (
            Call("move", {"to": "x", "steps": [1, "b"]}),
            "steps[1]: 'b' is not of type 'integer'",
            "schema",
        ),
        (
            Call("move", {"to": "x", "far": 1}),
            "Additional properties are not allowed ('far' was unexpected)",
            "schema",
        ),
    ],
)
def test_a_refusal_names_the_place_and_what_was_expected(call, text, kind):
    refusal = CHECK(call)
    assert refusal is not None
    assert (refusal.observation, refusal.error_kind, refusal.is_error) == (text, kind, True)


@pytest.mark.parametrize(
    "call",
    [
        Call("x" * 1_000_000, {}),
        Call("\ud800", {}),
        Call("move", {"to": ["y" * 1_000_000]}),
        Call("move", {"to": {"\ud800": "\0"}}),
        Call("move", {"to": json.loads("[" * 900 + "]" * 900)}),
    ],
)
def test_a_refusal_of_hostile_input_is_short_and_storable(call):
    refusal = CHECK(call)
    assert refusal is not None
    assert len(refusal.observation) < 400
    assert refusal.observation.encode()
