"""Argument text: an object, or the reason why it is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.agent.arguments import parse_arguments

ANY_TEXT = st.text(st.sampled_from('ab1:,"\\{}[] \n\x00\ud800\udc00\N{GRINNING FACE}'), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(ANY_TEXT)
def test_any_text_is_an_object_or_has_an_error(raw):
    parsed = parse_arguments(raw)
    assert (parsed.arguments is None) == (parsed.error is not None) == (parsed.canonical is None)


@given(st.dictionaries(ANY_TEXT, VALUES, max_size=4))
def test_whatever_is_accepted_can_be_stored(value):
    parsed = parse_arguments(json.dumps(value))
    if parsed.canonical is not None:
        assert json.loads(parsed.canonical.encode().decode()) == parsed.arguments


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ('{"a":1}{"b":2}', "trailing_data"),
        ('{"a":1} x', "trailing_data"),
        ('"{\\"a\\":1}"', "not_an_object"),
        ("[]", "not_an_object"),
        ("true", "not_an_object"),
        ("1.5", "not_an_object"),
        ('{"a"', "arguments_not_json"),
        ("{'a': 1}", "arguments_not_json"),
        ('{"a": Infinity}', "arguments_not_json"),
        ('{"a": 1e999}', "arguments_not_json"),
        ('{"a":' * 70 + "1" + "}" * 70, "arguments_not_json"),
        ("\ufeff{}", "arguments_not_json"),
    ],
)
def test_every_kind_of_broken_text_has_a_name(raw, kind):
    parsed = parse_arguments(raw)
    assert (parsed.arguments, parsed.error_kind) == (None, kind)


@pytest.mark.parametrize("raw", [None, "", " \n", "null", "{}", " { } "])
def test_nothing_is_an_empty_object(raw):
    assert parse_arguments(raw).arguments == {}
