"""Documents are cut by brackets and strings, in chunks, without recursion."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.importers import cutting
from tasks.importers.cutting import cut_document

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


class _Dribble(io.StringIO):
    """A stream that hands out three characters at a time."""

    def read(self, size: int | None = -1) -> str:
        return super().read(3)


@given(st.lists(JSON, min_size=1))
def test_elements_of_an_array_come_back_whole(values):
    pieces = list(cut_document(_Dribble(json.dumps(values)), ()))
    assert [json.loads(piece.text) for piece in pieces] == values


@given(st.lists(JSON, min_size=1), JSON)
def test_a_spread_list_comes_in_elements_and_other_members_whole(values, head):
    text = json.dumps({"head": head, "items": values, "tail": 1}, indent=1)
    pieces = list(cut_document(_Dribble(text), ("items",)))
    spread = [json.loads(piece.text) for piece in pieces if piece.member == "items"]
    assert spread == values
    assert [json.loads(piece.text) for piece in pieces if piece.index is None] == [head, 1]


@given(st.text(alphabet='{}[]",:\\ a1\n\x00', max_size=60))
def test_no_text_makes_cutting_fail_or_run_for_ever(text):
    assert len(list(cut_document(_Dribble(text), ("a",)))) <= len(text) + 2


def test_positions_point_into_the_document():
    text = '[1,  {"a": 2}, "b"]'
    pieces = list(cut_document(io.StringIO(text), ()))
    assert [text[piece.position :].startswith(piece.text) for piece in pieces] == [True] * 3


def test_nesting_is_counted_without_recursion():
    text = "[" + "[" * 100_000 + "]" * 100_000 + ", 1]"
    deep, one = cut_document(io.StringIO(text), ())
    assert (deep.depth, one.text) == (100_000, "1")


@pytest.mark.parametrize("lost", ["}", "]"])
def test_an_element_without_its_bracket_does_not_swallow_the_next(lost):
    texts = [json.dumps({"id": n, "kind": "x", "items": [n]}) for n in range(4)]
    texts[1] = texts[1].replace(lost, "")
    pieces = list(cut_document(io.StringIO(f"[{', '.join(texts)}]"), ()))
    assert [piece.problem for piece in pieces] == [None, cutting.BROKEN, None, None]
    assert [json.loads(pieces[at].text)["id"] for at in (0, 2, 3)] == [0, 2, 3]
