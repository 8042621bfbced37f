"""One digest per table over everything that two runs of the same work must agree on.

Each stable column is hashed in key order as two streams, the lengths of its values and their bytes,
so neither the batches a table is read in nor the platform shows in the result.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Protocol

import polars as pl

from schemas.tables import TABLES, Table
from warehouse.columns import Column, stable_columns
from warehouse.ddl import column_list
from warehouse.reader import Reader

_NULL_LENGTH = -1
_BATCH_ROWS = 50_000


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


@dataclass
class _ColumnHash:
    """Hashes of one column so far."""

    lengths: _Hash = field(default_factory=hashlib.sha256)
    values: _Hash = field(default_factory=hashlib.sha256)

    def add(self, column: Column, series: pl.Series) -> None:
        """Add the next values of the column."""
        if column.kind == "text":
            sizes = series.str.len_bytes().cast(pl.Int64).fill_null(_NULL_LENGTH)
            self.lengths.update(_numbers(sizes, pl.Int64()))
            self.values.update("".join(series.drop_nulls()).encode())
        else:
            present = series.is_not_null().cast(pl.Int64)
            self.lengths.update(_numbers(present, pl.Int64()))
            dtype = pl.Float64() if column.kind == "number" else pl.Int64()
            self.values.update(_numbers(series.drop_nulls(), dtype))


def table_digests(reader: Reader) -> dict[str, str]:
    """Digest of every table that counts, by name."""
    return {table.name: table_digest(reader, table) for table in TABLES.values() if table.in_digest}


def table_digest(reader: Reader, table: Table) -> str:
    """Digest of one table over its stable columns, rows in the order of the key."""
    columns = stable_columns(table)
    hashes = {column.name: _ColumnHash() for column in columns}
    names = tuple(column.name for column in columns)
    statement = (
        f"SELECT {column_list(names)} FROM {table.name} "  # noqa: S608
        f"ORDER BY {column_list(table.key)}"
    )
    for frame in reader.batches(statement, rows=_BATCH_ROWS):
        for column in columns:
            hashes[column.name].add(column, frame[column.name])
    total = hashlib.sha256()
    for name, parts in hashes.items():
        total.update(f"{name} {parts.lengths.hexdigest()} {parts.values.hexdigest()}\n".encode())
    return total.hexdigest()


def _numbers(series: pl.Series, dtype: pl.DataType) -> bytes:
    """Numbers as 8 bytes each, little end first; NaN and zero in one form."""
    numbers = series.cast(dtype)
    if dtype == pl.Float64():
        return (numbers.fill_nan(float("nan")).to_numpy() + 0.0).astype("<f8").tobytes()
    return numbers.to_numpy().astype("<i8").tobytes()
