"""Budget-matched arms: what else a finished cycle's rollouts would have bought."""

from collections.abc import Callable
from typing import Any

from prefect import flow

from flows.evolution_cycle import Caller, evolve_in_rounds, nobody
from flows.prefect_stages import as_task, publish_summary, publish_table
from schemas.forms import ArmsForm
from schemas.plans import CyclePlan
from tasks.budget_arms import (
    EditorArm,
    arm_form,
    cycle_arm,
    list_arms,
    rollouts_spent,
    sampling_arm,
    store_arms,
)
from tasks.cycle import open_cycle
from tasks.diagnosis import finished_cycle
from tasks.evaluation import score_sealed
from tasks.scores import is_simulated
from tasks.workbench import Workbench


@flow(name="compare-arms")
def compare_arms(form: ArmsForm = ArmsForm()) -> dict[str, Any]:  # noqa: B008
    """Spend a finished cycle's rollouts in other ways and score the same sealed tasks."""
    result = run_arms(form, as_task)
    publish_summary(
        "compare-arms",
        "Budget-matched arms",
        {name: value for name, value in result.items() if name != "arms"},
        [(arm["arm"], arm["success"]) for arm in result["arms"]],
    )
    publish_table("budget-arms", result["arms"], "Arms, best first")
    return result


def run_arms(
    form: ArmsForm, call: Caller, note: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """The arms one after another; each leaves its rows as soon as it is done.

    Raises:
        ConfigError: there is no such cycle, it is not finished, or an arm cannot be run.
    """
    plan, _ = finished_cycle(Workbench.open(), form.cycle_id)
    budget = rollouts_spent(plan.cycle_id)
    store_arms([cycle_arm(plan.cycle_id, "evolution", plan.cycle_id)])
    for arm in form.arms:
        if note:
            note(f"arm {arm}: {budget} rollouts")
        if arm == "sampling":
            store_arms([sampling_arm(plan, budget)])
        else:
            store_arms([cycle_arm(plan.cycle_id, arm, _evolve(plan, arm, budget, call))])
    return {
        "cycle_id": plan.cycle_id,
        "environment": plan.form.environment,
        "model": plan.form.model,
        "simulated": is_simulated(plan.form.model),
        "rollouts": budget,
        "arms": list_arms(plan.cycle_id),
    }


def _evolve(plan: CyclePlan, arm: EditorArm, budget: int, call: Caller) -> str:
    """Run the cycle of an arm without releasing what it ends with."""
    child: CyclePlan = call(open_cycle)(arm_form(plan, arm, budget))
    harness_id = evolve_in_rounds(child, call, nobody)
    call(score_sealed)(child, harness_id, "final")
    return child.cycle_id
