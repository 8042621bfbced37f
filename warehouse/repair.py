"""What is done about damaged files: a lost snapshot is published anew, a lost live file is named.

The live file is the truth and snapshots are copies of it. A snapshot that cannot be read is set
aside and replaced by a new copy. When the live file is damaged or missing as well, the newest good
snapshot is read, with a warning, until somebody puts it in the place of the live file.
"""

import logging
import shlex
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from schemas.errors import WarehouseError
from warehouse.database import DamagedFile, attach, failed, stored_bytes
from warehouse.ingest import live_database
from warehouse.migrate import is_current
from warehouse.paths import Paths
from warehouse.snapshot import (
    damaged_snapshots,
    newest_snapshot,
    point_current_at,
    publish_snapshot,
    set_aside,
    snapshots_newest_first,
)

_log = logging.getLogger(__name__)
_TABLES = "SELECT table_name FROM duckdb_tables() ORDER BY 1"


def open_snapshot(path: Path) -> duckdb.DuckDBPyConnection:
    """Open a snapshot that the caller closes.

    Raises:
        DamagedFile: it is no database, or shorter than it says.
        WarehouseError: it cannot be opened for another reason.
    """
    connection = attach(path)
    try:
        wanted, found = stored_bytes(path), path.stat().st_size
    except OSError as error:
        connection.close()
        raise failed(path, error) from error
    if found < wanted:
        connection.close()
        what = f"cannot read the warehouse file {path}: it has {found} bytes of {wanted}"
        raise DamagedFile(path, what)
    return connection


def mend(paths: Paths) -> None:
    """Make the live file ready and the newest snapshot a readable copy. Needs the ingest lock.

    When the live file cannot be used, the newest good snapshot is left to be read, with a warning.

    Raises:
        WarehouseError: the live file cannot be used, and no snapshot of this release is there.
    """
    _set_damaged_aside(paths)
    damaged = damaged_snapshots(paths)
    try:
        with advising(paths):
            with live_database(paths):
                pass
            newest = publish_snapshot(paths)
    except WarehouseError as error:
        good = newest_snapshot(paths)
        if good is None or not _is_of_this_release(good):
            raise
        point_current_at(good, paths)
        _log.warning("%s; what is read is the state of %s", error, good.name)
        return
    for file in damaged:
        _log.warning("%s was damaged; %s is a new copy of the live file", file.stem, newest.name)
        file.unlink(missing_ok=True)


@contextmanager
def advising(paths: Paths) -> Generator[None]:
    """Say what helps when a file turns out to be damaged."""
    try:
        yield
    except DamagedFile as error:
        is_live = error.path == paths.live
        hint = advice(paths) if is_live else snapshot_advice(error.path)
        raise WarehouseError(error.what, hint=hint) from error


def snapshot_advice(path: Path) -> str:
    """What to do about a snapshot that is damaged inside."""
    return f"remove it, and the next command copies the live file anew: `{_command('rm', path)}`"


def advice(paths: Paths) -> str:
    """What to do about a live file that is damaged or missing."""
    good = next((file for file in snapshots_newest_first(paths) if _is_sound(file)), None)
    if good is None:
        return f"no snapshot can be read either; put back a copy of {paths.home} that you have"
    wal = paths.live.with_name(paths.live.name + ".wal")
    command = f"{_command('rm', '-f', wal)} && {_command('cp', good, paths.live)}"
    return f"to go on from {good.name}, without what was stored after it: `{command}`"


def _set_damaged_aside(paths: Paths) -> None:
    for snapshot in snapshots_newest_first(paths):
        try:
            open_snapshot(snapshot).close()
        except DamagedFile:
            set_aside(snapshot)
        else:
            return


def _is_of_this_release(snapshot: Path) -> bool:
    connection = open_snapshot(snapshot)
    try:
        return is_current(connection)
    finally:
        connection.close()


def _is_sound(snapshot: Path) -> bool:
    """Whether every value of a snapshot can be read."""
    try:
        connection = open_snapshot(snapshot)
    except WarehouseError:
        return False
    try:
        for (name,) in connection.execute(_TABLES).fetchall():
            connection.execute(f"SELECT count(*) FROM {name} AS t WHERE hash(t) = 0")  # noqa: S608
    except duckdb.Error:
        return False
    finally:
        with suppress(duckdb.Error):
            connection.close()
    return True


def _command(*words: str | Path) -> str:
    return shlex.join(str(word) for word in words)
