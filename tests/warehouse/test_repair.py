"""Damaged files: reading goes on, nothing is lost silently, and the advice mends what it is for."""

import re
import shutil
import subprocess

import duckdb
import pytest

from schemas.errors import WarehouseError
from schemas.ids import make_id
from schemas.runs import StageEventRow
from schemas.trajectories import PromptRow
from warehouse.query_guard import run_query
from warehouse.store import Warehouse

pytestmark = pytest.mark.gx
COMMAND = re.compile(r"`([^`]+)`")
NEEDLE = "a text that is easy to find "
REPLACED = "000003 was damaged; 000004.duckdb is a new copy of the live file"
PROMPT = make_id("prm", NEEDLE)

DAMAGES = {
    "emptied": lambda content: b"",
    "text": lambda content: b"not a database" * 10_000,
    "zeros": lambda content: bytes(len(content)),
    "first bytes": lambda content: content[:20_000],
    "first half": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "header": lambda content: content[:4096] + b"x" * 8192 + content[12_288:],
}


def damage(path, how="text"):
    path.write_bytes(DAMAGES[how](path.read_bytes()))


def spoil_inside(path):
    """Change one letter of a stored text, so that the file opens and its checksum is wrong."""
    content = path.read_bytes()
    assert content.count(NEEDLE.encode()) > 0
    path.write_bytes(content.replace(NEEDLE.encode(), NEEDLE.upper().encode(), 1))


def follow(error):
    """Run the command that an error advises."""
    (command,) = COMMAND.findall(str(error))
    subprocess.run(command, shell=True, check=True)


def publish(store, make, stage):
    store.land([make.event(stage)], stage="s")
    store.ingest()
    return store.publish()


def stages(store):
    with store.read() as reader:
        return [row.stage for row in reader.rows(StageEventRow)]


def warnings(caplog):
    ours = [record for record in caplog.records if record.name.startswith("warehouse")]
    caplog.clear()
    return [record.getMessage() for record in ours]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory, make):
    """Folder of a warehouse with a text and two stages, published one after the other."""
    store = Warehouse(tmp_path_factory.mktemp("prepared") / "home")
    store.land([PromptRow(prompt_id=PROMPT, kind="task", text=NEEDLE * 100)], stage="s")
    publish(store, make, "a")
    publish(store, make, "b")
    return store.paths.home


@pytest.fixture
def two(prepared, home):
    """A copy of it to damage."""
    shutil.copytree(prepared, home, symlinks=True)
    return Warehouse(home)


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_snapshot_is_replaced_by_a_new_copy_when_it_is_opened(two, home, caplog, how):
    damage(two.snapshot, how)
    again = Warehouse(home)
    assert stages(again) == ["a", "b"]
    assert warnings(caplog) == [REPLACED]
    with duckdb.connect(str(again.paths.current), read_only=True) as connection:
        assert len(connection.execute("FROM stage_events").fetchall()) == 2
    names = sorted(file.name for file in again.paths.snapshots.iterdir())
    assert names == ["000001.duckdb", "000002.duckdb", "000004.duckdb"]
    assert stages(Warehouse(home)) == ["a", "b"]
    assert warnings(caplog) == []


def test_a_snapshot_damaged_while_a_process_runs_is_replaced_too(two, caplog):
    damage(two.snapshot)
    assert stages(two) == ["a", "b"]
    assert len(warnings(caplog)) == 1


def test_all_snapshots_damaged_are_all_replaced(two, home):
    for snapshot in two.paths.snapshots.iterdir():
        damage(snapshot)
    assert stages(Warehouse(home)) == ["a", "b"]
    assert [file.name for file in two.paths.snapshots.iterdir()] == ["000004.duckdb"]


def test_a_removed_snapshot_is_published_anew(two, home):
    two.snapshot.unlink()
    assert stages(Warehouse(home)) == ["a", "b"]


@pytest.mark.parametrize("loss", ["damaged", "missing"])
def test_without_live_file_the_newest_good_snapshot_is_read_until_the_advice_is_followed(
    two, home, make, caplog, loss
):
    damage(two.snapshot)
    two.paths.live.with_name("warehouse.duckdb.wal").write_bytes(b"left over")
    if loss == "missing":
        two.paths.live.unlink()
    else:
        damage(two.paths.live)
    for _ in range(2):
        assert stages(Warehouse(home)) == ["a"]
        (warning,) = warnings(caplog)
        assert str(two.paths.live) in warning
        assert "what is read is the state of 000002.duckdb" in warning
    store = Warehouse(home)
    store.land([make.event("c")], stage="s")
    with pytest.raises(WarehouseError, match=re.escape(str(store.paths.live))) as raised:
        store.ingest()
    follow(raised.value)
    store.ingest()
    store.publish()
    assert stages(Warehouse(home)) == ["a", "c"]
    assert warnings(caplog)[-1] == REPLACED
    assert stages(Warehouse(home)) == ["a", "c"]
    assert warnings(caplog) == []


def test_a_lost_live_file_is_not_replaced_by_an_empty_one(two, home, make):
    two.paths.live.unlink()
    store = Warehouse(home)
    assert stages(store) == ["a", "b"]
    for attempt in (store.ingest, store.publish):
        with pytest.raises(WarehouseError, match=r"000003\.duckdb"):
            attempt()
    assert not store.paths.live.exists()


@pytest.mark.parametrize("how", sorted(DAMAGES.keys() - {"one byte short"}))
def test_a_damaged_live_file_is_one_clear_error_that_the_advice_mends(two, home, make, how):
    damage(two.paths.live, how)
    two.land([make.event("c")], stage="s")
    with pytest.raises(WarehouseError, match=r"the warehouse file.*000003") as raised:
        two.ingest()
    assert "\n" not in str(raised.value)
    follow(raised.value)
    two.ingest()
    two.publish()
    assert stages(Warehouse(home)) == ["a", "b", "c"]


def test_with_nothing_left_to_read_the_error_says_so(two, home):
    for path in (two.paths.live, *two.paths.snapshots.iterdir()):
        damage(path)
    with pytest.raises(WarehouseError, match="no snapshot can be read either"):
        Warehouse(home)


def test_damage_inside_a_snapshot_is_named_and_the_advice_mends_it(two, home):
    spoil_inside(two.snapshot)
    with (
        pytest.raises(WarehouseError, match="cannot read the warehouse file") as raised,
        two.read() as reader,
    ):
        reader.rows(PromptRow)
    follow(raised.value)
    with Warehouse(home).read() as reader:
        assert reader.rows(PromptRow)[0].text == NEEDLE * 100


def test_damage_inside_a_snapshot_that_a_query_meets_is_named_too(two, home):
    spoil_inside(two.snapshot)
    with pytest.raises(WarehouseError, match="is damaged") as raised:
        run_query(two.snapshot, "SELECT max(text) FROM prompts")
    follow(raised.value)
    answer = run_query(Warehouse(home).snapshot, "SELECT count(DISTINCT text) FROM prompts")
    assert answer.rows == ((1,),)


def test_damage_inside_the_live_file_is_named_and_the_advice_mends_it(two, home):
    spoil_inside(two.paths.live)
    two.land([PromptRow(prompt_id=PROMPT, kind="task", text="other")], stage="s")
    with pytest.raises(WarehouseError, match="is damaged") as raised:
        two.ingest()
    follow(raised.value)
    assert two.ingest().quarantined == 1
    with Warehouse(home).read() as reader:
        assert reader.rows(PromptRow)[0].text == NEEDLE * 100
