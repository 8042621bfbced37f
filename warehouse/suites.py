"""Great Expectations suites made from the columns, and how a batch is validated with them.

A batch is validated with folded columns first (`folding.py`), and with the expectations of each
column when that fails, to tell which of them is broken. The library takes seconds to import, so it
is imported on first use; context, suites and batch definitions are kept while the process lives.
"""

# pyright: reportPrivateImportUsage=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# (the library's public names carry incomplete types)
from __future__ import annotations

import json
import logging
import os
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from schemas.ids import canonical_json
from schemas.tables import TABLES, Table
from warehouse.columns import Bound, Column, columns_of
from warehouse.folding import FIRST_MISSING, TEXTS, first_missing, fold, folding_of
from warehouse.quality_library import import_library

if TYPE_CHECKING:
    import great_expectations as gx
    from great_expectations.expectations import Expectation

MAX_ROWS = 100_000
"""Most rows one validation sees."""
MAX_KEYS = 20
_CHATTY = "great_expectations.data_context.types.base"


@dataclass(frozen=True)
class SuiteResult:
    """What a suite said about one batch of a table."""

    rows: int
    failing: int
    failing_keys: str
    expectations: tuple[str, ...]

    @property
    def success(self) -> bool:
        """Whether every expectation held."""
        return not self.expectations


def validate(table: Table, frame: pl.DataFrame) -> list[SuiteResult]:
    """Validate the new rows of a table, at most `MAX_ROWS` in one validation."""
    return [
        _validate_chunk(table, frame.slice(start, MAX_ROWS))
        for start in range(0, frame.height, MAX_ROWS)
    ]


def _validate_chunk(table: Table, frame: pl.DataFrame) -> SuiteResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch = _batch(table, fold(table, frame))
        if batch.validate(_folded_suite(table.name), result_format="BOOLEAN_ONLY").success:
            return SuiteResult(frame.height, 0, "[]", ())
        wanted = {"result_format": "COMPLETE", "unexpected_index_column_names": list(table.key)}
        batch = _batch(table, _checked_frame(table, frame))
        result = batch.validate(_suite(table.name), result_format=cast("Any", wanted))
    return _failure(frame.height, cast("dict[str, Any]", result.to_json_dict()))


def _batch(table: Table, frame: pl.DataFrame) -> Any:
    parameters = {"dataframe": frame.to_pandas()}
    return _batch_definition(table.name).get_batch(batch_parameters=parameters)


def _checked_frame(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns that the expectations of each column look at."""
    return frame.select(*_checked_names(table)[:-1], first_missing(table))


def _checked_names(table: Table) -> list[str]:
    constrained = [column.name for column in columns_of(table) if column.is_constrained]
    return [*dict.fromkeys([*table.key, *constrained]), FIRST_MISSING]


def _failure(rows: int, result: dict[str, Any]) -> SuiteResult:
    names: list[str] = []
    keys: dict[str, None] = {}
    failing = 0
    for part in result["results"]:
        if part["success"]:
            continue
        config, found = part["expectation_config"], part["result"]
        names.append(f"{config['type']} {config['kwargs'].get('column', '')}".strip())
        failing = max(failing, int(found.get("unexpected_count") or 1))
        for entry in found.get("unexpected_index_list") or ():
            keys[canonical_json(json.loads(json.dumps(entry, default=str)))] = None
    shown = [json.loads(key) for key in list(keys)[:MAX_KEYS]]
    return SuiteResult(rows, failing, canonical_json(shown), tuple(names))


def warm_up() -> None:
    """Import the library and prepare all suites now rather than at the first validation."""
    for name, table in TABLES.items():
        if table.in_digest:
            _batch_definition(name)
            _folded_suite(name)


@cache
def _context() -> gx.data_context.EphemeralDataContext:
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    library = import_library()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # This module of it sets its own level, past the one that whoever shows logs has chosen.
        logging.getLogger(_CHATTY).setLevel(logging.WARNING)
        context = library.get_context(mode="ephemeral")
    context.variables.progress_bars = cast("Any", {"globally": False})
    return context


@cache
def _batch_definition(table_name: str) -> Any:
    source = _context().data_sources.add_or_update_pandas(table_name)
    return source.add_dataframe_asset(table_name).add_batch_definition_whole_dataframe("batch")


@cache
def _suite(table_name: str) -> gx.ExpectationSuite:
    return _named_suite(table_name, expectations_of(TABLES[table_name]))


@cache
def _folded_suite(table_name: str) -> gx.ExpectationSuite:
    return _named_suite(f"{table_name}_folded", folded_expectations_of(TABLES[table_name]))


def _named_suite(name: str, expectations: list[Expectation]) -> gx.ExpectationSuite:
    _context()
    return import_library().ExpectationSuite(name=name, expectations=cast("Any", expectations))


def expectations_of(table: Table) -> list[Expectation]:
    """Expectations of a table: its columns, its key, required values, each column's constraints.

    That required columns hold a value is one expectation over a derived column, which names the
    first that does not.
    """
    found = _expectations_of_rows(table, _checked_names(table))
    for column in columns_of(table):
        found.extend(_expectations_of_column(column))
    return found


def folded_expectations_of(table: Table) -> list[Expectation]:
    """Expectations of a table's folded columns, which hold exactly if those of all columns do."""
    gxe = import_library().expectations

    folding = folding_of(table)
    found = _expectations_of_rows(table, [*table.key, *folding.names])
    if folding.texts:
        found.append(gxe.ExpectColumnValuesToMatchRegex(column=TEXTS, regex=folding.pattern))
    found.extend(
        gxe.ExpectColumnValuesToBeBetween(column=folded.name, **_limits((folded.bound,)))
        for folded in folding.bounds
    )
    found.extend(gxe.ExpectColumnValuesToBeJsonParseable(column=name) for name in folding.json)
    return found


def _expectations_of_rows(table: Table, columns: list[str]) -> list[Expectation]:
    gxe = import_library().expectations

    found: list[Expectation] = [
        gxe.ExpectTableColumnsToMatchOrderedList(column_list=columns),
        gxe.ExpectColumnValuesToBeNull(column=FIRST_MISSING),
    ]
    if len(table.key) == 1:
        found.append(gxe.ExpectColumnValuesToBeUnique(column=table.key[0]))
    else:
        found.append(gxe.ExpectCompoundColumnsToBeUnique(column_list=list(table.key)))
    return found


def _expectations_of_column(column: Column) -> list[Expectation]:
    gxe = import_library().expectations

    found: list[Expectation] = []
    if column.allowed:
        found.append(
            gxe.ExpectColumnValuesToBeInSet(column=column.name, value_set=list(column.allowed))
        )
    if column.pattern is not None:
        found.append(gxe.ExpectColumnValuesToMatchRegex(column=column.name, regex=column.pattern))
    if column.bounds:
        found.append(
            gxe.ExpectColumnValuesToBeBetween(column=column.name, **_limits(column.bounds))
        )
    if column.is_json:
        found.append(gxe.ExpectColumnValuesToBeJsonParseable(column=column.name))
    return found


def _limits(bounds: tuple[Bound, ...]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for bound in bounds:
        side = "min" if bound.operator in (">=", ">") else "max"
        limits[f"{side}_value"] = bound.value
        limits[f"strict_{side}"] = bound.operator in (">", "<")
    return limits
