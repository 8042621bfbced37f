"""The edits of a report: verdicts and reasons, each edit, the patterns they answer to."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tasks.presentation.cutting import number, on_one_line, points, points_interval
from tasks.presentation.document import Block, Group, Passage, Table

Rows = list[dict[str, Any]]
BUNDLED = (
    "Edits of the same round and slot were tried together: won, lost and tied pairs, e-value and "
    "difference are those of the bundle."
)


@dataclass(frozen=True)
class EditRows:
    """Rows about edits, and the words that stand beside numbers of a simulated model."""

    edits: Rows
    verdicts: Rows
    patterns: Rows
    sessions: Rows
    note: str


def edit_group(rows: EditRows) -> Group:
    """Lay out all edits of a cycle."""
    sessions = [_sessions(rows)] if rows.sessions else []
    if not rows.edits:
        return Group("Edits", (Passage("", "No edit was proposed.", "dim"), *sessions))
    blocks: list[Block] = [_verdicts(rows), _edits(rows), *sessions]
    trials = Counter(row["trial_id"] for row in rows.edits if row["trial_id"])
    if any(count > 1 for count in trials.values()):
        blocks.append(Passage("", BUNDLED, "dim"))
    if rows.patterns:
        blocks.append(_patterns(rows))
    return Group("Edits", tuple(blocks))


def _verdicts(rows: EditRows) -> Table:
    body = tuple(
        (row["verdict"], row["reason"], row["layer"], number(row["edits"])) for row in rows.verdicts
    )
    columns = ("verdict", "reason", "layer", "edits")
    return Table(f"Verdicts by reason{rows.note}", columns, body, numeric=("edits",))


def _sessions(rows: EditRows) -> Table:
    body = tuple(
        (
            number(row["round"]),
            row["purpose"],
            number(row["proposals"]),
            number(row["refusals"]),
            f"{row['stop']}\n{on_one_line(row['detail'], 300)}".strip(),
        )
        for row in rows.sessions
    )
    columns = ("round", "to", "edits", "refused calls and files", "ended")
    return Table("The editor at work", columns, body, numeric=("round", *columns[2:4]))


def _edits(rows: EditRows) -> Table:
    columns = (
        "edit",
        "round",
        "verdict",
        "won / lost / tied",
        "e-value",
        "needed",
        "difference, 95 %",
        "fires on failures",
        "on successes",
        "tasks at risk",
        "slot",
    )
    body = tuple(_edit(row) for row in rows.edits)
    numeric = ("round", *columns[3:])
    return Table(f"Every edit, in the order proposed{rows.note}", columns, body, numeric=numeric)


def _edit(row: dict[str, Any]) -> tuple[str, ...]:
    was_paired = row["trial_id"] is not None
    name = f"{row['layer']} {on_one_line(row['artifact'], 120)}"
    return (
        f"{name}\n{on_one_line(row['title'], 300)}\n{row['edit_id']}",
        number(row["round"]),
        f"{row['verdict'] or 'waiting'}\n{row['reason'] or ''}".strip(),
        f"{row['wins']} / {row['losses']} / {row['ties']}" if was_paired else "-",
        number(row["e_value"]),
        number(row["threshold"]),
        f"{points(row['delta'])}\n{points_interval(row['delta_lo'], row['delta_hi'])}".strip(),
        _of(row["fires_on_failures"], row["failures"]),
        _of(row["fires_on_successes"], row["successes"]),
        number(row["at_risk"]),
        number(row["slot"]),
    )


def _of(part: int | None, whole: int | None) -> str:
    return "-" if part is None else f"{part} of {whole}"


def _patterns(rows: EditRows) -> Table:
    columns = ("label", "rule", "earliest layer", "family", "failed runs", "tasks", "edits")
    body = tuple(
        (
            row["bullet"],
            row["rule"],
            row["layer"],
            on_one_line(row["family"] or "all", 120),
            number(row["runs"]),
            number(row["tasks"]),
            number(row["edits"]),
        )
        for row in rows.patterns
    )
    caption = f"Patterns that edits answer to{rows.note}"
    return Table(caption, columns, body, numeric=columns[4:])
