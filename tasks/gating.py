"""Gating the edits of a round on live paired trials, and committing what holds."""

import asyncio

from schemas.fields import Row
from schemas.plans import CyclePlan, GateResult
from tasks.collection import open_collector
from tasks.gate.decide import RoundResult, decide_round
from tasks.gate.touch import Replayer
from tasks.gating_inputs import open_edits, require_pinned
from tasks.gating_progress import counting_edits
from tasks.gating_world import GateDesk, open_world
from tasks.harness_rows import harness_rows
from tasks.stage import stage
from tasks.workbench import Workbench


@stage(GateResult)
def gate_edits(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int, slots_used: int
) -> GateResult:
    """Try the round's clean edits against the harness in force; return the one now in force."""
    result = asyncio.run(_gate(bench, plan, harness_id, round_number, slots_used))
    rows: list[Row] = [*result.decisions, *result.trials, *result.exposures]
    # Forecasts of replay were landed with the edits; those of forks are new.
    rows += [row for row in result.predictions if row.forecaster == "exposure"]
    rows += harness_rows(result.harness)
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
    environment, model = (
        bench.environment(form.environment),
        bench.model(form.model, form.record, agent=form.agent, loop=form.loop),
    )
    require_pinned(bench, plan, environment)
    base = bench.harness(environment.name, harness_id)
    edits = open_edits(bench, plan, round_number)
    async with open_collector(bench, environment, model, form.seed, plan.cycle_id) as collector:
        replayer = Replayer(collector.sandbox, [t.as_openai() for t in environment.tools])
        desk = GateDesk(bench, plan, environment, model, collector, replayer)
        world = await open_world(desk, base, round_number)
        clean = [edit.candidate for edit in edits if edit.is_clean]
        return await decide_round(
            edits,
            base,
            counting_edits(world, base, clean),
            slots=max(0, form.slots - slots_used),
            first_slot=slots_used + 1,
            can_touch=replayer.can_touch,
        )
