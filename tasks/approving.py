"""Human approval of a round's evolved harness: what is asked, and the answer as a row."""

from dataclasses import dataclass
from typing import Any, Literal

from schemas.acceptance import ApprovalRow
from schemas.plans import CyclePlan
from schemas.text import clean_text
from tasks.harness import diff
from tasks.workbench import Workbench

Decider = Literal["person", "timeout"]
MAX_NOTE = 2_000

_EVIDENCE = """
SELECT history.layer, history.artifact, history.title, history.stage, history.reason,
       history.wins, history.losses, history.ties, history.e_value, history.threshold,
       history.delta, history.delta_lo, history.delta_hi, history.regressions, history.edit_id,
       count(DISTINCT forecast.task_id) FILTER (forecast.prediction = 'fix') AS expected_fixes,
       count(DISTINCT forecast.task_id) FILTER (forecast.prediction <> 'fix') AS tasks_at_risk
FROM edit_history AS history
LEFT JOIN edit_predictions AS forecast USING (edit_id)
WHERE history.cycle_id = ? AND history.round = ? AND history.verdict = 'accepted'
GROUP BY ALL
ORDER BY history.layer, history.artifact
"""


@dataclass(frozen=True)
class ApprovalCase:
    """What a person is asked: the change, and the evidence edit by edit.

    Attributes:
        diff: unified diff from the harness in force to the one that waits.
        edits: one mapping per edit: layer, artifact, title, forecast and paired evidence.
    """

    cycle_id: str
    environment: str
    model: str
    round_number: int
    old_harness_id: str
    new_harness_id: str
    diff: str
    edits: tuple[dict[str, Any], ...]


def open_case(plan: CyclePlan, old: str, new: str, round_number: int) -> ApprovalCase:
    """Gather what a person has to know before a harness comes into force."""
    bench = Workbench.open()
    harnesses = bench.stored_harnesses([old, new])
    with bench.warehouse.read() as reader:
        edits = reader.frame(_EVIDENCE, [plan.cycle_id, round_number]).to_dicts()
    return ApprovalCase(
        cycle_id=plan.cycle_id,
        environment=harnesses[old].environment,
        model=plan.form.model,
        round_number=round_number,
        old_harness_id=old,
        new_harness_id=new,
        diff=diff(harnesses[old], harnesses[new]),
        edits=tuple(edits),
    )


def find_approval(plan: CyclePlan, round_number: int) -> ApprovalRow | None:
    """The answer that a cycle got for a round, so that a repeated run does not ask again."""
    with Workbench.open().warehouse.read() as reader:
        rows = reader.rows(ApprovalRow, "cycle_id = ? AND round = ?", [plan.cycle_id, round_number])
    return rows[0] if rows else None


def record_approval(
    case: ApprovalCase, *, is_approved: bool, decided_by: Decider, note: str = ""
) -> ApprovalRow:
    """Land the answer to a case."""
    bench = Workbench.open()
    row = ApprovalRow(
        cycle_id=case.cycle_id,
        round=case.round_number,
        old_harness_id=case.old_harness_id,
        new_harness_id=case.new_harness_id,
        answer="approved" if is_approved else "rejected",
        decided_by=decided_by,
        note=clean_text(note)[:MAX_NOTE],
        created_at=bench.now,
    )
    bench.land([row], "record_approval")
    bench.commit()
    return row
