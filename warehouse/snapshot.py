"""Publish the warehouse: copy the live file to a numbered snapshot that everybody may read.

A snapshot never changes. The stable path `current.duckdb` is a link that is replaced in one step;
whoever has an older snapshot open keeps reading it.
"""

import os
import re
import shutil
from pathlib import Path

import duckdb

from schemas.errors import WarehouseError
from warehouse.database import first_line, open_database, unreadable
from warehouse.landing import sync_folder
from warehouse.paths import Paths

KEPT_SNAPSHOTS = 3
_NAME = re.compile(r"(\d{6,})\.duckdb")


def publish_snapshot(paths: Paths) -> Path:
    """Copy the live file when it has changed; return the newest snapshot. Needs the ingest lock.

    Raises:
        WarehouseError: the live file is damaged or the copy could not be written.
    """
    newest = newest_snapshot(paths)
    if newest is not None and _is_copy(paths.live, newest):
        _point_current_at(newest, paths)
        return newest
    _checkpoint(paths.live)
    number = 1 + (0 if newest is None else _number(newest))
    target = paths.snapshots / f"{number:06d}.duckdb"
    _copy(paths.live, target)
    _point_current_at(target, paths)
    for old in _numbered(paths)[:-KEPT_SNAPSHOTS]:
        old.unlink(missing_ok=True)
    return target


def newest_snapshot(paths: Paths) -> Path | None:
    """The snapshot with the highest number, or None when nothing was published."""
    snapshots = _numbered(paths)
    return snapshots[-1] if snapshots else None


def _numbered(paths: Paths) -> list[Path]:
    if not paths.snapshots.is_dir():
        return []
    found = [entry for entry in paths.snapshots.iterdir() if _NAME.fullmatch(entry.name)]
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    return int(path.name.split(".", 1)[0])


def _is_copy(live: Path, snapshot: Path) -> bool:
    """Whether nothing was written since the copy was made, which carries the live file's time."""
    wal = live.with_name(live.name + ".wal")
    if wal.exists() and wal.stat().st_size:
        return False
    here, there = live.stat(), snapshot.stat()
    return (here.st_size, here.st_mtime_ns) == (there.st_size, there.st_mtime_ns)


def _checkpoint(live: Path) -> None:
    with open_database(live, read_only=False) as connection:
        try:
            connection.execute("CHECKPOINT")
        except duckdb.Error as error:
            raise unreadable(live, error) from error


def _copy(live: Path, target: Path) -> None:
    draft = target.with_name(f".{target.name}.draft")
    try:
        shutil.copyfile(live, draft)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        state = live.stat()
        os.utime(draft, ns=(state.st_atime_ns, state.st_mtime_ns))
        draft.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        what = f"cannot publish {target}: {first_line(error)}"
        raise WarehouseError(
            what, hint="make room; the older snapshots can still be read"
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _point_current_at(snapshot: Path, paths: Paths) -> None:
    target = Path("snapshots") / snapshot.name
    if paths.current.is_symlink() and paths.current.readlink() == target:
        return
    draft = paths.current.with_name(f".current.{os.getpid()}.draft")
    draft.unlink(missing_ok=True)
    try:
        draft.symlink_to(target)
        draft.replace(paths.current)
        sync_folder(paths.home)
    except OSError as error:
        draft.unlink(missing_ok=True)
        what = f"cannot point {paths.current} at {snapshot.name}: {first_line(error)}"
        raise WarehouseError(what, hint="check that the folder is writable") from error
