"""Open DuckDB files, the live one to write and a snapshot to read; tell damage from the rest."""

import os
import struct
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import duckdb
import polars as pl

from schemas.errors import WarehouseError
from warehouse.ddl import literal
from warehouse.disk import full_disk, is_full

STORAGE_VERSION = "v1.5.0"
"""Files that DuckDB 1.5 and 2 both read."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_HEADERS_AT = (4096, 8192)
_HEADER_BYTES = 4096
_HEADER = struct.Struct("<6Q")
_BLOCK_SIZES = frozenset(2**power for power in range(14, 19))
_SMALL = 16_000_000
_MOST_FREE = 100
_DAMAGE = (
    "corrupt database",
    "checksum",
    "could not read enough bytes",
    "not a valid duckdb database",
    "failed to load metadata",
    "failure while replaying wal",
)


@dataclass(frozen=True)
class _Header:
    iteration: int
    blocks: int
    block_bytes: int


class DamagedFile(WarehouseError):
    """A database file is missing, cut short or holds something else than it should.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, what: str) -> None:
        self.path = path
        super().__init__(what)


@contextmanager
def open_database(path: Path, *, read_only: bool) -> Generator[duckdb.DuckDBPyConnection]:
    """Open a DuckDB file and close it again.

    Raises:
        DamagedFile: the file is damaged.
        WarehouseError: the file is missing or held by another process.
    """
    connection = connect(path, read_only=read_only)
    try:
        yield connection
    finally:
        connection.close()


def connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file that the caller closes; see `open_database`."""
    try:
        return duckdb.connect(str(path), read_only=read_only, config=_CONFIG)
    except duckdb.Error as error:
        raise _unopened(path, error) from error


def attach(path: Path) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file to read it for a long time; the caller closes the connection.

    It is attached to a database of its own, so that others of this process may open the file with
    whatever settings they like. A cursor must be told to `USE file`.

    Raises:
        DamagedFile: the file is damaged.
        WarehouseError: the file is missing.
    """
    connection = duckdb.connect(config=_CONFIG)
    try:
        connection.execute(f"ATTACH {literal(str(path))} AS file (READ_ONLY)")
        connection.execute("USE file")
    except duckdb.Error as error:
        connection.close()
        raise _unopened(path, error) from error
    return connection


def _unopened(path: Path, error: duckdb.Error) -> WarehouseError:
    found = failed(path, error)
    is_internal = isinstance(error, duckdb.InternalException | duckdb.FatalException)
    if is_internal and not is_full(error):  # opening a sound file never comes to that
        return DamagedFile(path, found.what)
    return found


def create_database(path: Path) -> None:
    """Create an empty file in the agreed storage version, all at once."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    draft.unlink(missing_ok=True)
    try:
        with duckdb.connect(config=_CONFIG) as connection:
            target = literal(str(draft))
            connection.execute(f"ATTACH {target} AS draft (STORAGE_VERSION '{STORAGE_VERSION}')")
            connection.execute("DETACH draft")
        draft.replace(path)
    except (duckdb.Error, OSError) as error:
        if is_full(error):
            what = "cannot create the warehouse"
            raise full_disk(what, path, kept="nothing was stored") from error
        what = f"cannot create the warehouse file {path}: {first_line(error)}"
        raise WarehouseError(what, hint="check that the folder is writable") from error
    finally:
        draft.unlink(missing_ok=True)


def stored_bytes(path: Path) -> int:
    """Size of a database file by its own account; the file is shorter when its end is free.

    It stands in the newer of two headers, which DuckDB checks when it opens the file. A file whose
    header says something impossible has the size it has.
    """
    actual = path.stat().st_size
    with path.open("rb") as file:
        headers = [_read_header(file, place) for place in _HEADERS_AT]
    newest = max(filter(None, headers), key=lambda header: header.iteration, default=None)
    if newest is None or newest.block_bytes not in _BLOCK_SIZES:
        return actual
    told = _HEADERS_AT[-1] + _HEADER_BYTES + newest.blocks * newest.block_bytes
    return told if told <= _MOST_FREE * max(actual, _SMALL) else actual


def _read_header(file: BinaryIO, place: int) -> _Header | None:
    file.seek(place)
    content = file.read(_HEADER.size)
    if len(content) < _HEADER.size:
        return None
    _, iteration, _, _, blocks, block_bytes = _HEADER.unpack(content)
    return _Header(iteration, blocks, block_bytes)


@contextmanager
def registered(
    connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame
) -> Generator[None]:
    """Let statements read a frame under a name."""
    connection.register(name, frame)
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):  # a failed transaction refuses it, and is what is to be told
            connection.unregister(name)
        raise
    connection.unregister(name)


def missing(path: Path) -> DamagedFile:
    """Say that the live file is gone."""
    what = f"the warehouse file {path} is missing, though snapshots of it exist"
    return DamagedFile(path, what)


def failed(path: Path, error: BaseException) -> WarehouseError:
    """Say that a file cannot be opened, read or written: no room, damaged, held or out of reach.

    What helps against damage depends on the other files; `repair.advising` says it.
    """
    if is_full(error):
        what = "cannot write the warehouse"
        return full_disk(what, path, kept="what was stored before is safe")
    what = f"cannot read the warehouse file {path}: {first_line(error)}"
    if is_damage(error):
        return DamagedFile(path, what)
    if "lock" in str(error).lower():
        return WarehouseError(what, hint="close the program that holds it")
    return WarehouseError(what, hint="check that it is there and may be read")


def is_damage(error: BaseException) -> bool:
    """Whether an error of the database means that its file is damaged."""
    message = str(error).lower()
    is_misread = isinstance(error, duckdb.SerializationException)
    is_told = is_misread or any(mark in message for mark in _DAMAGE)
    return is_told and not is_full(error)


def first_line(error: BaseException) -> str:
    """First line of an error message, bounded."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:300]
