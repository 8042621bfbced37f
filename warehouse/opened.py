"""The snapshot that was opened last is kept open: opening takes longer than most queries.

One process reads the same snapshot many times over. A snapshot never changes; one whose file is
another than before is opened anew. Large ones are not kept, for what was read of them stays in
memory as long as they are open.
"""

import os
import threading
from dataclasses import dataclass
from pathlib import Path

import duckdb

from warehouse.database import attach
from warehouse.migrate import is_current
from warehouse.repair import open_snapshot

_LARGEST_KEPT = 256_000_000
_LOCK = threading.Lock()
_Key = tuple[int, str, int, int, int]


@dataclass(frozen=True)
class _Opened:
    key: _Key
    connection: duckdb.DuckDBPyConnection
    is_of_this_release: bool


_kept: list[_Opened] = []
_inherited: list[_Opened] = []
"""What a forked process got from its parent: it can neither be used nor closed there."""


def connect_snapshot(snapshot: Path, *, is_whole: bool = False) -> duckdb.DuckDBPyConnection:
    """A connection to a snapshot that the caller closes.

    Args:
        snapshot: the snapshot.
        is_whole: whether it was copied just now and need only open, whatever size it tells.

    Raises:
        DamagedFile: it is damaged.
        WarehouseError: it is gone or cannot be opened.
    """
    if is_whole:
        return attach(snapshot)
    with _LOCK:
        cursor = _opened(snapshot).connection.cursor()
    cursor.execute("USE file")
    return cursor


def is_of_this_release(snapshot: Path) -> bool:
    """Whether a snapshot has the tables and views of this release.

    Raises:
        DamagedFile: it is damaged.
        WarehouseError: it is gone or cannot be opened.
    """
    with _LOCK:
        return _opened(snapshot).is_of_this_release


def _opened(snapshot: Path) -> _Opened:
    key = _key(snapshot)
    if _kept and _kept[0].key == key:
        return _kept[0]
    _let_go()
    connection = open_snapshot(snapshot)
    found = _Opened(key, connection, is_current(connection))
    if key[3] <= _LARGEST_KEPT:
        _kept.append(found)
    return found


def _key(snapshot: Path) -> _Key:
    try:
        state = snapshot.stat()
    except OSError:
        return (os.getpid(), str(snapshot), 0, 0, 0)
    return (os.getpid(), str(snapshot), state.st_ino, state.st_size, state.st_mtime_ns)


def _let_go() -> None:
    """Forget what is kept; it is closed with the last cursor that is in use."""
    _inherited.extend(old for old in _kept if old.key[0] != os.getpid())
    _kept.clear()
