"""Rows that belong together but stand apart in a file: kept on disk until their group is whole."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from types import TracebackType

from tasks.importers.decoding import JsonValue


@dataclass(frozen=True)
class SpooledRow:
    """A row as it was put in.

    Attributes:
        index: position of its element in the file.
        place: where that stands, for people.
    """

    index: int
    place: str
    value: JsonValue


@dataclass(frozen=True)
class Group:
    """Rows with one key, in the order of the file; `first` says where the group begins."""

    key: str
    rows: tuple[SpooledRow, ...]

    @property
    def first(self) -> SpooledRow:
        """The row that came first."""
        return self.rows[0]


class Spool:
    """Groups rows in a temporary file of its own, which goes when it is left."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("")
        self._file.execute(
            "CREATE TABLE rows "
            "(number INTEGER PRIMARY KEY, key TEXT, at INT, place TEXT, value TEXT)"
        )
        self._file.execute("CREATE INDEX by_key ON rows (key, number)")

    def __enter__(self) -> "Spool":
        """Use it in a `with`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Forget everything."""
        self._file.close()

    def put(self, key: str, row: SpooledRow) -> None:
        """Add a row to a group."""
        values = (key, row.index, row.place, json.dumps(row.value))
        self._file.execute("INSERT INTO rows (key, at, place, value) VALUES (?, ?, ?, ?)", values)

    def groups(self) -> Iterator[Group]:
        """Groups in the order of their first rows; one is held at a time."""
        found = self._file.execute(
            "SELECT r.key, r.at, r.place, r.value FROM rows AS r "
            "JOIN (SELECT key, min(number) AS first FROM rows GROUP BY key) AS g USING (key) "
            "ORDER BY g.first, r.number"
        )
        for key, rows in groupby(found, key=lambda row: row[0]):
            made = (SpooledRow(at, place, json.loads(value)) for _, at, place, value in rows)
            yield Group(key, tuple(made))
