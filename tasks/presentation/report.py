"""A cycle as a document: success, failures before and after, edits, benefit, examples, cost."""

from dataclasses import dataclass
from typing import Any

from tasks.presentation.chart import Chart, draw_bars
from tasks.presentation.cutting import interval, number, on_one_line, percent
from tasks.presentation.document import Block, Document, Facts, Group, Passage, Table, facts
from tasks.presentation.evaluation import contrast_group
from tasks.presentation.report_benefit import BenefitRows, benefit_groups
from tasks.presentation.report_edits import EditRows, edit_group
from tasks.presentation.report_scores import ScoreRows, score_groups
from tasks.presentation.trajectory import CONSTRAINED, HIDES, SIMULATED

Rows = list[dict[str, Any]]

NOISY = "noisy"
"""Badge of a cycle whose equal episodes may end differently."""


@dataclass(frozen=True)
class ReportRows:
    """Results of the queries of a report, by name; the page computes no number of its own."""

    cycle: Rows
    models: Rows
    stages: Rows
    scores: Rows
    taxonomy: Rows
    lost: Rows
    patterns: Rows
    verdicts: Rows
    edits: Rows
    rates: Rows
    gaps: Rows
    forks: Rows
    examples: Rows
    lineage: Rows
    cost: Rows
    sources: Rows
    checks: Rows
    used: Rows
    arms: Rows
    sessions: Rows
    matrix: Rows

    @property
    def is_import(self) -> bool:
        """Whether the cycle worked from imported history."""
        return self.cycle[0]["kind"] == "imports"

    @property
    def is_finished(self) -> bool:
        """Whether the cycle came to its end; one over imports is one step."""
        return self.is_import or any(
            row["stage"].startswith("close_cycle") and row["state"] == "done" for row in self.stages
        )

    @property
    def note(self) -> str:
        """Words that stand beside every number which a simulated model made."""
        return f" ({SIMULATED} model)" if self.cycle[0]["simulated"] else ""


def show_report(rows: ReportRows) -> Document:
    """Lay out the report of one cycle."""
    cycle = rows.cycle[0]
    edit_rows = EditRows(rows.edits, rows.verdicts, rows.patterns, rows.sessions, rows.note)
    benefit = BenefitRows(rows.rates, rows.gaps, rows.forks, rows.examples, rows.lineage, rows.note)
    scores = ScoreRows(rows.scores, rows.arms, rows.note)
    groups = (
        _overview(rows),
        *(() if rows.is_import else score_groups(scores)),
        *_matrix(rows),
        _failures(rows),
        edit_group(edit_rows),
        *(() if rows.is_import else benefit_groups(benefit)),
        _cost(rows),
        _record(rows),
    )
    lead = f"{_name(cycle['model'])} in {_name(cycle['environment'])}"
    badges = (SIMULATED,) if cycle["simulated"] else ()
    badges += (NOISY,) if cycle["noise"] else ()
    badges += (CONSTRAINED,) if cycle["constrained"] else ()
    badges += () if rows.is_finished else ("unfinished",)
    return Document(f"Cycle {cycle['cycle_id']}", lead, groups, badges)


def _name(value: object) -> str:
    return on_one_line(str(value), 200)


def _overview(rows: ReportRows) -> Group:
    cycle = rows.cycle[0]
    by_purpose = {row["purpose"]: row for row in rows.scores}
    final = by_purpose.get("final")
    blocks: list[Block] = []
    if not rows.is_finished:
        blocks.append(Passage("", _how_far(rows), "mark"))
    if rows.is_import:
        text = "Imported history: there is no live world, so no edit could be tried on pairs."
        blocks.append(Passage("", text, "dim"))
    blocks.append(
        facts(
            ("environment", _name(cycle["environment"])),
            ("noise", _name(cycle["noise"]) if cycle["noise"] else ""),
            ("model", _name(cycle["model"]) + (rows.note if not rows.is_import else "")),
            ("reference", "" if rows.is_import else _name(cycle["reference"])),
            ("decoding", _decoding(cycle)),
            ("editor", _name(cycle["editor"])),
            ("seed", cycle["seed"]),
            ("limits", _limits(cycle)),
            ("base harness", cycle["base_harness_id"]),
            ("final harness", final["harness_id"] if final else ""),
            ("sealed success before", _score(by_purpose.get("baseline"), rows.note)),
            ("sealed success after", _score(final, rows.note)),
            ("trajectories", number(rows.used[0]["trajectories"])),
            ("started", f"{cycle['created_at']:%Y-%m-%d %H:%M} UTC"),
            ("release", cycle["release"]),
        )
    )
    if rows.models:
        blocks.append(_models(rows))
    if rows.sources:
        blocks.append(_sources(rows))
    return Group("What was run", tuple(blocks))


def _decoding(cycle: dict[str, Any]) -> str:
    """What held the decoder, as far as it hides failures; empty when nothing did."""
    held = cycle["constrained"]
    return f"{number(held)} trajectories held to a schema, {HIDES}" if held else ""


def _how_far(rows: ReportRows) -> str:
    done = [row["stage"] for row in rows.stages if row["state"] == "done"]
    last = f"the last stage done is {_name(done[-1])}" if done else "no stage is done"
    return f"This cycle has not come to its end: {last}. Numbers below are of what is there."


