import json
import resource

import polars as pl
import pytest

from schemas.errors import ConfigError, WarehouseError
from schemas.fields import Row
from schemas.trajectories import StepRow
from warehouse.landing import pending_segments, read_segment
from warehouse.text import clean_json, clean_text


def landed_frames(store, landed):
    return read_segment(store.paths.pending / landed.segment)


def test_a_segment_holds_one_parquet_file_per_table(store, make):
    landed = store.land(make.episode(1), stage="collect train")
    folder = store.paths.pending / landed.segment
    assert landed.segment.startswith("collect-train-")
    assert sorted(file.name for file in folder.iterdir()) == [
        "prompts.parquet",
        "steps.parquet",
        "tool_calls.parquet",
        "trajectories.parquet",
    ]
    assert landed.rows == {"trajectories": 1, "prompts": 1, "steps": 2, "tool_calls": 2}


def test_landing_nothing_leaves_no_segment(store):
    assert store.land([], stage="collect").segment == ""
    assert pending_segments(store.paths) == ()


def test_the_same_rows_make_the_same_segment(store, make):
    first = store.land(make.episode(1), stage="collect")
    assert store.land(make.episode(1), stage="collect") == first
    assert pending_segments(store.paths) == (first.segment,)


def test_nothing_stays_behind_in_the_folder_of_unfinished_segments(store, make):
    store.land(make.episode(1), stage="collect")
    assert list(store.paths.unfinished.iterdir()) == []


def test_a_row_of_no_table_is_refused(store):
    class Stray(Row):
        """A row of no table."""

    with pytest.raises(ConfigError, match="Stray is not a row of any table"):
        store.land([Stray()], stage="collect")


def test_a_full_disk_lands_nothing_and_says_so(store, make):
    rows = [row for number in range(200) for row in make.episode(number)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(WarehouseError, match="nothing was landed"):
            store.land(rows, stage="collect")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert pending_segments(store.paths) == ()
    assert list(store.paths.unfinished.iterdir()) == []


def test_a_missing_folder_is_one_clear_error(store, make):
    store.paths.unfinished.rmdir()
    with pytest.raises(WarehouseError, match="cannot land rows of collect"):
        store.land(make.episode(1), stage="collect")


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("\udcb2 x", "\ufffd x"),
        ("a\x00b", "a\ufffdb"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\U0001f600 é", "\U0001f600 é"),
        ("\ufeffbom", "\ufeffbom"),
    ],
)
def test_unstorable_characters_are_replaced_and_pairs_kept(store, make, written, stored):
    step = make.episode(1)[2].model_copy(update={"text": written})
    frames = landed_frames(store, store.land([step], stage="collect"))
    assert frames["steps"]["text"].to_list() == [stored]


def test_replaced_characters_are_counted(store, make):
    step = make.episode(1)[2].model_copy(update={"text": "\udcb2", "observation": "\x00"})
    assert store.land([step], stage="collect").replaced_characters == 2


def test_unstorable_characters_inside_json_escapes_are_replaced():
    assert json.loads(clean_json('{"a": "\\u0000 \\udcb2"}')) == {"a": "\ufffd \ufffd"}
    assert json.loads(clean_json('{"a": "\\ud83d\\ude00"}')) == {"a": "\U0001f600"}
    assert clean_json('{"a": "\\u0000"') == '{"a": "\\u0000"'


def test_json_nested_too_deep_to_parse_is_left_alone():
    deep = "[" * 100_000 + '"\\u0000"' + "]" * 100_000
    assert clean_json(deep) == deep


def test_text_of_ten_megabytes_is_landed(store, make):
    text = "ä\x00" * 5_000_000
    step = make.episode(1)[2].model_copy(update={"text": text})
    frames = landed_frames(store, store.land([step], stage="collect"))
    assert frames["steps"]["text"].to_list() == [clean_text(text)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"step_index": "one"}, "step_index: str is not a integer"),
        ({"step_index": 10**30}, "step_index: int is not a integer"),
        ({"text": ValueError("boom")}, "text: ValueError is not a text"),
        ({"trajectory_id": None}, "trajectory_id: a value is required"),
    ],
)
def test_a_row_that_no_parquet_type_can_hold_is_quarantined_alone(store, make, changes, reason):
    good, bad = make.episode(1)[2], make.episode(2)[2].model_copy(update=changes)
    landed = store.land([good, bad], stage="collect")
    frames = landed_frames(store, landed)
    assert landed.refused == 1
    assert frames["steps"].height == 1
    assert frames["quarantine"]["reason"].to_list() == [reason]
    assert json.loads(frames["quarantine"]["content"][0])["role"] == "assistant"


def test_columns_added_since_are_filled_with_their_default(store, make):
    landed = store.land(make.episode(1), stage="collect")
    file = store.paths.pending / landed.segment / "steps.parquet"
    pl.read_parquet(file).drop("forced", "admissible").write_parquet(file)
    steps = landed_frames(store, landed)["steps"]
    assert steps["forced"].to_list() == [False, False]
    assert steps.columns == list(StepRow.model_fields)
