"""Keeps statements of an agent inside one table and a fixed amount of work.

What is refused: everything but reads and row changes of the table (authorizer), functions that
depend on clock, chance, disk or history, statements above a number of operations (progress
handler), values and tables above a size (SQLite's own limits). All limits count work, never
time, so that the same statement always ends the same way.
"""

import sqlite3
from collections.abc import Callable

Value = str | int | float | bytes | None

MAX_OPERATIONS = 300_000
OPERATIONS_PER_CHECK = 1_000
MAX_VALUE_BYTES = 5_000
MAX_PAGES = 128
MAX_COLUMNS = 100

_CLOCK_FUNCTIONS = ("date", "time", "datetime", "julianday", "strftime")
_REFUSED_FUNCTIONS = frozenset(
    {
        "changes",
        "current_date",
        "current_time",
        "current_timestamp",
        "edit",
        "fts3_tokenizer",
        "last_insert_rowid",
        "load_extension",
        "random",
        "randomblob",
        "readfile",
        "sqlite_source_id",
        "sqlite_version",
        "timediff",
        "total_changes",
        "unixepoch",
        "writefile",
    }
)
_CHANGES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_clock_free = sqlite3.connect(":memory:", check_same_thread=False)


class Guard:
    """Guards one connection; holds nothing that refers back to it."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._operations = 0

    def limit(self, connection: sqlite3.Connection) -> None:
        """Set the limits that stay for the life of a connection."""
        connection.execute(f"PRAGMA max_page_count = {MAX_PAGES}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MAX_COLUMNS)
        for name in _CLOCK_FUNCTIONS:
            connection.create_function(name, -1, _CLOCK_FREE[name], deterministic=True)

    def close(self, connection: sqlite3.Connection) -> None:
        """Put the guard up for statements of the agent."""
        connection.set_progress_handler(self._count, OPERATIONS_PER_CHECK)
        connection.set_authorizer(self._authorize)

    def open(self, connection: sqlite3.Connection) -> None:
        """Let statements of the world through."""
        connection.set_progress_handler(None, 0)
        connection.set_authorizer(None)

    def reset(self) -> None:
        """Begin counting the work of another statement."""
        self._operations = 0

    def _count(self) -> int:
        self._operations += OPERATIONS_PER_CHECK
        return int(self._operations > MAX_OPERATIONS)

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action in _CHANGES:
            is_allowed = first == self._table
        elif action == sqlite3.SQLITE_FUNCTION:
            is_allowed = (second or "").lower() not in _REFUSED_FUNCTIONS
        elif action == sqlite3.SQLITE_READ:
            is_allowed = not (first or "").lower().startswith("pragma_")
        else:
            is_allowed = action in _READS
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _without_clock(name: str) -> Callable[..., Value]:
    """SQLite's date function of a name, refusing what depends on clock or time zone."""

    def compute(*arguments: Value) -> Value:
        words = {str(part).strip().lower() for part in arguments}
        times = arguments[1:] if name == "strftime" else arguments
        if not times or words & {"now", "localtime", "utc"}:
            message = "the clock is not available"
            raise sqlite3.OperationalError(message)
        marks = ", ".join("?" for _ in arguments)
        return _clock_free.execute(f"SELECT {name}({marks})", arguments).fetchone()[0]

    return compute


_CLOCK_FREE = {name: _without_clock(name) for name in _CLOCK_FUNCTIONS}
