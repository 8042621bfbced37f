"""The columns a batch is looked at first: one for each kind of constraint, not for each column.

Great Expectations takes about 7 ms for an expectation, however few rows there are. So columns that
obey limits are folded into their least or greatest value, and texts that obey a set of values or a
pattern into one text that obeys one pattern. The folded columns hold their expectations exactly if
the columns hold theirs; which of them is broken is found out column by column, when there is need.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import polars as pl

from schemas.tables import Table
from warehouse.columns import Bound, Column, columns_of

FIRST_MISSING = "first_missing"
"""The first required column without a value, null when the row is complete."""
TEXTS = "texts"
"""All texts that obey a set of values or a pattern: `=` before each, `-` for null."""
_BETWEEN = "\x1f"
_NULL = "-"


@dataclass(frozen=True)
class FoldedBound:
    """A limit that several columns share, and the column that stands for them."""

    name: str
    bound: Bound
    columns: tuple[str, ...]

    @property
    def value(self) -> pl.Expr:
        """The value of a row that comes nearest to breaking the limit."""
        is_lower = self.bound.operator in (">=", ">")
        fold = pl.min_horizontal if is_lower else pl.max_horizontal
        return fold([pl.col(name) for name in self.columns]).alias(self.name)


@dataclass(frozen=True)
class Folding:
    """How the columns of a table are folded.

    Attributes:
        texts: columns in `TEXTS`, in order.
        pattern: what `TEXTS` matches; empty when there are no such columns.
        bounds: folded limits.
        json: columns that hold JSON; they are looked at one by one.
    """

    texts: tuple[str, ...]
    pattern: str
    bounds: tuple[FoldedBound, ...]
    json: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns beside the key."""
        texts = (TEXTS,) if self.texts else ()
        return (*texts, *(fold.name for fold in self.bounds), *self.json, FIRST_MISSING)


@cache
def folding_of(table: Table) -> Folding:
    """How the columns of a table are folded."""
    columns = columns_of(table)
    texts = [column for column in columns if column.allowed or column.pattern is not None]
    return Folding(
        texts=tuple(column.name for column in texts),
        pattern=_joint_pattern(texts),
        bounds=tuple(_folded_bounds(columns)),
        json=tuple(column.name for column in columns if column.is_json),
    )


def fold(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Key, folded columns and JSON columns of the rows of a table."""
    folding = folding_of(table)
    made = [bound.value for bound in folding.bounds]
    if folding.texts:
        parts = [_marked(name) for name in folding.texts]
        made.append(pl.concat_str(parts, separator=_BETWEEN).alias(TEXTS))
    made.append(first_missing(table))
    return frame.select(*table.key, *folding.json, *made).select(*table.key, *folding.names)


def first_missing(table: Table) -> pl.Expr:
    """The derived column `FIRST_MISSING`."""
    required = [column.name for column in columns_of(table) if not column.nullable]
    cases = [pl.when(pl.col(name).is_null()).then(pl.lit(name)) for name in required]
    return pl.coalesce(cases).alias(FIRST_MISSING)


def _marked(name: str) -> pl.Expr:
    """A text so that null is told from every text."""
    value = pl.concat_str([pl.lit("="), pl.col(name)])
    return pl.when(pl.col(name).is_null()).then(pl.lit(_NULL)).otherwise(value)


def _joint_pattern(columns: list[Column]) -> str:
    parts = [f"(?:{_NULL}|={_pattern(column)})" for column in columns]
    return rf"\A{_BETWEEN.join(parts)}\Z" if parts else ""


def _pattern(column: Column) -> str:
    """Pattern of one text; it never reaches over the mark between two."""
    if column.allowed and column.pattern is None:
        return f"(?:{'|'.join(map(re.escape, column.allowed))})"
    pattern = column.pattern or ""
    if column.allowed or not (pattern.startswith("^") and pattern.endswith("$")):
        message = f"{column.name}: only a set of values, or a pattern from ^ to $, can be folded"
        raise ValueError(message)
    return f"(?:{pattern[1:-1]})"


def _folded_bounds(columns: tuple[Column, ...]) -> Iterator[FoldedBound]:
    sharing: dict[Bound, list[str]] = {}
    for column in columns:
        for bound in column.bounds:
            sharing.setdefault(bound, []).append(column.name)
    for number, (bound, names) in enumerate(sharing.items()):
        yield FoldedBound(f"limit_{number}", bound, tuple(names))
