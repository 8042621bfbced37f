"""Scoring harnesses: sealed once per harness in a cycle, and the evaluations a user asks for."""

import asyncio
from collections.abc import Sequence
from typing import Any

from schemas.errors import ConfigError
from schemas.evaluation_forms import EvaluateForm
from schemas.forms import NO_RESULT
from schemas.plans import CyclePlan, ScoreResult
from tasks.agent.offers import repeats_alike
from tasks.agent.protocols import Environment
from tasks.collection import open_collector
from tasks.cycle import release
from tasks.evaluation_matrix import arms_of, run_matrix, used_tasks
from tasks.harness import Harness
from tasks.matrix.card import Order
from tasks.matrix.cells import LayerPlan, World, plan_grid
from tasks.run_caps import run_within
from tasks.scores import Scored, evaluation_row, require_judged
from tasks.stage import stage
from tasks.workbench import Workbench, first_tasks
from warehouse.harness_store import UnknownHarness


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
        bench.model(form.model, form.record, agent=form.agent, loop=form.loop),
    )
    harness = bench.harness(environment.name, harness_id)
    tasks = first_tasks(environment.tasks("sealed"), form.tasks)
    async with open_collector(bench, environment, model, form.seed, plan.cycle_id) as collector:
        episodes = await collector.run(
            harness, tasks, f"sealed:{purpose}", plan.repeats(repeats_alike(model, environment))
        )
    require_judged(episodes)
    scored = Scored(
        environment.name, model.name, harness_id, "sealed", purpose, plan.cycle_id, loop=form.loop
    )
    row = evaluation_row(scored, episodes)
    bench.land([row], "score_sealed")
    return ScoreResult(success=row.success, tasks=row.tasks, made=collector.made)


def evaluate(form: EvaluateForm, bench: Workbench | None = None) -> dict[str, Any]:
    """Score every model in every harness, world and loop, and compare the scores in pairs.

    Raises:
        ConfigError: a word names nothing, or a cell could not be scored.
        ModelFault: infrastructure ended every episode.
    """
    bench = bench or Workbench.open()
    with run_within(form, bench.settings):
        return run_matrix(bench, order_of(form, bench), form.tasks)


def order_of(form: EvaluateForm, bench: Workbench) -> Order:
    """What a form asks for, every word of it resolved.

    Raises:
        ConfigError: a word names nothing, or words do not go together.
    """
    _require_source(form)
    opened = [bench.environment(word) for word in dict.fromkeys(form.environments)]
    environments = {environment.name: environment for environment in opened}
    harnesses = _harnesses(bench, opened, form.harnesses)
    worlds = [World(name, tuple(one for one, _ in found)) for name, found in harnesses.items()]
    arms = arms_of(bench, form.models, form.loops, split=form.split, agent=form.agent)
    layers = LayerPlan(
        without=(form.without,) if form.without else (),
        leaves_out_all="leave-one-out" in form.layers,
        adds_each="add-one-in" in form.layers,
    )
    matrix = plan_grid(worlds, list(arms), layers, source=form.source)
    return Order(
        protocol="grid",
        matrix=matrix,
        environments=environments,
        models=arms,
        used=used_tasks(environments, matrix, form.tasks),
        trials=form.trials,
        seed=form.seed,
        asked=form.model_dump(mode="json", exclude=set(NO_RESULT)),
        release=release(),
        words={one.harness_id: word for found in harnesses.values() for one, word in found},
    )


def _require_source(form: EvaluateForm) -> None:
    if form.source and form.source not in form.models:
        what = f"--source {form.source[:60]} is none of the models"
        raise ConfigError(what, hint="a transfer ratio needs the source among --models")
    if form.source and len(set(form.harnesses)) == 1:
        what = "a transfer ratio compares gains, and one harness has none"
        raise ConfigError(what, hint="name the base harness and the evolved one: --harness seed,ID")


def _harnesses(
    bench: Workbench, environments: Sequence[Environment], words: Sequence[str]
) -> dict[str, list[tuple[Harness, str]]]:
    """Harnesses of each world with the word they were named by, each harness once.

    An id or a folder belongs to one world and is left out in the others.
    """
    found: dict[str, list[tuple[Harness, str]]] = {one.name: [] for one in environments}
    for word in dict.fromkeys(words):
        problems: list[ConfigError] = []
        fits = [name for name in found if _add(bench, found[name], name, word, problems)]
        if not fits:
            if problems:
                raise problems[0]
            what = f"harness {word[:60]} is written for none of {', '.join(found)}"
            raise ConfigError(what, hint="name its world with --environment")
    empty = [name for name, harnesses in found.items() if not harnesses]
    if empty:
        what = f"no harness is named for environment `{empty[0]}`"
        raise ConfigError(what, hint="add one of its harnesses, such as seed")
    return found


def _add(
    bench: Workbench,
    known: list[tuple[Harness, str]],
    environment: str,
    word: str,
    problems: list[ConfigError],
) -> bool:
    """Take in the harness a word stands for in a world; tell whether it is one of that world."""
    try:
        harness = bench.harness(environment, word)
    except UnknownHarness as error:
        problems.append(error)
        return False
    if harness.environment != environment:
        return False
    if harness.harness_id not in {one.harness_id for one, _ in known}:
        known.append((harness, word))
    return True
