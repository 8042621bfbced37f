"""Take one batch of segments into an open transaction: screen, insert, validate, record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb
import polars as pl

from schemas.errors import DataContractError
from schemas.fields import Row
from schemas.ids import canonical_json, make_id
from schemas.runs import QuarantineRow, ValidationResultRow
from schemas.tables import TABLE_OF_ROW, TABLES, Table
from warehouse import suites
from warehouse.checks import CrossResult, run_checks
from warehouse.database import registered
from warehouse.ddl import column_list
from warehouse.frames import frame_of_rows
from warehouse.screen import Screened, screen_rows

SegmentFrames = Mapping[str, Mapping[str, pl.DataFrame]]
"""Frames by segment and table."""
_INSERTED = "inserted_rows"


@dataclass(frozen=True)
class Outcome:
    """What became of a batch, before it is committed.

    Attributes:
        batch_id: hash of the names of the segments.
        rows: new rows per table.
        results: results of suites and cross-table rules.
        details: what failed, by check, in words.
        refused: rows for the quarantine.
        validations: validations Great Expectations ran.
    """

    batch_id: str
    rows: dict[str, int]
    results: tuple[ValidationResultRow, ...]
    details: dict[str, str]
    refused: tuple[QuarantineRow, ...]
    validations: int

    @property
    def failures(self) -> tuple[ValidationResultRow, ...]:
        """Checks that forbid the batch."""
        return tuple(row for row in self.results if not row.success and row.severity == "error")

    def error(self) -> DataContractError:
        """The first failure, as the stage that landed the rows should see it."""
        worst = self.failures[0]
        others = len(self.failures) - 1
        what = f"{worst.failing} rows of {worst.table_name} break {worst.check_name}"
        if detail := self.details.get(worst.check_name):
            what += f" ({detail})"
        what += f", for example {worst.failing_keys[:200]}"
        what += f"; {others} more checks failed" if others else ""
        return DataContractError(
            what,
            table=worst.table_name,
            failed=worst.failing,
            example=worst.failing_keys,
            hint="nothing was stored; the segment is in landing/failed and the results in "
            f"validation_results under {rejected_id(worst.batch_id)}",
        )


def rejected_id(batch_id: str) -> str:
    """Id under which the results of a batch that was rolled back are recorded."""
    return make_id("batch", ["rejected", batch_id])


def take_in(connection: duckdb.DuckDBPyConnection, segments: SegmentFrames) -> Outcome:
    """Insert the new rows of a batch and check them. The caller commits or rolls back."""
    batch_id = make_id("batch", sorted(segments))
    screened = [
        screen_rows(connection, table, *_joined(table, segments))
        for table in TABLES.values()
        if any(table.name in frames for frames in segments.values())
    ]
    new = [part for part in screened if part.new.height]
    for part in new:
        _insert(connection, part.table, part.new)
    _note_trajectories(connection, new)
    now = datetime.now(UTC)
    details: dict[str, str] = {}
    results = [*_suite_results(batch_id, new, now, details)]
    validations = len(results)
    counts = {part.table.name: part.new.height for part in new}
    for found in run_checks(connection, frozenset(counts)):
        results.append(_cross_row(batch_id, found, counts, now))
    refused = tuple(row for part in screened for row in part.refused)
    insert_rows(connection, [*results, *refused])
    return Outcome(batch_id, counts, tuple(results), details, refused, validations)


def insert_rows(connection: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
    """Insert rows of our own making; a row that is already stored stays as it is."""
    for row_type in dict.fromkeys(type(row) for row in rows):
        table = TABLE_OF_ROW[row_type]
        members = [row for row in rows if type(row) is row_type]
        _insert(connection, table, frame_of_rows(table, members, place="ingest").frame)


def _joined(table: Table, segments: SegmentFrames) -> tuple[pl.DataFrame, pl.Series]:
    """Rows of a table over all segments, in the order of their names, and where each is from."""
    frames: list[pl.DataFrame] = []
    places: list[pl.Series] = []
    for segment in sorted(segments):
        frame = segments[segment].get(table.name)
        if frame is not None:
            frames.append(frame)
            position = pl.int_range(frame.height, eager=True).cast(pl.String)
            places.append(pl.select(pl.lit(f"{segment}:") + position).to_series().alias("place"))
    return pl.concat(frames), pl.concat(places)


def _insert(connection: duckdb.DuckDBPyConnection, table: Table, frame: pl.DataFrame) -> None:
    columns = column_list(table.columns)
    with registered(connection, _INSERTED, frame):
        connection.execute(
            f"INSERT INTO {table.name} ({columns}) "  # noqa: S608
            f"SELECT {columns} FROM {_INSERTED} ON CONFLICT DO NOTHING"
        )


def _note_trajectories(connection: duckdb.DuckDBPyConnection, new: Sequence[Screened]) -> None:
    """Fill the temporary table that cross-table rules look at."""
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE batch_trajectories (trajectory_id VARCHAR PRIMARY KEY)"
    )
    for part in new:
        if "trajectory_id" in part.new.columns:
            with registered(connection, _INSERTED, part.new.select("trajectory_id").unique()):
                connection.execute(
                    "INSERT INTO batch_trajectories SELECT trajectory_id FROM inserted_rows "
                    "ON CONFLICT DO NOTHING"
                )


def _suite_results(
    batch_id: str, new: Sequence[Screened], now: datetime, details: dict[str, str]
) -> list[ValidationResultRow]:
    rows: list[ValidationResultRow] = []
    for part in new:
        if not part.table.in_digest:
            continue  # bookkeeping: screened against its row model, and written by ourselves
        for number, found in enumerate(suites.validate(part.table, part.new)):
            name = f"suite_{part.table.name}" + (f"_{number}" if number else "")
            if not found.success:
                details[name] = ", ".join(found.expectations)
            rows.append(
                ValidationResultRow(
                    batch_id=batch_id,
                    table_name=part.table.name,
                    check_name=name,
                    kind="suite",
                    severity="error",
                    success=found.success,
                    rows=found.rows,
                    failing=found.failing,
                    failing_keys=found.failing_keys,
                    created_at=now,
                )
            )
    return rows


def _cross_row(
    batch_id: str, found: CrossResult, counts: Mapping[str, int], now: datetime
) -> ValidationResultRow:
    return ValidationResultRow(
        batch_id=batch_id,
        table_name=",".join(found.check.tables),
        check_name=found.check.name,
        kind="cross_table",
        severity=found.check.severity,
        success=not found.failing,
        rows=sum(counts.get(name, 0) for name in found.check.tables),
        failing=len(found.failing),
        failing_keys=canonical_json(list(found.failing[: suites.MAX_KEYS])),
        created_at=now,
    )
