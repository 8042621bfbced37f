"""Diagnosing why a model does not benefit from the harness a cycle ended with."""

import asyncio
from collections.abc import Sequence
from typing import Any

from schemas.benefit import BenefitGapRow, BenefitRateRow, CounterfactualRow, DecisionPointRow
from schemas.episode import Episode
from schemas.errors import ConfigError
from schemas.evaluation import EvaluationRow
from schemas.forms import DiagnoseForm
from schemas.plans import CyclePlan, DiagnoseResult
from schemas.runs import CycleRow
from tasks.agent.episode_spec import EpisodeSpec
from tasks.agent.fork import can_fork
from tasks.agent.offers import LOADABLE, repeats_alike
from tasks.agent.protocols import Environment, Model
from tasks.agent.standing import idle_reason
from tasks.benefit.diagnose import Diagnosis, diagnose
from tasks.benefit.parameters import DEFAULT
from tasks.benefit.profile import Subject
from tasks.benefit.rows import diagnosis_rows
from tasks.benefit.world import BenefitWorld, Run
from tasks.collection import Collector
from tasks.cycle import IMPORTED, stored_form
from tasks.harness import Harness, Sandbox
from tasks.scores import is_simulated
from tasks.stage import stage
from tasks.stored_ids import find_cycle
from tasks.workbench import Workbench, first_tasks

_GAPS = """
SELECT rank, family, gap_type, artifact, artifact_id, severity, reach, prevalence, effect,
       effect_lcb, points, failed_runs, unexplained_runs
FROM ranked_benefit_gaps
WHERE cycle_id = ?
ORDER BY rank
"""


@stage(DiagnoseResult)
def diagnose_benefit(bench: Workbench, plan: CyclePlan, harness_id: str) -> DiagnoseResult:
    """Measure the gain of model and reference, and where the harness is not used or obeyed."""
    environment = bench.environment(plan.form.environment)
    model, reference = (
        bench.model(plan.form.model, plan.form.record, agent=plan.form.agent, loop=plan.form.loop),
        bench.model(plan.form.reference, agent=plan.form.agent, loop=plan.form.loop),
    )
    base = bench.harness(environment.name, plan.base_harness_id)
    final = bench.harness(environment.name, harness_id)
    found = asyncio.run(_diagnose(bench, plan, environment, (model, reference), (base, final)))
    subject = Subject(plan.cycle_id, model.name, environment.name)
    rows = diagnosis_rows(subject, reference.name, base.harness_id, final.harness_id, found)
    bench.land(rows, "diagnose_benefit")
    return DiagnoseResult(
        hbr=found.rate.hbr,
        status=found.rate.status,
        points=sum(isinstance(row, DecisionPointRow) for row in rows),
        gaps=sum(isinstance(row, BenefitGapRow) for row in rows),
    )


async def _diagnose(
    bench: Workbench,
    plan: CyclePlan,
    environment: Environment,
    models: tuple[Model, Model],
    harnesses: tuple[Harness, Harness],
) -> Diagnosis:
    form, (model, _) = plan.form, models
    is_alike = repeats_alike(model, environment)
    async with Sandbox() as sandbox:
        agent, reference = [
            Collector(bench, environment, one, sandbox, form.seed, plan.cycle_id) for one in models
        ]
        world = BenefitWorld(
            seed=form.seed,
            select=first_tasks(environment.tasks("select"), form.tasks),
            train=first_tasks(environment.tasks("train"), form.tasks),
            run=_run(agent),
            run_reference=None if idle_reason(reference.model, environment) else _run(reference),
            repeats=plan.repeats(is_alike),
            rerolls=range(1 if is_alike else DEFAULT.repeats),
            is_forkable=can_fork(environment, model),
            is_loadable=LOADABLE.is_there(environment),
        )
        found = await diagnose(world, *harnesses)
    agent.close()
    reference.close()
    return found


def _run(collector: Collector) -> Run:
    async def run(
        harness: Harness, specs: Sequence[EpisodeSpec], purpose: str
    ) -> Sequence[Episode]:
        return await collector.run_specs(harness, specs, purpose) if specs else []

    return run


def diagnose_cycle(form: DiagnoseForm) -> dict[str, Any]:
    """What diagnosis found for a finished cycle; it is made first where it is missing.

    Raises:
        ConfigError: there is no such cycle, or it has not come to its end.
    """
    bench = Workbench.open()
    plan, harness_id = finished_cycle(bench, form.cycle_id)
    diagnose_benefit(plan, harness_id)
    with bench.warehouse.read() as reader:
        rate = reader.rows(BenefitRateRow, "cycle_id = ?", [plan.cycle_id])[0]
        points = reader.rows(DecisionPointRow, "cycle_id = ?", [plan.cycle_id])
        forks = reader.rows(
            CounterfactualRow,
            "decision_point_id IN (SELECT unnest(?::VARCHAR[]))",
            [[point.decision_point_id for point in points]],
        )
        gaps = reader.frame(_GAPS, [plan.cycle_id]).to_dicts()
    return {
        **rate.model_dump(mode="json"),
        "simulated": is_simulated(rate.model) or is_simulated(rate.reference),
        "decision_points": len(points),
        "forks": len(forks),
        "gaps": gaps,
    }


def finished_cycle(bench: Workbench, cycle_id: str) -> tuple[CyclePlan, str]:
    """The plan of a cycle and the harness it ended with; the newest cycle without an id.

    Raises:
        ConfigError: there is no such cycle, or it has not come to its end.
    """
    with bench.warehouse.read() as reader:
        wanted = find_cycle(reader, cycle_id)
        [cycle] = reader.rows(CycleRow, "cycle_id = ?", [wanted])
        scores = reader.rows(EvaluationRow, "cycle_id = ? AND purpose = 'final'", [wanted])
    if cycle.model == IMPORTED:
        what = f"cycle `{wanted}` edits imported history and has no live world to diagnose in"
        raise ConfigError(what, hint="name a cycle of `tackroom cycle` with --cycle")
    if not scores:
        what = f"cycle `{wanted}` has not come to its end"
        raise ConfigError(what, hint="run the same `tackroom cycle` again; it goes on where it was")
    form = stored_form(cycle)
    plan = CyclePlan(cycle_id=wanted, form=form, base_harness_id=cycle.base_harness_id)
    return plan, scores[-1].harness_id
