"""Render the data dictionary: every table and column with type, meaning and constraints."""

from itertools import groupby

from schemas.tables import TABLES, Table
from warehouse.columns import Column, columns_of
from warehouse.ddl import table_comment
from warehouse.views import views_of_release

_INTRODUCTION = """\
# Data dictionary

Generated from the row models in `schemas/` and the views in `warehouse/views/` by
`python -m warehouse.generate`; a test fails when it drifts.

Times are UTC. Numbers are finite. Columns of kind JSON hold JSON text with sorted keys, in which
NaN and infinities are the texts `NaN`, `Infinity` and `-Infinity`. Tables are append-only: what
changes later is a new row, and a view says what holds now. Columns marked *volatile* differ between
two runs of the same work; everything else does not.
"""


def data_dictionary() -> str:
    """The whole page as Markdown."""
    parts = [_INTRODUCTION]
    for group, tables in groupby(TABLES.values(), key=lambda table: table.group):
        parts.append(f"## {group.capitalize()}\n")
        parts.extend(_table_section(table) for table in tables)
    parts.append("## Views\n")
    parts.append("| view | what it shows |\n| --- | --- |")
    parts.extend(f"| `{view.name}` | {_cell(view.comment)} |" for view in views_of_release())
    return "\n".join(parts) + "\n"


def _table_section(table: Table) -> str:
    key = ", ".join(f"`{name}`" for name in table.key)
    lines = [
        f"### `{table.name}`\n",
        f"{table_comment(table)} Key: {key}.\n",
        "| column | type | null | meaning | constraints |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines.extend(_row(column) for column in columns_of(table))
    return "\n".join(lines) + "\n"


def _row(column: Column) -> str:
    kind = "JSON" if column.is_json else column.sql_type
    null = "yes" if column.nullable else "no"
    return (
        f"| `{column.name}` | {kind} | {null} | {_cell(column.comment)} "
        f"| {_cell(_constraints(column))} |"
    )


def _constraints(column: Column) -> str:
    parts: list[str] = []
    if column.allowed:
        parts.append("one of " + ", ".join(f"`{value}`" for value in column.allowed))
    if column.pattern is not None:
        parts.append(f"`{column.pattern}`")
    parts.extend(f"{bound.operator} {bound.value:g}" for bound in column.bounds)
    if column.is_volatile:
        parts.append("*volatile*")
    return "; ".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
