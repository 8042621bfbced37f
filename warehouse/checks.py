"""Cross-table rules: each an SQL query that lists what breaks it among the rows of a batch.

The queries see the temporary table `batch_trajectories` (trajectories the batch touches) and, per
table with new rows, nothing else than the live tables, in which the batch already stands. Each
returns one text column: the keys of what is wrong.
"""

from dataclasses import dataclass
from typing import Literal

import duckdb

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class CrossCheck:
    """One rule over several tables.

    Attributes:
        name: name in `validation_results`.
        tables: tables it reads; it runs when one of them has new rows.
        severity: whether a failure fails the stage.
        query: lists the keys of what breaks the rule.
    """

    name: str
    tables: tuple[str, ...]
    severity: Severity
    query: str


@dataclass(frozen=True)
class CrossResult:
    """What a cross-table rule found."""

    check: CrossCheck
    failing: tuple[str, ...]


def run_checks(connection: duckdb.DuckDBPyConnection, touched: frozenset[str]) -> list[CrossResult]:
    """Run every rule that reads a table with new rows."""
    return [
        CrossResult(check, tuple(str(row[0]) for row in connection.execute(check.query).fetchall()))
        for check in CHECKS
        if touched.intersection(check.tables)
    ]


CHECKS: tuple[CrossCheck, ...] = ()
