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
from warehouse.database import failed, first_line, missing, open_database, stored_bytes
from warehouse.disk import full_disk, is_full
from warehouse.landing import sync_folder
from warehouse.paths import Paths

KEPT_SNAPSHOTS = 3
_NAME = re.compile(r"\d{6,}\.duckdb")
_SET_ASIDE = re.compile(r"\d{6,}\.damaged")


def publish_snapshot(paths: Paths) -> Path:
    """Copy the live file when it has changed; return the newest snapshot. Needs the ingest lock.

    Raises:
        WarehouseError: the live file is damaged or the copy could not be written.
    """
    if not paths.live.exists():
        raise missing(paths.live)
    newest = newest_snapshot(paths)
    if newest is not None and _is_copy(paths.live, newest):
        point_current_at(newest, paths)
        return newest
    if _has_wal(paths.live):  # else all was written into the live file when it was closed
        _checkpoint(paths.live)
    number = 1 + max(map(_number, (*_numbered(paths), *damaged_snapshots(paths))), default=0)
    target = paths.snapshots / f"{number:06d}.duckdb"
    _copy(paths.live, target)
    point_current_at(target, paths)
    for old in _numbered(paths)[:-KEPT_SNAPSHOTS]:
        old.unlink(missing_ok=True)
    return target


def newest_snapshot(paths: Paths) -> Path | None:
    """The snapshot with the highest number, or None when nothing was published."""
    snapshots = _numbered(paths)
    return snapshots[-1] if snapshots else None


def snapshots_newest_first(paths: Paths) -> list[Path]:
    """All snapshots by falling number."""
    return _numbered(paths)[::-1]


def damaged_snapshots(paths: Paths) -> list[Path]:
    """Snapshots that were set aside and not yet replaced, oldest first."""
    return _numbered(paths, _SET_ASIDE)


def set_aside(snapshot: Path) -> None:
    """Take a damaged snapshot out of the numbered ones; what it holds is kept."""
    target = snapshot.with_suffix(".damaged")
    try:
        snapshot.replace(target)
    except OSError as error:
        what = f"cannot set the damaged {snapshot} aside: {first_line(error)}"
        raise WarehouseError(what, hint="check that the folder is writable") from error


def leads_to_newest(paths: Paths) -> bool:
    """Whether the stable path leads to the newest snapshot."""
    newest = newest_snapshot(paths)
    if newest is None or not paths.current.is_symlink():
        return False
    return paths.current.readlink() == _target(newest)


def _numbered(paths: Paths, name: re.Pattern[str] = _NAME) -> list[Path]:
    if not paths.snapshots.is_dir():
        return []
    found = [entry for entry in paths.snapshots.iterdir() if name.fullmatch(entry.name)]
    return sorted(found, key=_number)


def _number(path: Path) -> int:
    return int(path.name.split(".", 1)[0])


def _is_copy(live: Path, snapshot: Path) -> bool:
    """Whether nothing was written since the copy was made, which carries the live file's time."""
    return not _has_wal(live) and live.stat().st_mtime_ns == snapshot.stat().st_mtime_ns


def _checkpoint(live: Path) -> None:
    """Write all that is stored into the live file itself."""
    with open_database(live, read_only=False) as connection:
        try:
            connection.execute("CHECKPOINT")
        except duckdb.Error as error:
            if is_full(error):
                raise _no_room(live, 0) from error
            raise failed(live, error) from error


def _has_wal(live: Path) -> bool:
    wal = live.with_name(live.name + ".wal")
    return wal.exists() and wal.stat().st_size > 0


def _no_room(place: Path, needed: int) -> WarehouseError:
    kept = "what was taken in is safe, and the older snapshots can still be read"
    return full_disk("cannot publish a snapshot", place, kept=kept, needed=needed)


def _copy(live: Path, target: Path) -> None:
    """Copy the live file, in full size, so that a copy that was cut short can be told."""
    draft = target.with_name(f".{target.name}.draft")
    try:
        shutil.copyfile(live, draft)
        with draft.open("r+b") as file:
            file.truncate(max(stored_bytes(draft), draft.stat().st_size))
            os.fsync(file.fileno())
        state = live.stat()
        os.utime(draft, ns=(state.st_atime_ns, state.st_mtime_ns))
        draft.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        draft.unlink(missing_ok=True)
        if is_full(error):
            raise _no_room(target, live.stat().st_size) from error
        what = f"cannot publish {target}: {first_line(error)}"
        raise WarehouseError(what, hint="check that the folder is writable") from error
    finally:
        draft.unlink(missing_ok=True)


def point_current_at(snapshot: Path, paths: Paths) -> None:
    """Let the stable path lead to a snapshot, in one step."""
    target = _target(snapshot)
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
        if is_full(error):
            raise _no_room(paths.current, 0) from error
        what = f"cannot point {paths.current} at {snapshot.name}: {first_line(error)}"
        raise WarehouseError(what, hint="check that the folder is writable") from error


def _target(snapshot: Path) -> Path:
    return Path("snapshots") / snapshot.name
