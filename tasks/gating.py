"""Gating the edits of a round on live paired trials, and committing what holds."""

import asyncio
from collections.abc import Sequence

from schemas.episode import Episode
from schemas.fields import Row
from schemas.plans import CyclePlan, GateResult
from tasks.agent.protocols import Environment, Model, Task
from tasks.collection import Collector, cycle_episodes, open_collector, train_purpose
from tasks.gate.candidate import GateSettings, GateWorld
from tasks.gate.decide import RoundResult, decide_round
from tasks.gate.touch import Replayer
from tasks.gating_inputs import open_edits, require_pinned
from tasks.harness import Harness
from tasks.harness_rows import harness_rows
from tasks.stage import stage
from tasks.workbench import Workbench, first_tasks


@stage(GateResult)
def gate_edits(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int, slots_used: int
) -> GateResult:
    """Try the round's clean edits against the harness in force; return the one now in force."""
    result = asyncio.run(_gate(bench, plan, harness_id, round_number, slots_used))
    rows: list[Row] = [*result.decisions, *result.trials, *harness_rows(result.harness)]
    bench.land(rows, "gate_edits")
    return GateResult(
        harness_id=result.harness.harness_id,
        accepted=len(result.accepted),
        slots_used=slots_used + result.slots_spent,
    )


async def _gate(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int, slots_used: int
) -> RoundResult:
    form = plan.form
    environment, model = bench.environment(form.environment), bench.model(form.model)
    require_pinned(bench, plan, environment)
    base = bench.harness(environment.name, harness_id)
    edits = open_edits(bench, plan, round_number)
    async with open_collector(bench, environment, model, form.seed, plan.cycle_id) as collector:
        world = _world(bench, plan, environment, model, collector, round_number)
        replayer = Replayer(collector.sandbox, [t.as_openai() for t in environment.tools])
        return await decide_round(
            edits,
            base,
            world,
            slots=max(0, form.slots - slots_used),
            first_slot=slots_used + 1,
            can_touch=replayer.can_touch,
        )


def _world(
    bench: Workbench,
    plan: CyclePlan,
    environment: Environment,
    model: Model,
    collector: Collector,
    round_number: int,
) -> GateWorld:
    async def run(
        harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
    ) -> Sequence[Episode]:
        return await collector.run(harness, tasks, "gate", repeats)

    form = plan.form
    return GateWorld(
        cycle_id=plan.cycle_id,
        seed=form.seed,
        select=first_tasks(environment.tasks("select"), form.tasks),
        must_pass=_must_pass(bench, plan, environment, round_number),
        is_deterministic=model.is_deterministic,
        run=run,
        settings=GateSettings(slots=form.slots, repeats=form.repeats),
    )


def _must_pass(
    bench: Workbench, plan: CyclePlan, environment: Environment, round_number: int
) -> tuple[Task, ...]:
    """Train tasks that passed in every run of every harness in force so far."""
    passed: dict[str, bool] = {}
    for earlier in range(1, round_number + 1):
        for episode in cycle_episodes(bench, plan.cycle_id, train_purpose(earlier)):
            task_id = episode.trajectory.task_id
            passed[task_id] = passed.get(task_id, True) and episode.is_success
    return tuple(task for task in environment.tasks("train") if passed.get(task.task_id))
