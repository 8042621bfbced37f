"""Content ids and storable text."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.ids import canonical_json, finite_json, make_id
from schemas.text import clean_counted, clean_text
from schemas.trajectories import SnapshotRow, VerdictRow

ANY_TEXT = st.text(st.sampled_from("ab \n\x00\ud800\udcb2\udfff\ufeff\ufffd\N{GRINNING FACE}"))


def test_an_id_does_not_depend_on_the_order_of_keys():
    assert make_id("traj", {"a": 1, "b": 2}) == make_id("traj", {"b": 2, "a": 1})
    assert make_id("traj", ["a"]) != make_id("traj", ["b"])
    assert make_id("traj", []).startswith("traj_")


NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


@pytest.mark.parametrize(("word", "number"), NOT_FINITE.items(), ids=NOT_FINITE)
def test_a_number_that_json_lacks_becomes_its_word_wherever_it_stands(word, number):
    value = {"b": [1.5, {"": (number, None)}, {number: True}]}
    assert canonical_json(value) == f'{{"b":[1.5,{{"":["{word}",null]}},{{"{word}":true}}]}}'
    assert finite_json(f'{{"b": [{word}, 1.50]}}') == f'{{"b":["{word}",1.5]}}'


def test_ids_tell_numbers_that_json_lacks_from_each_other_and_from_real_ones():
    keys = [["x", number] for number in (*NOT_FINITE.values(), 0, 1, -1, None, 1e308)]
    assert len({make_id("traj", key) for key in keys}) == len(keys)


@pytest.mark.parametrize("text", ['{"a": "NaN"}', '["Infinity", 1]', "{NaN", "NaN]", "", "nan"])
def test_other_json_text_stays_as_it_is(text):
    assert finite_json(text) == text


@pytest.mark.parametrize("number", NOT_FINITE.values(), ids=NOT_FINITE)
def test_a_row_takes_finite_numbers_only(number):
    values = {"trajectory_id": make_id("traj", 1), "source": "x", "outcome": "unknown"}
    with pytest.raises(ValidationError, match="finite number"):
        VerdictRow.model_validate(values | {"reward": number})


def test_json_of_a_row_holds_words_for_numbers_that_json_lacks():
    row = SnapshotRow(
        snapshot_id=make_id("snap", 1),
        trajectory_id=make_id("traj", 1),
        step_index=0,
        state_hash="x",
        state='{"heat": [-Infinity, NaN]}',
    )
    assert row.state == '{"heat":["-Infinity","NaN"]}'


@given(ANY_TEXT)
def test_clean_text_can_be_encoded_and_keeps_its_length(text):
    cleaned, count = clean_counted(text)
    assert cleaned == clean_text(cleaned) == clean_text(text)
    assert "\x00" not in cleaned
    assert len(cleaned.encode().decode()) == len(text)
    assert sum(a != b for a, b in zip(text, cleaned, strict=True)) == count


def test_emoji_are_left_alone():
    assert clean_text("\N{GRINNING FACE}\ufeff") == "\N{GRINNING FACE}\ufeff"


def test_row_models_do_not_load_the_settings_library():
    code = (
        "import schemas.tables, schemas.episode, sys; sys.exit('pydantic_settings' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
