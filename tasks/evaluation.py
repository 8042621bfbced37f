"""Scoring harnesses: sealed once per harness, and evaluations a user asks for."""

import asyncio
from collections.abc import Sequence
from typing import Any

from schemas.episode import Episode
from schemas.errors import ConfigError
from schemas.fields import Layer, Split
from schemas.forms import EvaluateForm
from schemas.plans import CyclePlan, ScoreResult
from tasks.agent.offers import noise_of, repeats_alike
from tasks.agent.protocols import Environment, Model, Task
from tasks.collection import Collector, open_collector
from tasks.harness import Harness
from tasks.harness_rows import harness_rows, task_rows
from tasks.progress import in_stage
from tasks.run_caps import run_within
from tasks.scores import Scored, evaluation_row, is_constrained, require_judged, task_means
from tasks.stage import stage
from tasks.statistics.evidence import mcnemar_one_sided
from tasks.statistics.noninferiority import paired_lower_bound
from tasks.statistics.resampling import paired_delta
from tasks.workbench import Workbench, first_tasks

SPLITS: tuple[Split, ...] = ("train", "select", "sealed")
ON_ALL_SPLITS = ("gold", "noop")


@stage(ScoreResult)
def score_sealed(bench: Workbench, plan: CyclePlan, harness_id: str, purpose: str) -> ScoreResult:
    """Score a harness on the sealed split; nothing of it is ever shown to an editor."""
    return asyncio.run(_score_sealed(bench, plan, harness_id, purpose))


async def _score_sealed(
    bench: Workbench, plan: CyclePlan, harness_id: str, purpose: str
) -> ScoreResult:
    form = plan.form
    environment, model = (
        bench.environment(form.environment),
        bench.model(form.model, agent=form.agent),
    )
    harness = bench.harness(environment.name, harness_id)
    tasks = first_tasks(environment.tasks("sealed"), form.tasks)
    async with open_collector(bench, environment, model, form.seed, plan.cycle_id) as collector:
        episodes = await collector.run(
            harness, tasks, f"sealed:{purpose}", plan.repeats(repeats_alike(model, environment))
        )
    require_judged(episodes)
    scored = Scored(environment.name, model.name, harness_id, "sealed", purpose, plan.cycle_id)
    row = evaluation_row(scored, episodes)
    bench.land([row], "score_sealed")
    return ScoreResult(success=row.success, tasks=row.tasks, made=collector.made)


def evaluate(form: EvaluateForm, bench: Workbench | None = None) -> dict[str, Any]:
    """Score one model in one harness, and paired without a layer when the form names one.

    Raises:
        ConfigError: a word names nothing.
    """
    bench = bench or Workbench.open()
    environment = bench.environment(form.environment)
    harness = bench.harness(environment.name, form.harness)
    with in_stage("evaluate"), run_within(form, bench.settings):
        return asyncio.run(_evaluate(form, bench, environment, harness))


async def _evaluate(
    form: EvaluateForm, bench: Workbench, environment: Environment, harness: Harness
) -> dict[str, Any]:
    model = bench.model(form.model, agent=form.agent)
    tasks = evaluated_tasks(form, environment)
    bench.land([*harness_rows(harness), *task_rows(environment, tasks)], "evaluate")
    async with open_collector(bench, environment, model, form.seed) as collector:
        episodes = await _run(collector, harness, tasks, form.repeats)
        result = _score(bench, environment, model, harness, episodes)
        if form.without:
            lesser = harness.without_layer(form.without)
            bench.land(harness_rows(lesser), "evaluate")
            others = await _run(collector, lesser, tasks, form.repeats)
            _score(bench, environment, model, lesser, others)
            result["without"] = ablation(form.without, form.seed, episodes, others)
    bench.commit()
    require_judged(episodes)
    return result | {"rollouts": collector.made}


def evaluated_tasks(form: EvaluateForm, environment: Environment) -> tuple[Task, ...]:
    """Tasks that a form asks for.

    Raises:
        ConfigError: there are none.
    """
    is_whole = form.split == "all" or form.model in ON_ALL_SPLITS
    splits = SPLITS if is_whole else (form.split,)
    tasks: list[Task] = []
    for split in splits:
        tasks += first_tasks(environment.tasks(split), form.tasks)  # pyright: ignore[reportArgumentType]
    if not tasks:
        what = f"environment `{environment.name}` has no tasks in split `{form.split}`"
        raise ConfigError(what, hint="choose another --split")
    return tuple(tasks)


async def _run(
    collector: Collector, harness: Harness, tasks: Sequence[Task], repeats: int
) -> list[Episode]:
    count = 1 if repeats_alike(collector.model, collector.environment) else repeats
    return await collector.run(harness, tasks, "evaluate", range(count))


def _score(
    bench: Workbench,
    environment: Environment,
    model: Model,
    harness: Harness,
    episodes: list[Episode],
) -> dict[str, Any]:
    by_split: dict[Split, list[Episode]] = {}
    for episode in episodes:
        by_split.setdefault(episode.trajectory.split, []).append(episode)
    rows = [
        evaluation_row(
            Scored(environment.name, model.name, harness.harness_id, split, "evaluate"), members
        )
        for split, members in by_split.items()
    ]
    bench.land(rows, "evaluate")
    means = task_means(episodes)
    return {
        "environment": environment.name,
        "model": model.name,
        "simulated": model.is_simulated,
        "noise": noise_of(environment),
        "harness_id": harness.harness_id,
        "success": sum(means.values()) / len(means) if means else None,
        "tasks": len(means),
        "faults": sum(row.faults for row in rows),
        "constrained": sum(is_constrained(episode) for episode in episodes),
        "splits": {row.split: row.success for row in rows},
    }


def ablation(
    layer: Layer, seed: int, full: Sequence[Episode], lesser: Sequence[Episode]
) -> dict[str, Any]:
    """What the harness loses without a layer, on the tasks judged in both arms."""
    old, new = task_means(lesser), task_means(full)
    shared = sorted(old.keys() & new.keys())
    before = {task_id: [old[task_id]] for task_id in shared}
    after = {task_id: [new[task_id]] for task_id in shared}
    delta = paired_delta(before, after, seed=seed)
    bound = paired_lower_bound(delta.wins, delta.losses, len(shared), len(shared))
    return {
        "layer": layer,
        "pairs": len(shared),
        "success": sum(old[task_id] for task_id in shared) / len(shared) if shared else None,
        "loss": delta.value,
        "loss_lo": delta.lo,
        "loss_hi": delta.hi,
        "loss_bound": bound.lo if bound else None,
        "wins": delta.wins,
        "losses": delta.losses,
        "ties": delta.ties,
        "p_value": mcnemar_one_sided(delta.wins, delta.losses),
    }
