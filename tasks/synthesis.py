"""Making training examples for the benefit gaps of a cycle."""

from collections import Counter
from typing import Any

from schemas.benefit import (
    BenefitGapRow,
    CounterfactualRow,
    DecisionPointRow,
    FollowingCheckRow,
)
from schemas.data import TrainingExampleRow
from schemas.episode import Episode
from schemas.forms import SynthesizeForm
from schemas.plans import CyclePlan, SynthesizeResult
from schemas.runs import CycleRow
from tasks.agent.protocols import Environment
from tasks.diagnosis import diagnose_benefit, finished_cycle
from tasks.harness import Harness
from tasks.scores import is_simulated
from tasks.stage import stage
from tasks.synthesizer.evidence import Evidence
from tasks.synthesizer.examples import synthesize
from tasks.synthesizer.guards import closed_texts
from tasks.workbench import Workbench
from warehouse.reader import Reader

_OF_CYCLE = "cycle_id = ?"
_OF_POINTS = "decision_point_id IN (SELECT unnest(?::VARCHAR[]))"
_OF_RUNS = "trajectory_id IN (SELECT unnest(?::VARCHAR[]))"


@stage(SynthesizeResult)
def synthesize_data(bench: Workbench, plan: CyclePlan, harness_id: str) -> SynthesizeResult:
    """Turn decision points and forks of the cycle's diagnosis into examples."""
    environment = bench.environment(plan.form.environment)
    harness = bench.harness(environment.name, harness_id)
    rows = synthesize(_evidence(bench, plan, environment, harness))
    bench.land(rows, "synthesize_data")
    return SynthesizeResult(examples=dict(sorted(Counter(row.kind for row in rows).items())))


def _evidence(
    bench: Workbench, plan: CyclePlan, environment: Environment, harness: Harness
) -> Evidence:
    model, reference = (
        bench.model(plan.form.model, plan.form.record, agent=plan.form.agent, loop=plan.form.loop),
        bench.model(plan.form.reference, agent=plan.form.agent, loop=plan.form.loop),
    )
    with bench.warehouse.read() as reader:
        points = reader.rows(DecisionPointRow, _OF_CYCLE, [plan.cycle_id])
        forks = reader.rows(CounterfactualRow, _OF_POINTS, [[p.decision_point_id for p in points]])
        ids = sorted({row.trajectory_id for row in [*points, *forks]})
        return Evidence(
            cycle_id=plan.cycle_id,
            model=model.name,
            environment=environment.name,
            points=points,
            forks=forks,
            gaps=reader.rows(BenefitGapRow, _OF_CYCLE, [plan.cycle_id]),
            checks=reader.rows(FollowingCheckRow, _OF_RUNS, [ids]),
            episodes=_episodes(reader, ids),
            skills={
                artifact.artifact_id: artifact.name
                for artifact in harness.artifacts
                if artifact.layer == "skills"
            },
            is_simulated=model.is_simulated or reference.is_simulated,
            closed_texts=_closed(environment),
        )


def _episodes(reader: Reader, ids: list[str]) -> dict[str, Episode]:
    """Episodes to learn from; none whose outcome is disputed."""
    wanted = reader.undisputed(ids)
    return {episode.trajectory_id: episode for episode in reader.episodes(wanted)}


def _closed(environment: Environment) -> tuple[str, ...]:
    closed = [task.text for split in ("select", "sealed") for task in environment.tasks(split)]
    return closed_texts(closed, [task.text for task in environment.tasks("train")])


def synthesize_cycle(form: SynthesizeForm) -> dict[str, Any]:
    """Examples of a finished cycle; they are made first where they are missing.

    Raises:
        ConfigError: there is no such cycle, or it has not come to its end.
    """
    bench = Workbench.open()
    plan, harness_id = finished_cycle(bench, form.cycle_id)
    diagnose_benefit(plan, harness_id)
    synthesize_data(plan, harness_id)
    with bench.warehouse.read() as reader:
        rows = reader.rows(TrainingExampleRow, _OF_CYCLE, [plan.cycle_id])
        cycle = reader.rows(CycleRow, _OF_CYCLE, [plan.cycle_id])[0]
    return {
        "cycle_id": plan.cycle_id,
        "model": cycle.model,
        "harness_id": harness_id,
        "examples": dict(sorted(Counter(row.kind for row in rows).items())),
        "tasks": len({row.task_id for row in rows}),
        "artifact_count": len({row.artifact_id for row in rows}),
        "simulated": is_simulated(cycle.model) or is_simulated(cycle.reference),
    }
