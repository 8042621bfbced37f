"""One table in an in-memory SQLite database that hostile statements cannot leave, stall or blow up.

What is refused: everything but reads and row changes of the one table (authorizer), functions that
read the clock, chance or the disk, statements above a fixed amount of work (progress handler) and
values above a fixed length (SQLite's own limit). All limits count work, never time, so that the
same statement always ends the same way.
"""

import hashlib
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from schemas.ids import canonical_json

MAX_OPERATIONS = 300_000
OPERATIONS_PER_CHECK = 1_000
MAX_VALUE_BYTES = 5_000
MAX_SQL_LENGTH = 20_000
MAX_PAGES = 128
MAX_COLUMNS = 100
MAX_FETCHED_ROWS = 1_000
MAX_FETCHED_CHARS = 200_000

Value = str | int | float | bytes | None
SqlRow = tuple[Value, ...]

_CLOCK_FUNCTIONS = ("date", "time", "datetime", "julianday", "strftime")
_REFUSED_FUNCTIONS = frozenset(
    {
        "current_date",
        "current_time",
        "current_timestamp",
        "load_extension",
        "random",
        "randomblob",
        "readfile",
        "writefile",
        "edit",
        "fts3_tokenizer",
        "sqlite_source_id",
        "sqlite_version",
        "last_insert_rowid",
        "total_changes",
        "changes",
        "unixepoch",
        "timediff",
    }
)
_CHANGES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_clock_free = sqlite3.connect(":memory:", check_same_thread=False)


@dataclass(frozen=True)
class Table:
    """Name, columns with their SQLite types, and first rows of a table."""

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[SqlRow, ...]


@dataclass(frozen=True)
class Answer:
    """What a statement gave.

    Attributes:
        rows: fetched rows; null when the statement gives none.
        has_more: whether more rows than `MAX_FETCHED` were there.
        changed: rows that were changed; null for a read.
        error: message of SQLite; null when the statement ran.
    """

    rows: tuple[SqlRow, ...] | None = None
    has_more: bool = False
    changed: int | None = None
    error: str | None = None


class _Work:
    """Counts the work of the statement that runs, and cuts it."""

    def __init__(self) -> None:
        self.operations = 0

    def tick(self) -> int:
        self.operations += OPERATIONS_PER_CHECK
        return int(self.operations > MAX_OPERATIONS)


