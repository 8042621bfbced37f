"""What else a cycle's rollouts would have bought: the arms of one cycle as rows."""

import asyncio
from typing import Any, Literal

from schemas.arms import BudgetArmRow
from schemas.forms import CycleForm
from schemas.gate import EvaluationRow
from schemas.plans import CyclePlan
from tasks.agent.offers import repeats_alike
from tasks.collection import open_collector
from tasks.statistics.proportions import wilson
from tasks.workbench import Workbench, first_tasks

EditorArm = Literal["prompt", "random"]
MOST_TRIES = 64
IDLE_ROUNDS = 20
# Scoring and diagnosis would be the same in every arm, so their rollouts are not part of a budget.
_SPENT = """
SELECT count(DISTINCT trajectory_id) FROM cycle_trajectories
WHERE cycle_id = ? AND (
    starts_with(purpose, 'train') OR starts_with(purpose, 'follow_up')
    OR starts_with(purpose, 'editor') OR purpose IN ('gate', 'exposure')
)
"""
_ROWS = """
SELECT arm, arm_cycle_id, harness_id, rollouts, tasks, success, success_lo, success_hi, note
FROM budget_arms WHERE cycle_id = ?
ORDER BY success DESC NULLS LAST, arm
"""


def rollouts_spent(cycle_id: str) -> int:
    """Rollouts a cycle has used to evolve, scoring and diagnosis left out."""
    with Workbench.open().warehouse.read() as reader:
        return int(reader.scalar(_SPENT, [cycle_id]) or 0)


def arm_form(plan: CyclePlan, arm: EditorArm, budget: int) -> CycleForm:
    """The cycle of an arm: another editor from the same base, rounds until the budget is used."""
    update = {
        "editor": arm,
        "harness": plan.base_harness_id,
        "rounds": IDLE_ROUNDS,
        "patience": IDLE_ROUNDS,
        "most_rollouts": budget,
        "approval": "none",
    }
    return plan.form.model_copy(update=update)


def cycle_arm(
    cycle_id: str, arm: EditorArm | Literal["evolution"], arm_cycle_id: str
) -> BudgetArmRow:
    """The arm that a finished cycle is."""
    with Workbench.open().warehouse.read() as reader:
        rows = reader.rows(EvaluationRow, "cycle_id = ? AND purpose = 'final'", [arm_cycle_id])
    final = rows[0]
    return BudgetArmRow(
        cycle_id=cycle_id,
        arm=arm,
        arm_cycle_id=arm_cycle_id,
        harness_id=final.harness_id,
        rollouts=rollouts_spent(arm_cycle_id),
        tasks=final.tasks,
        success=final.success,
        success_lo=final.success_lo,
        success_hi=final.success_hi,
        note="",
    )


def sampling_arm(plan: CyclePlan, budget: int) -> BudgetArmRow:
    """Try each sealed task in the base harness as often as the budget allows."""
    return asyncio.run(_sample(Workbench.open(), plan, budget))


async def _sample(bench: Workbench, plan: CyclePlan, budget: int) -> BudgetArmRow:
    form = plan.form
    environment, model = (
        bench.environment(form.environment),
        bench.model(form.model, agent=form.agent),
    )
    base = bench.harness(environment.name, plan.base_harness_id)
    tasks = first_tasks(environment.tasks("sealed"), form.tasks)
    is_alike = repeats_alike(model, environment)
    tries = 1 if is_alike else min(MOST_TRIES, max(1, budget // len(tasks)))
    async with open_collector(bench, environment, model, form.seed, plan.cycle_id) as collector:
        episodes = await collector.run(base, tasks, "arm:sampling", range(tries))
    solved = {e.trajectory.task_id for e in episodes if e.is_success}
    judged = solved | {e.trajectory.task_id for e in episodes if e.is_failure}
    interval = wilson(len(solved), len(judged)) if judged else None
    note = f"solved in at least one of {tries} tries"
    if is_alike:
        note = "replies do not vary, so more tries change nothing"
    return BudgetArmRow(
        cycle_id=plan.cycle_id,
        arm="sampling",
        arm_cycle_id=None,
        harness_id=base.harness_id,
        rollouts=len(episodes),
        tasks=len(judged),
        success=len(solved) / len(judged) if judged else None,
        success_lo=interval.lo if interval else None,
        success_hi=interval.hi if interval else None,
        note=note,
    )


def store_arms(rows: list[BudgetArmRow]) -> None:
    """Land the arms of a cycle; arms that are stored already stay."""
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        known = {row.arm for row in reader.rows(BudgetArmRow, "cycle_id = ?", [rows[0].cycle_id])}
    fresh = [row for row in rows if row.arm not in known]
    if fresh:
        bench.land(fresh, "budget_arms")
        bench.commit()


def list_arms(cycle_id: str) -> list[dict[str, Any]]:
    """Stored arms of a cycle, best first."""
    with Workbench.open().warehouse.read() as reader:
        return reader.frame(_ROWS, [cycle_id]).to_dicts()
