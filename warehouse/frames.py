"""Turn rows into a frame of their table; rows that do not fit become quarantine rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl

from schemas.fields import Row
from schemas.ids import canonical_json, make_id
from schemas.runs import QuarantineRow
from schemas.tables import Table
from warehouse.columns import Column, columns_of, to_storage
from warehouse.text import clean_json, clean_text

MAX_QUARANTINED_TEXT = 500
_BAD_VALUE = (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError)


@dataclass(frozen=True)
class BuiltFrame:
    """A frame, the rows that did not fit, and how many texts had to be cleaned."""

    frame: pl.DataFrame
    refused: tuple[QuarantineRow, ...]
    replaced: int


@dataclass
class _Cleaning:
    """Counts the texts in which characters were replaced."""

    replaced: int = 0
    refused: dict[int, str] = field(default_factory=dict[int, str])


def frame_of_rows(table: Table, rows: Sequence[Row], *, place: str) -> BuiltFrame:
    """Build the frame of a table from rows; values are checked for type and nullability only."""
    state = _Cleaning()
    series = [_series(column, rows, state) for column in columns_of(table)]
    if state.refused:
        kept = [row for position, row in enumerate(rows) if position not in state.refused]
        rebuilt = frame_of_rows(table, kept, place=place)
        refused = tuple(
            quarantined(table, rows[position], f"{place}:{position}", reason)
            for position, reason in sorted(state.refused.items())
        )
        return BuiltFrame(rebuilt.frame, refused, rebuilt.replaced)
    return BuiltFrame(pl.DataFrame(series), (), state.replaced)


def bytes_of(frames: Iterable[pl.DataFrame]) -> int:
    """Size of frames in memory; about what they take on disk at most."""
    return sum(int(frame.estimated_size()) for frame in frames)


def quarantined(table: Table, row: Row, place: str, reason: str) -> QuarantineRow:
    """Describe a row that was refused; long values are cut."""
    values = {name: getattr(row, name, None) for name in table.columns}
    return quarantine_row(table.name, values, place, reason)


def quarantine_row(
    table_name: str, values: Mapping[str, object], place: str, reason: str
) -> QuarantineRow:
    """Describe refused values of a table; long values are cut."""
    content = canonical_json({name: _bounded(value) for name, value in values.items()})
    return QuarantineRow(
        quarantine_id=make_id("quar", [table_name, place, reason, content]),
        table_name=table_name,
        place=place,
        reason=reason,
        content=content,
        created_at=datetime.now(UTC),
    )


def _series(column: Column, rows: Sequence[Row], state: _Cleaning) -> pl.Series:
    values = [to_storage(getattr(row, column.name, None)) for row in rows]
    if column.kind == "text":
        values = [_cleaned(column, value, state) for value in values]
    try:
        series = pl.Series(column.name, values, dtype=column.polars_type, strict=True)
    except _BAD_VALUE:
        series = None
    if series is None or (series.null_count() and not column.nullable):
        _refuse_misfits(column, values, state)
        return pl.Series(column.name, [None] * len(rows), dtype=column.polars_type)
    return series


def _cleaned(column: Column, value: object, state: _Cleaning) -> object:
    if not isinstance(value, str):
        return value
    clean = clean_json(value) if column.is_json else clean_text(value)
    if clean != value:
        state.replaced += 1
    return clean


def _refuse_misfits(column: Column, values: list[object], state: _Cleaning) -> None:
    for position, value in enumerate(values):
        if value is None:
            if not column.nullable:
                state.refused.setdefault(position, f"{column.name}: a value is required")
            continue
        try:
            pl.Series([value], dtype=column.polars_type, strict=True)
        except _BAD_VALUE:
            kind = type(value).__name__
            state.refused.setdefault(position, f"{column.name}: {kind} is not a {column.kind}")


def _bounded(value: object) -> object:
    if isinstance(value, str):
        text = clean_text(value)
        return text if len(text) <= MAX_QUARANTINED_TEXT else text[:MAX_QUARANTINED_TEXT] + "…"
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return clean_text(repr(value))[:MAX_QUARANTINED_TEXT]
    return value
