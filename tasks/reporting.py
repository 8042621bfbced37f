"""What a cycle did, read back from the warehouse alone."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from schemas.benefit import BenefitRateRow
from schemas.editors import EDITOR_FAULTS
from schemas.evaluation import EvaluationRow
from schemas.plans import CyclePlan
from schemas.runs import CycleRow, StageEventRow
from schemas.tables import TABLES
from tasks.presentation.trajectory import HIDES
from tasks.scores import is_simulated
from tasks.workbench import Workbench
from warehouse.reader import Reader

_LABELS = """
SELECT labels.category, count(*) AS labels
FROM failure_labels AS labels
JOIN cycle_trajectories AS links USING (trajectory_id)
WHERE links.cycle_id = ? AND labels.source = 'rules'
GROUP BY labels.category
ORDER BY labels.category
"""
_EXAMPLES = """
SELECT kind, count(*) AS examples FROM training_examples WHERE cycle_id = ?
GROUP BY kind ORDER BY kind
"""
_TRAJECTORIES = """
SELECT count(DISTINCT links.trajectory_id) AS used,
       count(DISTINCT links.trajectory_id) FILTER (trajectories.created_at >= ?) AS made
FROM cycle_trajectories AS links
JOIN trajectories USING (trajectory_id)
WHERE links.cycle_id = ?
"""
_CONSTRAINED = """
SELECT count(DISTINCT i.trajectory_id) FROM interventions AS i
JOIN cycle_trajectories AS links USING (trajectory_id)
WHERE links.cycle_id = ? AND i.kind = 'constrain'
"""
_SESSIONS = """
SELECT count(*), count(*) FILTER (stop IN (SELECT unnest(?::VARCHAR[]))), sum(refusals),
       arg_max(detail, round * 1000 + ordinal) FILTER (stop IN (SELECT unnest(?::VARCHAR[])))
FROM editor_sessions WHERE cycle_id = ?
"""
_VALIDATION = """
SELECT count(*) AS checks, count(*) FILTER (NOT success AND severity = 'error') AS failed
FROM validation_results
"""


def summarize_cycle(plan: CyclePlan, started_at: datetime | None = None) -> dict[str, Any]:
    """Everything `tackroom cycle --json` says about a cycle.

    `rollouts` counts the trajectories of the cycle made since `started_at`.
    """
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        cycle = reader.rows(CycleRow, "cycle_id = ?", [plan.cycle_id])[0]
        scores = {
            row.purpose: row for row in reader.rows(EvaluationRow, "cycle_id = ?", [plan.cycle_id])
        }
        used, made = _fetch(reader, _TRAJECTORIES, [started_at or bench.now, plan.cycle_id])[0]
        checks, failed = _fetch(reader, _VALIDATION, [])[0]
        return {
            "cycle_id": plan.cycle_id,
            "environment": cycle.environment,
            "model": cycle.model,
            "simulated": is_simulated(cycle.model) or is_simulated(cycle.reference),
            "noise": json.loads(cycle.inputs).get("environment_noise", ""),
            "editor": cycle.editor,
            "already_done": plan.is_finished,
            "base_harness_id": cycle.base_harness_id,
            "harness_id": _final_harness(reader, plan.cycle_id),
            "objective": plan.form.objective,
            "baseline": _sealed(scores.get("baseline")),
            "final": _sealed(scores.get("final")),
            "rounds": _rounds(reader, plan.cycle_id),
            "edits": count_edits(_decisions(reader, plan.cycle_id)),
            "editor_sessions": _sessions(reader, plan.cycle_id),
            "labels": dict(_fetch(reader, _LABELS, [plan.cycle_id])),
            "benefit": _benefit(reader, plan.cycle_id),
            "examples": dict(_fetch(reader, _EXAMPLES, [plan.cycle_id])),
            "rollouts": made,
            "trajectories": used,
            "constrained": reader.scalar(_CONSTRAINED, [plan.cycle_id]),
            "tables": _table_counts(reader),
            "validation": {"checks": checks, "failed": failed},
        }


def _fetch(reader: Reader, sql: str, params: list[object]) -> list[tuple[Any, ...]]:
    return reader.frame(sql, params).rows()


def _sealed(row: EvaluationRow | None) -> dict[str, float | None]:
    """Success on the sealed tasks, and the share of turns there that became actions."""
    found = (row.success, row.executable) if row else (None, None)
    return dict(zip(("sealed", "executable"), found, strict=True))


def _final_harness(reader: Reader, cycle_id: str) -> str | None:
    rows = reader.rows(EvaluationRow, "cycle_id = ? AND purpose = 'final'", [cycle_id])
    return rows[0].harness_id if rows else None


def _rounds(reader: Reader, cycle_id: str) -> int:
    events = reader.rows(
        StageEventRow,
        "cycle_id = ? AND state = 'done' AND starts_with(stage, 'gate_edits:')",
        [cycle_id],
    )
    return len(events)


def count_edits(decisions: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Edits by verdict and reason, and the accepted ones by layer: every command counts so."""
    judged = list(decisions)
    verdicts = Counter(edit["verdict"] for edit in judged)
    layers = Counter(edit["layer"] for edit in judged if edit["verdict"] == "accepted")
    reasons = Counter(edit["reason"] for edit in judged if edit["reason"])
    return {
        "proposed": len(judged),
        "accepted": verdicts["accepted"],
        "rejected": verdicts["rejected"],
        "undecided": verdicts["undecided"],
        "by_layer": dict(sorted(layers.items())),
        "by_reason": dict(sorted(reasons.items())),
    }


