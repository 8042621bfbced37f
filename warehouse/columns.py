"""Derive the columns of a table from its row model: type, nullability, meaning, constraints.

DDL, Parquet schema, Great Expectations suites, the screening of rows and the data dictionary
are all made from what this module returns.
"""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import polars as pl
from annotated_types import Ge, Gt, Le, Lt
from pydantic import StringConstraints
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from schemas.fields import JsonColumn, Row, is_volatile
from schemas.tables import Table

Kind = Literal["text", "integer", "number", "boolean", "timestamp"]

_KIND_OF_TYPE: Mapping[type, Kind] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime: "timestamp",
}
_SQL_TYPE: Mapping[Kind, str] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
    "timestamp": "TIMESTAMP",
}
_POLARS_TYPE: Mapping[Kind, pl.DataType] = {
    "text": pl.String(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "boolean": pl.Boolean(),
    "timestamp": pl.Datetime("us"),
}


@dataclass(frozen=True)
class Bound:
    """A limit on a number."""

    operator: Literal[">=", ">", "<=", "<"]
    value: float


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        comment: meaning and unit, from the string under the field.
        allowed: the closed set of values; empty when the set is open.
        bounds: limits on a number.
        pattern: regular expression the whole text matches.
        is_json: whether the text is canonical JSON.
        has_default: whether rows landed before the column existed can be filled.
        default: the value to fill them with.
    """

    name: str
    kind: Kind
    nullable: bool
    comment: str
    allowed: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()
    pattern: str | None = None
    is_json: bool = False
    has_default: bool = False
    default: str | float | bool | None = None

    @property
    def sql_type(self) -> str:
        """Type in DuckDB. Times are stored in UTC without a zone: no ICU extension is needed."""
        return _SQL_TYPE[self.kind]

    @property
    def polars_type(self) -> pl.DataType:
        """Type in frames and Parquet segments."""
        return _POLARS_TYPE[self.kind]

    @property
    def is_constrained(self) -> bool:
        """Whether values must meet more than a type."""
        return bool(self.allowed or self.bounds or self.pattern or self.is_json)

    @property
    def is_volatile(self) -> bool:
        """Whether the column stays outside content hashes and equality checks."""
        return is_volatile(self.name)


@cache
def columns_of(table: Table) -> tuple[Column, ...]:
    """Columns of a table in the order of its row model."""
    hints = get_type_hints(table.row, include_extras=True)
    return tuple(
        _column(table.row, name, hints[name], field)
        for name, field in table.row.model_fields.items()
    )


def frame_schema(table: Table) -> dict[str, pl.DataType]:
    """Schema of the table's frames and Parquet segments."""
    return {column.name: column.polars_type for column in columns_of(table)}


def stable_columns(table: Table) -> tuple[Column, ...]:
    """Columns that two runs of the same work must agree on."""
    return tuple(column for column in columns_of(table) if not column.is_volatile)


def to_storage(value: object) -> object:
    """Turn a value of a row into the value that is stored: times lose their zone, in UTC."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    return value


def from_storage(value: object) -> object:
    """Turn a stored value into the value a row model expects: times are UTC."""
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def _column(row: type[Row], name: str, hint: Any, field: FieldInfo) -> Column:
    base, marks, nullable = _unwrap(hint)
    has_default = field.default is not PydanticUndefined
    if get_origin(base) is Literal:
        kind, allowed = "text", tuple(str(value) for value in get_args(base))
    elif base in _KIND_OF_TYPE:
        kind, allowed = _KIND_OF_TYPE[base], ()
    else:
        message = f"{row.__name__}.{name}: no column type for {base!r}"
        raise TypeError(message)
    return Column(
        name=name,
        kind=kind,
        nullable=nullable,
        comment=" ".join((field.description or "").split()),
        allowed=allowed,
        bounds=tuple(_bounds(marks)),
        pattern=_pattern(marks),
        is_json=any(m is JsonColumn or isinstance(m, JsonColumn) for m in marks),
        has_default=has_default or nullable,
        default=field.default if has_default else None,
    )


def _unwrap(hint: Any) -> tuple[Any, list[Any], bool]:
    """Split a type hint into the bare type, its annotations, and whether it may be null."""
    marks: list[Any] = []
    nullable = False
    while True:
        origin = get_origin(hint)
        if origin is Annotated:
            hint, *found = get_args(hint)
            marks.extend(found)
        elif origin in (Union, types.UnionType):
            options = [option for option in get_args(hint) if option is not type(None)]
            nullable = nullable or len(options) < len(get_args(hint))
            if len(options) != 1:
                return hint, marks, nullable
            hint = options[0]
        else:
            return hint, marks, nullable


def _pattern(marks: list[Any]) -> str | None:
    found = [mark.pattern for mark in marks if isinstance(mark, StringConstraints)]
    return str(found[0]) if found and found[0] is not None else None


def _bounds(marks: list[Any]) -> Iterator[Bound]:
    for mark in marks:
        parts = mark.metadata if isinstance(mark, FieldInfo) else [mark]
        for part in parts:
            if isinstance(part, Ge):
                yield Bound(">=", cast("float", part.ge))
            elif isinstance(part, Gt):
                yield Bound(">", cast("float", part.gt))
            elif isinstance(part, Le):
                yield Bound("<=", cast("float", part.le))
            elif isinstance(part, Lt):
                yield Bound("<", cast("float", part.lt))
