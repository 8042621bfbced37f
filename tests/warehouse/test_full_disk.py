"""A full disk loses nothing, is told in one line, and the same work done again goes on.

The disk is a real one: a small file system in memory where it may be mounted. A limit on file size,
which every system has, stands for it elsewhere.
"""

import os
import re
import resource
import subprocess
from contextlib import contextmanager

import pytest

from schemas.errors import WarehouseError
from schemas.trajectories import StepRow
from warehouse.store import Warehouse

pytestmark = [pytest.mark.gx, pytest.mark.timeout(300)]
LEFT = [0, 60_000, 100_000, 300_000, 2_000_000, 6_000_000]
SLOW = pytest.mark.slow
SAFE = {
    "land": "nothing was landed",
    "ingest": "the segments still wait in landing/pending",
    "publish": "what was taken in is safe",
}


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory):
    """A disk of 40 MB and a way to leave only so much of it free."""
    folder = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    filler = folder / "filler"

    @contextmanager
    def leave(free):
        room = os.statvfs(folder)
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - free)
        try:
            yield folder
        finally:
            filler.unlink()

    yield leave
    # Lazily: this process may still hold the database of the last test.
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def limited(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def many(make):
    return [row for number in range(300) for row in make.episode(number)]


def work(store, rows):
    """Land, ingest and publish; the part that failed and its error, or nothing."""
    parts = {
        "land": lambda: store.land(rows, stage="collect"),
        "ingest": store.ingest,
        "publish": store.publish,
    }
    for name, do in parts.items():
        try:
            do()
        except WarehouseError as error:
            return name, error
    return "", None


def steps_in(home):
    with Warehouse(home).read() as reader:
        return len(reader.rows(StepRow))


@pytest.fixture(scope="module")
def attempts(small_disk, make):
    """What failed first with so much room, and how many steps are stored after another try."""
    found = {}
    for left in LEFT:
        with small_disk(40_000_000 - 12_000_000) as folder:
            home = folder / f"home{left}"
            store = Warehouse(home)
        with small_disk(left):
            failed, error = work(store, many(make))
            before = steps_in(home)
        assert work(Warehouse(home), many(make)) == ("", None)
        found[left] = (failed, error, before, steps_in(home))
        subprocess.run(["rm", "-r", str(home)], check=True)
    return found


@SLOW
@pytest.mark.parametrize("left", LEFT)
def test_a_disk_without_room_is_told_in_one_line_and_loses_nothing(attempts, left):
    failed, error, before, after = attempts[left]
    assert (before, after) == (0, 600)
    assert re.search(r"the disk is full at /\S+; \d+\.\d MB are free", str(error))
    assert SAFE[failed] in str(error)
    assert str(error).endswith("make room there, then run the same command again)")
    assert "\n" not in str(error)


@SLOW
def test_every_part_was_the_one_without_room(attempts):
    assert {failed for failed, *_ in attempts.values()} == {"land", "ingest", "publish"}


@SLOW
def test_how_much_is_needed_is_told_where_it_is_known(attempts):
    told = [str(error) for failed, error, *_ in attempts.values()]
    sizes = [re.search(r"about (\d+\.\d) MB are needed", text) for text in told]
    assert sum(size is not None and float(size[1]) > 0 for size in sizes) >= 3


@SLOW
def test_a_command_on_a_full_disk_ends_with_one_line_and_code_1(small_disk, command_line, tmp_path):
    with small_disk(20_000_000) as folder:
        home = folder / "data"
        tackroom = command_line(environ={"TACKROOM_HOME": str(home)})
        tackroom("sql", "SELECT 1")
    with small_disk(8_000):
        ran = tackroom("init", check=False)
    assert ran.code == 1
    assert ran.out == ""
    assert ran.last_line.startswith("tackroom: cannot ")
    assert f"the disk is full at {home}" in ran.last_line
    assert "Traceback" not in ran.err
    tackroom("init")


@pytest.mark.parametrize(("size", "failed"), [(2_000, "land"), (60_000, "ingest")])
def test_a_limit_on_file_size_loses_nothing(store, home, make, size, failed):
    with limited(size):
        name, error = work(store, many(make))
    assert name == failed
    assert "no more may be written at" in str(error)
    assert SAFE[failed] in str(error)
    assert work(store, many(make)) == ("", None)
    assert steps_in(home) == 600


def test_a_snapshot_beyond_a_limit_on_file_size_is_published_later(store, home, make):
    store.land(many(make), stage="collect")
    store.ingest()
    with limited(500_000), pytest.raises(WarehouseError, match="what was taken in is safe"):
        store.publish()
    assert steps_in(home) == 0
    store.publish()
    assert steps_in(home) == 600


def test_no_room_for_a_new_warehouse_leaves_nothing_behind(home):
    with (
        limited(4_000),
        pytest.raises(WarehouseError, match="cannot create the warehouse"),
    ):
        Warehouse(home)
    assert steps_in(home) == 0
