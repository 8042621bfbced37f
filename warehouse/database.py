"""Open DuckDB files: the live one to write, a snapshot to read; create an empty one."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from schemas.errors import WarehouseError

STORAGE_VERSION = "v1.5.0"
"""Files that DuckDB 1.5 and 2 both read."""

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


@contextmanager
def open_database(path: Path, *, read_only: bool) -> Generator[duckdb.DuckDBPyConnection]:
    """Open a DuckDB file and close it again.

    Raises:
        WarehouseError: the file is missing, damaged or held by another process.
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
        raise unreadable(path, error) from error


def create_database(path: Path) -> None:
    """Create an empty file in the agreed storage version, all at once."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    draft.unlink(missing_ok=True)
    try:
        with duckdb.connect(config=_CONFIG) as connection:
            target = str(draft).replace("'", "''")
            connection.execute(f"ATTACH '{target}' AS draft (STORAGE_VERSION '{STORAGE_VERSION}')")
            connection.execute("DETACH draft")
        draft.replace(path)
    except (duckdb.Error, OSError) as error:
        what = f"cannot create the warehouse file {path}: {first_line(error)}"
        raise WarehouseError(what, hint="check that the folder is writable") from error
    finally:
        draft.unlink(missing_ok=True)


def unreadable(path: Path, error: BaseException) -> WarehouseError:
    """Say that a file cannot be opened or read, and what helps."""
    return WarehouseError(
        f"cannot read the warehouse file {path}: {first_line(error)}",
        hint="close programs that hold it; if it is damaged, put the newest file of snapshots/ "
        "in the place of warehouse.duckdb",
    )


def first_line(error: BaseException) -> str:
    """First line of an error message, bounded."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:300]