class Database:
    """A live table, freed with the object: nothing the connection holds refers back to it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=0
        )
        self._connection.text_factory = _decode
        self._work = _Work()
        self._insert = _insert_statement(table)
        self._seen: tuple[int, list[Any], str] | None = None
        columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns)
        self._connection.execute(f"PRAGMA max_page_count = {MAX_PAGES}")
        self._connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        self._connection.executemany(self._insert, _numbered(table.rows))
        _limit(self._connection)
        self._guard()

    def __del__(self) -> None:
        self._connection.close()

    def run(self, sql: str) -> Answer:
        """Run one statement of the agent."""
        text = sql.encode("utf-8", "replace").decode()
        if len(text) > MAX_SQL_LENGTH:
            return Answer(error="statement too long")
        before = self._connection.total_changes
        self._work.operations = 0
        try:
            return self._fetch(self._connection.execute(text), before)
        except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError) as error:
            return Answer(error=_word(error))

    def dump(self) -> list[Any]:
        """All rows with their row ids, as JSON values."""
        return self._state()[0]

    def content_hash(self) -> str:
        """Hash of the rows as a multiset; row ids and order do not count."""
        return self._state()[1]

    def load(self, rows: list[list[Any]]) -> None:
        """Replace all rows by what `dump` gave."""
        self._unguard()
        self._connection.execute(f'DELETE FROM "{self.table.name}"')  # noqa: S608
        head = self._insert[: self._insert.index("VALUES")]
        for row in rows:
            marks = ", ".join("CAST(? AS TEXT)" if _is_odd_text(cell) else "?" for cell in row)
            self._connection.execute(f"{head}VALUES ({marks})", [_from_json(cell) for cell in row])
        self._seen = None
        self._guard()

    def _fetch(self, cursor: sqlite3.Cursor, before: int) -> Answer:
        rows, has_more = _collect(cursor) if cursor.description else (None, False)
        count = cursor.rowcount
        cursor.close()
        changed = self._connection.total_changes - before
        if rows is None and count < 0:
            return Answer(error="not an executable statement")
        return Answer(rows, has_more, changed if rows is None or changed else None)

    def _state(self) -> tuple[list[Any], str]:
        version = self._connection.total_changes
        if self._seen is None or self._seen[0] != version:
            self._unguard()
            columns = ", ".join(f'"{name}"' for name, _ in self.table.columns)
            query = f'SELECT rowid, {columns} FROM "{self.table.name}" ORDER BY rowid'  # noqa: S608
            rows = [[_to_json(cell) for cell in row] for row in self._connection.execute(query)]
            self._guard()
            self._seen = (version, rows, hash_rows([row[1:] for row in rows]))
        return self._seen[1], self._seen[2]

    def _guard(self) -> None:
        self._connection.set_progress_handler(self._work.tick, OPERATIONS_PER_CHECK)
        self._connection.set_authorizer(_authorizer(self.table.name))

    def _unguard(self) -> None:
        self._connection.set_progress_handler(None, 0)
        self._connection.set_authorizer(None)


def hash_rows(rows: list[list[Any]]) -> str:
    """Hash rows of JSON cells as a multiset."""
    lines = sorted(canonical_json([_rounded(cell) for cell in row]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _numbered(rows: tuple[SqlRow, ...]) -> list[SqlRow]:
    return [(number, *row) for number, row in enumerate(rows, start=1)]


def _collect(cursor: sqlite3.Cursor) -> tuple[tuple[SqlRow, ...], bool]:
    rows: list[SqlRow] = []
    size = 0
    for row in cursor:
        if len(rows) == MAX_FETCHED_ROWS or size > MAX_FETCHED_CHARS:
            return tuple(rows), True
        rows.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
    return tuple(rows), False


def _limit(connection: sqlite3.Connection) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MAX_COLUMNS)
    for name in _CLOCK_FUNCTIONS:
        connection.create_function(name, -1, _without_clock(name), deterministic=True)


def _authorizer(table: str) -> Callable[..., int]:
    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action in _CHANGES:
            return _verdict(is_allowed=first == table)
        if action == sqlite3.SQLITE_FUNCTION:
            return _verdict(is_allowed=(second or "").lower() not in _REFUSED_FUNCTIONS)
        if action == sqlite3.SQLITE_READ:
            return _verdict(is_allowed=not (first or "").lower().startswith("pragma_"))
        return _verdict(is_allowed=action in _READS)

    return authorize


def _insert_statement(table: Table) -> str:
    columns = ", ".join(f'"{name}"' for name, _ in table.columns)
    marks = ", ".join("?" for _ in range(len(table.columns) + 1))
    return f'INSERT INTO "{table.name}" (rowid, {columns}) VALUES ({marks})'  # noqa: S608


def _verdict(*, is_allowed: bool) -> int:
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _word(error: BaseException) -> str:
    message = str(error)
    if "one statement at a time" in message:
        return "Only one statement can be executed at a time"
    if "user-defined function" in message:
        return "date functions take fixed dates only; the clock is not available"
    if message == "interrupted":
        return "statement interrupted: it needs too much work"
    return message or type(error).__name__


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _is_clean(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _to_json(cell: Value) -> Any:
    if isinstance(cell, str):
        if _is_clean(cell):
            return cell
        return {"text": cell.encode("utf-8", "surrogateescape").hex()}
    if isinstance(cell, bytes):
        return {"blob": cell.hex()}
    if isinstance(cell, float) and cell in (float("inf"), float("-inf")):
        return {"real": repr(cell)}
    return cell


def _from_json(cell: Any) -> Value:
    if not isinstance(cell, dict):
        return cell
    kind, text = next(iter(cell.items()))
    return float(text) if kind == "real" else bytes.fromhex(text)


def _is_odd_text(cell: Any) -> bool:
    return isinstance(cell, dict) and "text" in cell


def _rounded(cell: Any) -> Any:
    return round(cell, 6) if isinstance(cell, float) else cell


def _without_clock(name: str) -> Callable[..., Value]:
    """SQLite's date function under its name, refusing what depends on clock or time zone."""

    def compute(*arguments: Value) -> Value:
        words = {str(part).strip().lower() for part in arguments}
        times = arguments[1:] if name == "strftime" else arguments
        if not times or words & {"now", "localtime", "utc"}:
            message = "the clock is not available"
            raise sqlite3.OperationalError(message)
        marks = ", ".join("?" for _ in arguments)
        row = _clock_free.execute(f"SELECT {name}({marks})", arguments).fetchone()
        return row[0]

    return compute
