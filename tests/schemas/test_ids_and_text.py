"""Content ids and storable text."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.ids import canonical_json, make_id
from schemas.text import clean_counted, clean_text

ANY_TEXT = st.text(st.sampled_from("ab \n\x00\ud800\udcb2\udfff\ufeff\ufffd\N{GRINNING FACE}"))


def test_an_id_does_not_depend_on_the_order_of_keys():
    assert make_id("traj", {"a": 1, "b": 2}) == make_id("traj", {"b": 2, "a": 1})
    assert make_id("traj", ["a"]) != make_id("traj", ["b"])
    assert make_id("traj", []).startswith("traj_")


def test_nan_has_no_canonical_form():
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


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
