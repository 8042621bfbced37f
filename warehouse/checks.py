"""Cross-table rules: each an SQL file that lists what breaks it among the rows of a batch.

The first line of a file says `-- SEVERITY on TABLES`: the rule runs when one of the tables has new
rows. The next comment lines say what must hold. The query returns one text column, the keys of what
is wrong. It sees the live tables, in which the batch already stands, and the temporary table
`batch_trajectories`, which names the trajectories of the new rows.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import duckdb

Severity = Literal["error", "warning"]

_FOLDER = Path(__file__).parent / "rules"
_HEADER = re.compile(r"-- (?P<severity>error|warning) on (?P<tables>[a-z_]+(?:, [a-z_]+)*)")


@dataclass(frozen=True)
class CrossCheck:
    """One rule over several tables.

    Attributes:
        name: name in `validation_results`.
        tables: the rule runs when one of them has new rows.
        severity: whether a failure fails the stage.
        comment: what must hold.
        query: lists the keys of what breaks the rule.
    """

    name: str
    tables: tuple[str, ...]
    severity: Severity
    comment: str
    query: str


@dataclass(frozen=True)
class CrossResult:
    """What a cross-table rule found."""

    check: CrossCheck
    failing: tuple[str, ...]


@cache
def checks_of_release() -> tuple[CrossCheck, ...]:
    """All cross-table rules, by name."""
    return tuple(_read(file) for file in sorted(_FOLDER.glob("*.sql")))


def run_checks(connection: duckdb.DuckDBPyConnection, touched: frozenset[str]) -> list[CrossResult]:
    """Run every rule that a table with new rows calls for."""
    results: list[CrossResult] = []
    for check in checks_of_release():
        if touched.intersection(check.tables):
            failing = connection.execute(check.query).fetchall()
            results.append(CrossResult(check, tuple(sorted(str(row[0]) for row in failing))))
    return results


def _read(file: Path) -> CrossCheck:
    lines = file.read_text("utf-8").strip().splitlines()
    header = _HEADER.fullmatch(lines[0])
    if header is None:
        message = f"{file.name}: the first line must be `-- error on TABLES` or `-- warning on …`"
        raise ValueError(message)
    comment = [line.removeprefix("--").strip() for line in lines[1:] if line.startswith("--")]
    return CrossCheck(
        name=file.stem,
        tables=tuple(header["tables"].split(", ")),
        severity="error" if header["severity"] == "error" else "warning",
        comment=" ".join(comment),
        query="\n".join(line for line in lines if not line.startswith("--")),
    )
