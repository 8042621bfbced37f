"""The share of executable actions of an evaluation: every cell, and every difference."""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.presentation.cutting import interval, number, on_one_line, percent, points_interval
from tasks.presentation.document import Group, Table

Record = Mapping[str, Any]
Rows = Sequence[Record]


def executable_group(cells: Rows, contrasts: Rows, note: str) -> Group:
    """Lay out how many turns of the agent became actions of its world."""
    tables = [_cells(cells, note)]
    if contrasts:
        tables.append(_differences(contrasts, note))
    return Group("Executable actions", tuple(tables))


def _cells(cells: Rows, note: str) -> Table:
    columns = ("environment", "model", "harness", "split", "tasks", "executable", "95 %")
    body = tuple(
        (
            row["environment"],
            _name(row["model"]),
            row["harness_id"],
            row["split"],
            number(row["tasks"]),
            percent(row["executable"]),
            interval(row["executable_lo"], row["executable_hi"]),
        )
        for row in cells
    )
    caption = f"Share of turns that became actions, with its 95 % Wilson interval{note}"
    return Table(caption, columns, body, numeric=columns[4:])


def _differences(contrasts: Rows, note: str) -> Table:
    columns = ("environment", "model", "tried", "split", "points")
    body = tuple(
        (
            row["environment"],
            _name(row["model"]),
            _name(row["subject"]),
            row["split"],
            _points(row),
        )
        for row in contrasts
    )
    caption = f"Paired over tasks, 95 % bootstrap intervals{note}"
    return Table(caption, columns, body, numeric=columns[4:])


def _points(row: Record) -> str:
    if row["executable_delta"] is None:
        return "-"
    spread = points_interval(row["executable_lo"], row["executable_hi"])
    return f"{100 * row['executable_delta']:+.1f}" + (f" ({spread})" if spread else "")


def _name(value: object) -> str:
    return on_one_line(str(value), 200)
