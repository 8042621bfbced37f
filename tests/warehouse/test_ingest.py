import json

import polars as pl
import pytest

from schemas.errors import DataContractError, WarehouseError
from schemas.ids import make_id
from schemas.runs import QuarantineRow, ValidationResultRow
from schemas.trajectories import StepRow, ToolCallRow, TrajectoryRow
from warehouse.digest import table_digests
from warehouse.landing import pending_segments
from warehouse.store import Warehouse

pytestmark = pytest.mark.gx


def rows_of(store, row_type, where=""):
    store.publish()
    with store.read() as reader:
        return reader.rows(row_type, where)


def digests(store):
    store.publish()
    with store.read() as reader:
        return table_digests(reader)


def test_what_was_landed_is_stored_and_the_segment_removed(store, make):
    store.land(make.episode(1), stage="collect")
    report = store.ingest()
    assert report.rows == {"trajectories": 1, "prompts": 1, "steps": 2, "tool_calls": 2}
    assert (report.failed, report.quarantined, report.validations) == (0, 0, 4)
    assert pending_segments(store.paths) == ()
    assert rows_of(store, TrajectoryRow) == [make.trajectory(1)]


def test_ingesting_nothing_reports_nothing(store):
    report = store.ingest()
    assert (report.rows, report.checks, report.batch_id) == ({}, 0, "")


def test_several_segments_are_one_batch_with_one_validation_per_table(store, make):
    for number in range(3):
        store.land(make.episode(number), stage="collect")
    report = store.ingest()
    assert (report.rows["trajectories"], report.validations) == (3, 4)


def test_landing_the_same_rows_again_changes_nothing(store, make):
    store.land(make.episode(1), stage="collect")
    store.ingest()
    before = digests(store)
    store.land(make.episode(1), stage="again")
    report = store.ingest()
    assert (report.rows, report.quarantined) == ({}, 0)
    assert digests(store) == before


def test_a_row_that_differs_in_volatile_fields_only_is_no_conflict(store, make):
    store.land(make.episode(1), stage="collect")
    store.ingest()
    step = make.episode(1)[2].model_copy(update={"latency_s": 99.0})
    store.land([step], stage="again")
    assert store.ingest().quarantined == 0
    assert rows_of(store, StepRow)[0].latency_s == 0.5


def test_a_conflicting_row_is_quarantined_and_the_stored_one_stays(store, make):
    store.land(make.episode(1), stage="collect")
    store.ingest()
    step = make.episode(1)[2].model_copy(update={"text": "another text"})
    store.land([step, *make.episode(2)], stage="again")
    report = store.ingest()
    assert (report.quarantined, report.rows["steps"]) == (1, 2)
    refused = rows_of(store, QuarantineRow)[0]
    assert refused.reason.startswith("conflicting_row")
    assert json.loads(refused.content)["text"] == "another text"
    assert rows_of(store, StepRow, "text = 'another text'") == []


def test_of_two_conflicting_rows_of_one_batch_the_first_is_stored(store, make):
    rows = make.episode(1)
    store.land([*rows, rows[2].model_copy(update={"text": "second"})], stage="collect")
    assert store.ingest().quarantined == 1
    assert [row.text for row in rows_of(store, StepRow)] == ["step 0 of 1", "step 1 of 1"]


def test_a_repeated_row_of_one_batch_is_stored_once(store, make):
    rows = make.episode(1)
    store.land([*rows, rows[2]], stage="collect")
    report = store.ingest()
    assert (report.quarantined, report.rows["steps"]) == (0, 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"role": "robot"}, "role: not one of system, user, assistant, tool, environment"),
        ({"prompt_tokens": -1}, "prompt_tokens: not >= 0"),
        ({"latency_s": -0.5}, "latency_s: not >= 0"),
        ({"latency_s": float("nan")}, "latency_s: not a finite number"),
        ({"latency_s": float("inf")}, "latency_s: not a finite number"),
        ({"admissible": "{broken"}, "admissible: not valid JSON"),
        ({"trajectory_id": "traj_1"}, "trajectory_id: does not match ^traj_[0-9a-f]{16}$"),
    ],
)
def test_a_row_against_its_model_is_quarantined_and_the_others_kept(store, make, changes, reason):
    bad = make.episode(1)[2].model_copy(update={"step_index": 7, "role": "user"} | changes)
    store.land([bad, *make.episode(1)], stage="collect")
    report = store.ingest()
    assert (report.quarantined, report.rows["steps"]) == (1, 2)
    refused = rows_of(store, QuarantineRow)[0]
    assert (refused.table_name, refused.reason) == ("steps", reason)
    assert refused.place.endswith(":0")


