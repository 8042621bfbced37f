"""One live table in an in-memory SQLite database: run a statement, dump and load the rows."""

import hashlib
import sqlite3
from dataclasses import dataclass
from typing import Any

from schemas.ids import canonical_json
from tasks.environments.sqldesk.guards import Guard, Value

MAX_SQL_LENGTH = 20_000
MAX_FETCHED_ROWS = 1_000
MAX_FETCHED_CHARS = 200_000

SqlRow = tuple[Value, ...]


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
        has_more: whether there were more rows than are ever fetched.
        changed: rows that were changed; null for a read.
        error: message of SQLite; null when the statement ran.
    """

    rows: tuple[SqlRow, ...] | None = None
    has_more: bool = False
    changed: int | None = None
    error: str | None = None


@dataclass
class _Content:
    """The rows at one version of the table, and what was worked out from them."""

    version: int
    rows: list[list[Any]]
    text: str
    hashed: str | None = None


class Database:
    """A live table; its connection is closed with it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=0
        )
        self._guard = Guard(table.name)
        self._known: _Content | None = None
        columns = ", ".join(f'"{name}" {kind}' for name, kind in table.columns)
        self._connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        self._insert = _insert_statement(table)
        rows = [(number, *row) for number, row in enumerate(table.rows, start=1)]
        self._connection.executemany(self._insert, rows)
        self._guard.limit(self._connection)
        self._guard.close(self._connection)

    def __del__(self) -> None:
        self._connection.close()

    def run(self, sql: str) -> Answer:
        """Run one statement of the agent."""
        text = sql.encode("utf-8", "replace").decode()
        if len(text) > MAX_SQL_LENGTH:
            return Answer(error="statement too long")
        before = self._connection.total_changes
        self._guard.reset()
        try:
            return self._fetch(self._connection.execute(text), before)
        except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError) as error:
            return Answer(error=_word(error))

    def dump(self) -> str:
        """All rows with their row ids, as canonical JSON."""
        return self._content().text

    def content_hash(self) -> str:
        """Hash of the rows as a multiset; row ids and order do not count."""
        content = self._content()
        if content.hashed is None:
            content.hashed = _hash_rows(content.rows)
        return content.hashed

    def load(self, rows: list[list[Any]]) -> None:
        """Replace all rows by what `dump` gave."""
        self._guard.open(self._connection)
        self._connection.execute(f'DELETE FROM "{self.table.name}"')  # noqa: S608
        if any(isinstance(cell, dict) for row in rows for cell in row):
            self._load_odd(rows)
        else:
            self._connection.executemany(self._insert, rows)
        self._known = None
        self._guard.close(self._connection)

    def _load_odd(self, rows: list[list[Any]]) -> None:
        head = self._insert[: self._insert.index("VALUES")]
        for row in rows:
            marks = ", ".join("CAST(? AS TEXT)" if _is_odd_text(cell) else "?" for cell in row)
            self._connection.execute(f"{head}VALUES ({marks})", [_from_json(cell) for cell in row])

    def _fetch(self, cursor: sqlite3.Cursor, before: int) -> Answer:
        rows, has_more = _collect(cursor) if cursor.description else (None, False)
        count = cursor.rowcount
        cursor.close()
        changed = self._connection.total_changes - before
        if rows is None and count < 0:
            return Answer(error="not an executable statement")
        return Answer(rows, has_more, changed if rows is None or changed else None)

    def _content(self) -> _Content:
        version = self._connection.total_changes
        if self._known is None or self._known.version != version:
            self._guard.open(self._connection)
            try:
                rows = [list(row) for row in self._select()]
                self._known = _Content(version, rows, canonical_json(rows))
            except (sqlite3.OperationalError, TypeError, ValueError):
                self._connection.text_factory = _escape
                odd = [[_to_json(cell) for cell in row] for row in self._select()]
                self._connection.text_factory = str
                self._known = _Content(version, odd, canonical_json(odd))
            self._guard.close(self._connection)
        return self._known

    def _select(self) -> list[SqlRow]:
        columns = ", ".join(f'"{name}"' for name, _ in self.table.columns)
        query = f'SELECT rowid, {columns} FROM "{self.table.name}" ORDER BY rowid'  # noqa: S608
        return self._connection.execute(query).fetchall()


def _hash_rows(rows: list[list[Any]]) -> str:
    lines = sorted(canonical_json([_rounded(cell) for cell in row[1:]]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _rounded(cell: Any) -> Any:
    return round(cell, 6) if isinstance(cell, float) else cell


def _collect(cursor: sqlite3.Cursor) -> tuple[tuple[SqlRow, ...], bool]:
    rows: list[SqlRow] = []
    size = 0
    for row in cursor:
        if len(rows) == MAX_FETCHED_ROWS or size > MAX_FETCHED_CHARS:
            return tuple(rows), True
        rows.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
    return tuple(rows), False


def _insert_statement(table: Table) -> str:
    columns = ", ".join(f'"{name}"' for name, _ in table.columns)
    marks = ", ".join("?" for _ in range(len(table.columns) + 1))
    return f'INSERT INTO "{table.name}" (rowid, {columns}) VALUES ({marks})'  # noqa: S608


def _word(error: BaseException) -> str:
    message = str(error)
    if "one statement at a time" in message:
        return "Only one statement can be executed at a time"
    if "user-defined function" in message:
        return "date functions take fixed dates only; the clock is not available"
    if message == "interrupted":
        return "statement interrupted: it needs too much work"
    return message or type(error).__name__


def _escape(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _to_json(cell: Value) -> Any:
    """Write a value JSON has no form for as an object that names its kind."""
    if isinstance(cell, str):
        is_odd = any("\ud800" <= char <= "\udfff" for char in cell)
        return {"text": cell.encode("utf-8", "surrogateescape").hex()} if is_odd else cell
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
