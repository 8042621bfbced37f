import shutil

import duckdb
import pytest

from schemas.errors import WarehouseError
from schemas.runs import StageEventRow
from warehouse.database import open_database, stored_bytes
from warehouse.store import Warehouse


def publish(store, make, stage):
    store.land([make.event(stage)], stage="s")
    store.ingest()
    return store.publish()


def stages(store):
    with store.read() as reader:
        return [row.stage for row in reader.rows(StageEventRow)]


def test_a_new_folder_is_an_empty_warehouse_with_a_first_snapshot(home):
    store = Warehouse(home)
    assert store.snapshot.name == "000001.duckdb"
    assert stages(store) == []


def test_rows_are_seen_after_they_were_published_not_before(store, make):
    store.land([make.event("collect")], stage="s")
    store.ingest()
    assert stages(store) == []
    store.publish()
    assert stages(store) == ["collect"]


def test_publishing_without_a_change_keeps_the_snapshot(store, make):
    first = publish(store, make, "a")
    assert store.publish() == first


def test_the_last_three_snapshots_are_kept(store, make):
    for stage in "abcde":
        publish(store, make, stage)
    names = sorted(file.name for file in store.paths.snapshots.iterdir())
    assert names == ["000004.duckdb", "000005.duckdb", "000006.duckdb"]


def test_the_stable_path_opens_the_newest_snapshot(store, make):
    newest = publish(store, make, "a")
    assert store.paths.current.resolve() == newest.resolve()
    with duckdb.connect(str(store.paths.current), read_only=True) as connection:
        assert connection.execute("SELECT stage FROM stage_events").fetchall() == [("a",)]


def test_a_sound_snapshot_is_never_taken_for_one_that_was_cut_short(store, make, fill, caplog):
    """DuckDB cuts free blocks off its file, and counts them in the file all the same."""
    differing = 0
    for size in (1, 40, 1, 1, 80, 3, 1, 20, 1, 1):
        first = size * 1_000 + differing * 10_000 + len(list(store.paths.snapshots.iterdir()))
        fill(store, [row for number in range(size) for row in make.episode(first + number)])
        differing += store.paths.live.stat().st_size < stored_bytes(store.paths.live)
        with duckdb.connect(str(store.snapshot), read_only=True) as connection:
            told = connection.execute(
                "SELECT total_blocks * block_size FROM pragma_database_size()"
            ).fetchall()
        assert stored_bytes(store.snapshot) == told[0][0] + 3 * 4096
        assert store.snapshot.stat().st_size == stored_bytes(store.snapshot)
        assert Warehouse(store.paths.home).snapshot == store.snapshot
    assert differing
    assert caplog.records == []


@pytest.mark.parametrize(
    "content", [b"", b"x" * 5_000, b"\xff" * 20_000, b"\x00" * 20_000], ids=range(4)
)
def test_a_file_without_a_sensible_header_has_the_size_it_has(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    assert stored_bytes(tmp_path / "file") == len(content)


def test_an_open_reader_keeps_its_snapshot_while_others_are_published(store, make):
    publish(store, make, "a")
    with store.read() as reader:
        for stage in "bcdef":
            publish(store, make, stage)
        assert [row.stage for row in reader.rows(StageEventRow)] == ["a"]
    assert stages(store) == ["a", "b", "c", "d", "e", "f"]


def test_a_moved_data_folder_still_opens(store, make, tmp_path):
    publish(store, make, "a")
    moved = tmp_path / "moved"
    shutil.move(store.paths.home, moved)
    assert stages(Warehouse(moved)) == ["a"]
    assert (moved / "current.duckdb").exists()


def test_a_reader_cannot_write(store):
    with store.read() as reader, pytest.raises(WarehouseError, match="read-only"):
        reader.scalar("INSERT INTO prompts VALUES ('a', 'task', 'x')")


def test_a_lock_held_too_long_is_one_clear_error(store, home):
    impatient = Warehouse(home, lock_timeout_s=0.1)
    with store._lock(), pytest.raises(WarehouseError, match="another process"):
        impatient.ingest()


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(WarehouseError, match="cannot create the data folder"):
        Warehouse(tmp_path / "file" / "home")


def test_the_live_file_is_written_by_nobody_else_while_snapshots_are_read(store, make):
    with store.read(), open_database(store.paths.live, read_only=False) as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
