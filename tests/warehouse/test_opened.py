"""A snapshot that is kept open is read as one that is opened each time."""

import os
import shutil
import threading

import duckdb
import pytest

from schemas.errors import DataContractError
from schemas.runs import StageEventRow
from schemas.trajectories import TrajectoryRow
from warehouse.opened import connect_snapshot
from warehouse.store import Warehouse


def stages(store):
    with store.read() as reader:
        return [row.stage for row in reader.rows(StageEventRow)]


@pytest.fixture
def filled(store, fill, make):
    fill(store, [make.event("a")])
    return store


def test_a_closed_reader_does_not_close_the_next(filled):
    for _ in range(3):
        assert stages(filled) == ["a"]


def test_two_data_folders_are_not_mixed_up(filled, fill, make, tmp_path):
    other = Warehouse(tmp_path / "other")
    fill(other, [make.event("b")])
    assert [stages(filled), stages(other), stages(filled)] == [["a"], ["b"], ["a"]]


def test_a_file_that_takes_the_place_of_another_is_opened_anew(filled, fill, make, tmp_path):
    other = Warehouse(tmp_path / "other")
    fill(other, [make.event("b")])
    assert stages(filled) == ["a"]
    shutil.copyfile(other.snapshot, filled.snapshot)
    assert stages(filled) == ["b"]


def test_readers_of_one_snapshot_do_not_disturb_each_other(filled):
    with filled.read() as outer:
        with filled.read() as inner:
            inner.scalar("CREATE TEMP TABLE stage_events AS SELECT 'mine' AS stage")
            assert inner.scalar("SELECT stage FROM stage_events") == "mine"
        assert [row.stage for row in outer.rows(StageEventRow)] == ["a"]


def test_a_reader_goes_on_while_a_newer_snapshot_is_read(filled, fill, make):
    with filled.read() as old:
        fill(filled, [make.event("b")])
        assert stages(filled) == ["a", "b"]
        assert [row.stage for row in old.rows(StageEventRow)] == ["a"]


@pytest.mark.parametrize("settings", [{}, {"threads": 1}])
def test_others_of_the_process_open_the_snapshot_with_settings_of_their_own(filled, settings):
    with filled.read() as reader:
        for path in (filled.snapshot, filled.paths.current):
            with duckdb.connect(str(path), read_only=True, config=settings) as connection:
                assert connection.execute("FROM stage_events").fetchall()
        assert [row.stage for row in reader.rows(StageEventRow)] == ["a"]


def test_threads_read_at_the_same_time(filled):
    found = []
    threads = [threading.Thread(target=lambda: found.append(stages(filled))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert found == [["a"]] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_reads_too(filled):
    assert stages(filled) == ["a"]
    child = os.fork()
    if child == 0:
        os._exit(0 if stages(filled) == ["a"] else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_snapshot_that_is_removed_can_be_read_by_those_who_have_it_open(filled):
    connection = connect_snapshot(filled.snapshot)
    filled.snapshot.unlink()
    assert connection.execute("SELECT stage FROM stage_events").fetchall() == [("a",)]
    connection.close()


@pytest.mark.gx
def test_a_commit_takes_in_and_publishes(store, make):
    store.land([make.event("a")], stage="s")
    assert store.commit().rows == {"stage_events": 1}
    assert stages(store) == ["a"]
    first = store.snapshot
    store.commit()
    assert store.snapshot == first


@pytest.mark.gx
def test_a_commit_whose_rows_break_a_check_publishes_nothing(store, make):
    store.land([*make.episode(1), make.label(1)], stage="s")
    with pytest.raises(DataContractError, match="label_on_failure"):
        store.commit()
    with store.read() as reader:
        assert reader.rows(TrajectoryRow) == []