def _sessions(reader: Reader, cycle_id: str) -> dict[str, Any]:
    """How the editor's own sessions went; editors without a model or a command have none."""
    faults = sorted(EDITOR_FAULTS)
    [(count, failed, refusals, detail)] = _fetch(reader, _SESSIONS, [faults, faults, cycle_id])
    return {"count": count, "faults": failed, "refusals": int(refusals or 0), "last_fault": detail}


def is_without_editor(summary: Mapping[str, Any]) -> bool:
    """Whether nothing was proposed in a cycle because its editor failed."""
    return summary["edits"]["proposed"] == 0 and summary["editor_sessions"]["faults"] > 0


def _benefit(reader: Reader, cycle_id: str) -> dict[str, Any]:
    rows = reader.rows(BenefitRateRow, "cycle_id = ?", [cycle_id])
    if not rows:
        return {"hbr": None, "status": None, "activation": None, "following": None}
    row = rows[0]
    return {
        "hbr": row.hbr,
        "status": row.status,
        "activation": row.activation,
        "following": row.following,
    }


def _table_counts(reader: Reader) -> dict[str, int]:
    union = " UNION ALL ".join(
        f"SELECT '{name}' AS name, count(*) AS rows FROM {name}"  # noqa: S608
        for name in TABLES
    )
    return {name: int(rows) for name, rows in _fetch(reader, f"{union} ORDER BY name", [])}


_DECISIONS = """
SELECT edits.round, edits.layer, edits.artifact, edits.title, decisions.verdict,
       decisions.reason, decisions.wins, decisions.losses, decisions.ties, decisions.e_value,
       edits.edit_id
FROM edits
LEFT JOIN gate_decisions AS decisions USING (edit_id)
WHERE edits.cycle_id = ?
ORDER BY edits.round, edits.ordinal
"""


def list_decisions(cycle_id: str) -> list[dict[str, Any]]:
    """Edits of a cycle with their verdicts, in the order they were proposed."""
    with Workbench.open().warehouse.read() as reader:
        return _decisions(reader, cycle_id)


def _decisions(reader: Reader, cycle_id: str) -> list[dict[str, Any]]:
    return reader.frame(_DECISIONS, [cycle_id]).to_dicts()


def render_summary(summary: dict[str, Any]) -> str:
    """A cycle for people at a terminal."""
    edits, benefit = summary["edits"], summary["benefit"]
    label = ""
    if summary["simulated"]:
        label = " (simulated model)" if is_simulated(summary["model"]) else " (simulated reference)"
    lines = [
        f"cycle     {summary['cycle_id']}" + ("  already done" if summary["already_done"] else ""),
        f"model     {summary['model']}{label} in {summary['environment']}",
        *([f"noise     {summary['noise']}"] if summary["noise"] else []),
        *_decoding_lines(summary["constrained"]),
        f"sealed    {_percent(summary['baseline']['sealed'])} -> "
        f"{_percent(summary['final']['sealed'])}  harness {summary['harness_id']}",
        f"actions   {_percent(summary['baseline']['executable'])} -> "
        f"{_percent(summary['final']['executable'])} of the turns, "
        f"gated on {summary['objective']}",
        f"edits     {edits['proposed']} proposed, {edits['accepted']} accepted "
        f"{_counts(edits['by_layer'])}, {edits['rejected']} rejected, "
        f"{edits['undecided']} undecided",
        *_editor_lines(summary["editor_sessions"]),
        f"reasons   {_counts(edits['by_reason'])}",
        f"labels    {_counts(summary['labels'])}",
        f"benefit   HBR {_number(benefit['hbr'])} ({benefit['status']}), activation "
        f"{_percent(benefit['activation'])}, following {_percent(benefit['following'])}",
        f"examples  {_counts(summary['examples'])}",
        f"rollouts  {summary['rollouts']} made, {summary['trajectories']} used",
        f"checks    {summary['validation']['checks']}, {summary['validation']['failed']} failed",
    ]
    return "\n".join(lines)


def _decoding_lines(constrained: int) -> list[str]:
    if not constrained:
        return []
    return [f"decoding  {constrained} trajectories held to a schema, {HIDES}"]


def _editor_lines(sessions: Mapping[str, Any]) -> list[str]:
    said: list[str] = []
    if sessions["faults"]:
        failed = f"{sessions['faults']} of {sessions['count']} sessions failed"
        said.append(f"{failed}: {sessions['last_fault'] or 'no reason given'}")
    if sessions["refusals"]:
        said.append(f"{sessions['refusals']} calls or files refused")
    return [f"editor    {'; '.join(said)} (see table editor_messages)"] if said else []


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
