"""Sort the rows of a batch: new, already known, in conflict, or against their row model.

The conditions are SQL expressions made from the columns, so a million rows take seconds.
"""

from dataclasses import dataclass

import duckdb
import polars as pl

from schemas.runs import QuarantineRow
from schemas.tables import Table
from warehouse.columns import Column, columns_of, from_storage, stable_columns
from warehouse.database import registered
from warehouse.ddl import column_list, literal, quoted
from warehouse.frames import quarantine_row

CONFLICT = "conflicting_row: another row with this key is stored and stays"
_INCOMING = "incoming_rows"


@dataclass(frozen=True)
class Screened:
    """The new rows of one table, and those that were refused."""

    table: Table
    new: pl.DataFrame
    refused: tuple[QuarantineRow, ...]


def screen_rows(
    connection: duckdb.DuckDBPyConnection, table: Table, frame: pl.DataFrame, places: pl.Series
) -> Screened:
    """Find the rows to insert.

    Args:
        connection: the live warehouse.
        table: table of the rows.
        frame: the rows.
        places: where each row came from, for the quarantine.
    """
    numbered = frame.with_row_index("_ordinal")
    with registered(connection, _INCOMING, numbered):
        sorted_out = connection.execute(_statement(table)).fetchall()
    refused = tuple(
        _quarantine(table, frame, places, int(ordinal), str(reason))
        for ordinal, reason in sorted_out
        if reason is not None
    )
    dropped = pl.Series([ordinal for ordinal, _ in sorted_out], dtype=pl.UInt32)
    new = numbered.filter(~pl.col("_ordinal").is_in(dropped.implode())).drop("_ordinal")
    return Screened(table, new, refused)


def violation_of(column: Column) -> str:
    """SQL that gives the reason why a value breaks its column, or NULL."""
    name = quoted(column.name)
    cases = [] if column.nullable else [(f"{name} IS NULL", "a value is required")]
    if column.allowed:
        options = ", ".join(literal(value) for value in column.allowed)
        cases.append((f"{name} NOT IN ({options})", f"not one of {', '.join(column.allowed)}"))
    if column.pattern is not None:
        cases.append(
            (
                f"NOT regexp_matches({name}, {literal(column.pattern)})",
                f"does not match {column.pattern}",
            )
        )
    if column.kind == "number":
        cases.append((f"NOT isfinite({name})", "not a finite number"))
    for bound in column.bounds:
        outside = f"NOT ({name} {bound.operator} {bound.value!r})"
        cases.append((outside, f"not {bound.operator} {bound.value:g}"))
    if column.is_json:
        cases.append((f"NOT json_valid({name})", "not valid JSON"))
    if not cases:
        return "NULL"
    whens = " ".join(
        f"WHEN {condition} THEN {literal(f'{column.name}: {reason}')}"
        for condition, reason in cases
    )
    return f"CASE {whens} END"


def _statement(table: Table) -> str:
    """SQL that lists the rows not to insert: ordinal, and the reason when one is refused."""
    violations = ", ".join(violation_of(column) for column in columns_of(table))
    compared = tuple(c.name for c in stable_columns(table) if c.name not in table.key)
    key = column_list(table.key)
    fingerprint = f"hash({column_list(compared)})" if compared else "0"
    differs = (
        " OR ".join(f"i.{quoted(name)} IS DISTINCT FROM l.{quoted(name)}" for name in compared)
        or "FALSE"
    )
    joined = " AND ".join(f"i.{quoted(name)} = l.{quoted(name)}" for name in table.key)
    conflict = literal(CONFLICT)
    # The names come from the row models, never from data.
    return f"""
WITH checked AS (SELECT *, coalesce({violations}, NULL) AS _reason FROM {_INCOMING}),
ranked AS (
    SELECT *,
        {fingerprint} AS _content,
        row_number() OVER by_key AS _rank,
        first_value({fingerprint}) OVER by_key AS _first
    FROM checked
    WHERE _reason IS NULL
    WINDOW by_key AS (PARTITION BY {key} ORDER BY _ordinal)
)
SELECT _ordinal, _reason FROM checked WHERE _reason IS NOT NULL
UNION ALL
SELECT i._ordinal,
    CASE
        WHEN l.{quoted(table.key[0])} IS NOT NULL AND ({differs}) THEN {conflict}
        WHEN l.{quoted(table.key[0])} IS NULL AND i._content <> i._first THEN {conflict}
    END
FROM ranked AS i LEFT JOIN {table.name} AS l ON {joined}
WHERE l.{quoted(table.key[0])} IS NOT NULL OR i._rank > 1
ORDER BY ALL
"""  # noqa: S608


def _quarantine(
    table: Table, frame: pl.DataFrame, places: pl.Series, ordinal: int, reason: str
) -> QuarantineRow:
    values = {name: from_storage(value) for name, value in frame.row(ordinal, named=True).items()}
    return quarantine_row(table.name, values, str(places[ordinal]), reason)