def test_a_failing_check_stores_nothing_but_its_result_and_fails_the_stage(store, make):
    store.land(make.episode(1), stage="collect")
    store.ingest()
    before = digests(store)
    store.land([*make.episode(2), make.label(2)], stage="annotate")
    with pytest.raises(DataContractError, match="label_on_failure") as caught:
        store.ingest()
    assert (caught.value.table, caught.value.failed) == ("failure_labels", 1)
    assert make_id("traj", 2) in caught.value.example
    assert digests(store) == before
    failed = rows_of(store, ValidationResultRow, "NOT success")
    assert [(row.check_name, row.failing) for row in failed] == [("label_on_failure", 1)]


def test_segments_of_a_failed_batch_are_set_aside_with_the_reason(store, make):
    landed = store.land([make.label(2, step_index=None)], stage="annotate")
    with pytest.raises(DataContractError):
        store.ingest()
    assert pending_segments(store.paths) == ()
    reason = (store.paths.failed / landed.segment / "reason.txt").read_text()
    assert "label_on_failure" in reason
    assert store.ingest().rows == {}


def test_a_bad_segment_does_not_hold_up_the_segments_of_others(store, home, make):
    other = Warehouse(home)
    other.land([make.label(9, step_index=None)], stage="annotate")
    store.land(make.episode(1), stage="collect")
    report = store.ingest()
    assert rows_of(store, TrajectoryRow) == [make.trajectory(1)]
    assert len(report.failed_segments) == 1
    with pytest.raises(DataContractError, match="label_on_failure"):
        other.ingest()


def test_segments_that_need_one_another_are_stored_though_a_third_is_bad(store, home, make):
    store.land([make.label(1)], stage="a-label")
    store.land(make.episode(1, outcome="failure"), stage="b-collect")
    Warehouse(home).land([make.label(9, step_index=None)], stage="c-bad")
    store.ingest()
    store.publish()
    with store.read() as reader:
        assert reader.scalar("SELECT count(*) FROM failure_labels") == 1


def test_a_warning_is_recorded_and_stores_the_rows(store, make):
    rows = make.episode(1, origin="import")
    rows.append(rows[2].model_copy(update={"step_index": 5, "role": "tool"}))
    store.land(rows, stage="import")
    report = store.ingest()
    assert (report.failed, report.rows["steps"]) == (1, 3)
    failed = rows_of(store, ValidationResultRow, "NOT success")
    assert [row.check_name for row in failed] == ["result_has_call_imported"]


def test_a_damaged_segment_is_set_aside_and_the_others_are_stored(store, home, make):
    landed = store.land(make.episode(1), stage="collect")
    file = store.paths.pending / landed.segment / "steps.parquet"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(WarehouseError, match=r"steps\.parquet cannot be read"):
        store.ingest()
    store.land(make.episode(2), stage="collect")
    assert store.ingest().rows["trajectories"] == 1


def test_a_segment_of_an_unknown_table_is_set_aside(store, make):
    landed = store.land(make.episode(1), stage="collect")
    folder = store.paths.pending / landed.segment
    pl.DataFrame({"x": [1]}).write_parquet(folder / "planets.parquet")
    with pytest.raises(WarehouseError, match="no such table"):
        store.ingest()


def test_nested_data_of_different_shape_are_stored_side_by_side(store, make):
    rows = make.episode(1)
    rows[3] = rows[3].model_copy(update={"arguments": '{"n":1}'})
    rows[5] = rows[5].model_copy(update={"arguments": '{"n":"one"}'})
    store.land(rows, stage="collect")
    assert store.ingest().quarantined == 0
    assert sorted(row.arguments for row in rows_of(store, ToolCallRow)) == [
        '{"n":"one"}',
        '{"n":1}',
    ]


def test_bookkeeping_rows_are_stored_without_great_expectations(store, make):
    store.land([make.event("collect")], stage="bookkeeping")
    report = store.ingest()
    assert (report.rows, report.validations) == ({"stage_events": 1}, 0)