def _limits(cycle: dict[str, Any]) -> str:
    words = (("rounds", "rounds"), ("slots", "slots"), ("tasks", "tasks a split"))
    return ", ".join(
        f"{'all' if (name, cycle[name]) == ('tasks', '0') else cycle[name]} {word}"
        for name, word in words
        if cycle[name] is not None
    )


def _score(row: dict[str, Any] | None, note: str) -> str:
    if row is None:
        return ""
    spread = interval(row["success_lo"], row["success_hi"])
    return f"{percent(row['success'])} of {row['tasks']} tasks ({spread}, 95 %){note}"


def _models(rows: ReportRows) -> Table:
    columns = ("model", "origin", "trajectories", "success", "failure", "unknown", "faults")
    names = ("trajectories", "successes", "failures", "unknown", "faults")
    body = tuple(
        (
            _name(row["model"]),
            row["origin"],
            *(number(row[name]) for name in names),
        )
        for row in rows.models
    )
    return Table(f"Who acted{rows.note}", columns, body, numeric=columns[2:])


def _sources(rows: ReportRows) -> Table:
    body = tuple(
        (_name(row["source_file"]), row["source_format"], number(row["trajectories"]))
        for row in rows.sources
    )
    return Table("Files", ("file", "format", "trajectories"), body, numeric=("trajectories",))


def _matrix(rows: ReportRows) -> tuple[Group, ...]:
    """Evaluations of these harnesses, whichever models and layers they were of."""
    kinds = dict.fromkeys(row["kind"] for row in rows.matrix)
    if not kinds:
        return ()
    groups = tuple(
        contrast_group(kind, [row for row in rows.matrix if row["kind"] == kind], rows.note)
        for kind in kinds
    )
    return (Group("Evaluations of these harnesses", groups),)


def _failures(rows: ReportRows) -> Group:
    title = "Failures by label" if rows.is_import else "Failures before and after"
    purposes = list(dict.fromkeys(str(row["purpose"]) for row in rows.taxonomy))
    if not purposes:
        return Group(title, (Passage("", "No failed trajectory is labelled.", "dim"),))
    runs = {row["purpose"]: row["trajectories"] for row in rows.cost}
    counts = {(row["bullet"], row["purpose"]): row["failures"] for row in rows.taxonomy}
    labels = {row["bullet"]: row["category"] for row in rows.taxonomy}
    shown = list(dict.fromkeys((purposes[0], purposes[-1])))
    heads = [_head(purpose, runs.get(purpose)) for purpose in shown]
    bars = [
        (
            f"{bullet} {category.replace('_', ' ')}",
            [counts.get((bullet, purpose), 0) for purpose in shown],
        )
        for bullet, category in sorted(labels.items())
    ]
    all_heads = tuple(_head(purpose, runs.get(purpose)) for purpose in purposes)
    body = tuple(
        (
            bullet,
            category.replace("_", " "),
            *(number(counts.get((bullet, purpose), 0)) for purpose in purposes),
        )
        for bullet, category in sorted(labels.items())
    )
    caption = f"Failed trajectories by label{rows.note}"
    columns = ("label", "category", *all_heads)
    blocks: list[Block] = [
        draw_bars(caption, heads, bars),
        Table(f"Every round in numbers{rows.note}", columns, body, numeric=all_heads),
    ]
    if len(shown) == 1 and not rows.is_import:
        text = "Only one harness has been collected on train tasks, so there is no `after` yet."
        blocks.append(Passage("", text, "dim"))
    blocks += [
        Passage(
            "",
            f"Not recoverable in the format of {number(row['failures'])} of these failures: "
            f"{str(row['evidence']).replace('_', ' ')}. A low rate of action realization is "
            "no finding there.",
            "dim",
        )
        for row in rows.lost
    ]
    return Group(title, tuple(blocks))


def _head(purpose: str, runs: int | None) -> str:
    name = f"round {purpose.removeprefix('train:')}" if purpose.startswith("train:") else purpose
    return f"{name} ({number(runs)} runs)"


def _cost(rows: ReportRows) -> Group:
    columns = (
        "purpose",
        "trajectories",
        "steps",
        "prompt tokens",
        "completion tokens",
        "USD",
        "without a price",
        "faults",
    )
    names = (
        "trajectories",
        "steps",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
        "unpriced",
        "faults",
    )
    body = tuple(
        (_name(row["purpose"]), *(number(row[name]) for name in names)) for row in rows.cost
    )
    caption = f"By purpose; a trajectory with several purposes counts in each{rows.note}"
    return Group("Cost", (Table(caption, columns, body, numeric=columns[1:]),))


def _record(rows: ReportRows) -> Group:
    check = rows.checks[0]
    blocks: list[Table | Facts | Chart] = [
        facts(
            ("checks of the warehouse", number(check["checks"])),
            ("failed", number(check["failed"])),
            ("warnings", number(check["warnings"])),
        )
    ]
    if rows.stages:
        body = tuple(
            (_name(row["stage"]), row["state"], f"{row['created_at']:%H:%M:%S}")
            for row in rows.stages
        )
        blocks.append(Table("Stages", ("stage", "state", "at (UTC)"), body))
    return Group("Record", tuple(blocks))
