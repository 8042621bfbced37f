"""The benefit and the data of a report: rates, gaps, forks, examples with their lineage."""

from dataclasses import dataclass
from typing import Any

from tasks.presentation.cutting import number, on_one_line, percent, points
from tasks.presentation.document import Block, Group, Passage, Table, facts

Rows = list[dict[str, Any]]
STATUS = {
    "ok": "the ratio is defined",
    "unbounded": "the reference's gain is not told apart from zero, so the ratio has no bound",
    "reference_harmed": "the harness harms the reference, so the ratio means nothing",
    "both_zero": "neither model gains",
    "no_pairs": "no task was scored in all arms, or the reference cannot act in this world",
}


@dataclass(frozen=True)
class BenefitRows:
    """Rows about benefit and data, and the words beside numbers of a simulated model."""

    rates: Rows
    gaps: Rows
    forks: Rows
    examples: Rows
    lineage: Rows
    note: str


def benefit_groups(rows: BenefitRows) -> tuple[Group, Group]:
    """Lay out diagnosis and data of a cycle."""
    return _benefit(rows), _examples(rows)


def _benefit(rows: BenefitRows) -> Group:
    if not rows.rates:
        return Group("Benefit", (Passage("", "Benefit has not been diagnosed.", "dim"),))
    blocks: list[Block] = [_rate(row, rows.note) for row in rows.rates]
    blocks.append(_gaps(rows) if rows.gaps else Passage("", "No benefit gap was found.", "dim"))
    if rows.forks:
        blocks.append(_forks(rows))
    return Group("Benefit", tuple(blocks))


def _rate(row: dict[str, Any], note: str) -> Block:
    spread = ""
    if row["hbr_lo"] is not None and row["hbr_hi"] is not None:
        spread = f" ({number(row['hbr_lo'])} to {number(row['hbr_hi'])}, 95 %)"
    return facts(
        ("model", on_one_line(f"{row['model']} against {row['reference']}{note}", 300)),
        ("paired tasks", number(row["tasks"])),
        ("gain", points(row["gain"], row["gain_lo"], row["gain_hi"])),
        ("gain of the reference", points(row["reference_gain"])),
        ("benefit rate (HBR)", f"{number(row['hbr'])}{spread}" if row["hbr"] is not None else ""),
        ("status", f"{row['status']}: {STATUS.get(row['status'], '')}"),
        ("HBR by room left", number(row["hbr_headroom"])),
        ("activation", percent(row["activation"])),
        ("following", percent(row["following"])),
    )


def _gaps(rows: BenefitRows) -> Table:
    columns = (
        "rank",
        "family",
        "gap",
        "layer",
        "artifact",
        "severity",
        "reach",
        "prevalence",
        "effect",
        "lower bound",
        "points",
        "failed runs",
        "unexplained",
        "forks say",
    )
    body = tuple(
        (
            number(row["rank"]),
            on_one_line(row["family"], 120),
            row["gap_type"],
            row["layer"] or "-",
            on_one_line(row["artifact"] or row["artifact_id"], 120),
            number(row["severity"]),
            percent(row["reach"]),
            percent(row["prevalence"]),
            points(row["effect"]),
            points(row["effect_lcb"]),
            number(row["points"]),
            number(row["failed_runs"]),
            number(row["unexplained_runs"]),
            row["verdict"].replace("_", " "),
        )
        for row in rows.gaps
    )
    caption = f"Benefit gaps, the most severe first{rows.note}"
    return Table(caption, columns, body, numeric=("rank", *columns[5:-1]))


def _forks(rows: BenefitRows) -> Table:
    columns = ("model", "arm", "forks", "taken up", "success", "faults")
    body = tuple(
        (
            on_one_line(row["model"], 120),
            row["arm"],
            number(row["forks"]),
            percent(row["taken_up"]),
            percent(row["success"]),
            number(row["faults"]),
        )
        for row in rows.forks
    )
    return Table(f"Forks from decision points{rows.note}", columns, body, numeric=columns[2:])


def _examples(rows: BenefitRows) -> Group:
    if not rows.examples:
        return Group("Training examples", (Passage("", "No example was made.", "dim"),))
    columns = ("kind", "closes", "for model", "examples", "artifacts", "tasks", "written by")
    body = tuple(
        (
            row["kind"],
            row["path"],
            on_one_line(row["model"], 120),
            number(row["examples"]),
            number(row["artifacts"]),
            number(row["tasks"]),
            "a simulated model" if row["simulated"] else "a model",
        )
        for row in rows.examples
    )
    table = Table(f"Examples by kind{rows.note}", columns, body, numeric=columns[3:6])
    return Group("Training examples", (table, _lineage(rows)))


def _lineage(rows: BenefitRows) -> Table:
    columns = ("example", "kind", "artifact", "trajectory", "step", "deviating run")
    body = tuple(
        (
            row["example_id"],
            row["kind"],
            on_one_line(row["artifact"] or "-", 120),
            row["trajectory_id"],
            number(row["step_index"]),
            row["rejected_trajectory_id"] or "-",
        )
        for row in rows.lineage
    )
    return Table("Where the first of them come from", columns, body, numeric=("step",))
