"""Running a matrix: every cell's episodes through the collector, then the rows of the whole."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from schemas.episode import Episode
from schemas.errors import ConfigError
from schemas.fields import Split
from tasks.agent.builtin_models import NoopModel
from tasks.agent.noting import TakesNotes
from tasks.agent.offers import repeats_alike
from tasks.agent.protocols import (
    Environment,
    Model,
    Task,
)
from tasks.agent.standing import idle_reason
from tasks.collection import Collector, open_collector
from tasks.evaluation_cards import finished_card, read_card
from tasks.harness_rows import harness_rows, task_rows
from tasks.matrix.card import SPLITS, Order, card_row
from tasks.matrix.cells import Arm, Cell, Matrix
from tasks.matrix.comparing import contrast_rows, summary_rows
from tasks.progress import count, expect, in_stage
from tasks.scores import Scored, evaluation_row, require_judged, task_means, task_shares
from tasks.workbench import Workbench, first_tasks

ON_ALL_SPLITS = ("gold", "noop")
CELLS = "cells"
Episodes = dict[Cell, Sequence[Episode]]


def arms_of(
    bench: Workbench, words: Sequence[str], loops: Sequence[str], *, split: str, agent: str
) -> dict[Arm, Model]:
    """Every model in every loop; `gold` and `noop`, which no split teaches, run on all splits.

    Raises:
        ConfigError: a word names nothing.
    """
    arms: dict[Arm, Model] = {}
    for word in dict.fromkeys(words):
        for loop in dict.fromkeys(loops):
            model = bench.model(word, agent=agent, loop=loop)
            splits = SPLITS if split == "all" or word in ON_ALL_SPLITS else _one(split)
            arms[Arm(word, "own" if agent else loop, model.name, splits)] = model
    return arms


def _one(split: str) -> tuple[Split, ...]:
    return tuple(known for known in SPLITS if known == split)


def used_tasks(
    environments: Mapping[str, Environment], matrix: Matrix, limit: int
) -> dict[tuple[str, Split], int]:
    """How many tasks are scored, by environment and split.

    Raises:
        ConfigError: a split that is asked for has no tasks.
    """
    used: dict[tuple[str, Split], int] = {}
    for cell in matrix.cells:
        tasks = first_tasks(environments[cell.environment].tasks(cell.split), limit)
        used[cell.environment, cell.split] = len(tasks)
    for name, environment in environments.items():
        if not any(known for (where, _), known in used.items() if where == name):
            split = next(cell.split for cell in matrix.cells if cell.environment == name)
            what = f"environment `{environment.name}` has no tasks in split `{split}`"
            raise ConfigError(what, hint="choose another --split")
    return used


def run_matrix(bench: Workbench, order: Order, limit: int) -> dict[str, Any]:
    """Run what is not stored yet, store rows and card, and read the evaluation back.

    One that was finished before, without a fault, is answered from the warehouse. `limit` bounds
    the tasks of a split; 0 takes all.

    Raises:
        ConfigError: a built-in model cannot act in a world.
        ModelFault: infrastructure ended every episode.
    """
    done = finished_card(bench, order.inputs_id)
    if done:
        return read_card(bench, done) | {"already_done": True, "rollouts": 0}
    _require_acting(order)
    with in_stage("evaluate"):
        bench.commit()  # what a killed run has landed is used instead of being run again
        episodes, made = asyncio.run(_run_cells(bench, order, limit))
        card_id = _store(bench, order, episodes)
    return read_card(bench, card_id) | {"already_done": False, "rollouts": made}


def _require_acting(order: Order) -> None:
    """Fail on a model whose every score would be a 0 that nobody measured; noop is asked for."""
    for model in order.models.values():
        for environment in order.environments.values():
            reason = idle_reason(model, environment)
            if reason and not isinstance(model, NoopModel):
                raise ConfigError(reason, hint="take a model behind an endpoint, or `noop`")


async def _run_cells(bench: Workbench, order: Order, limit: int) -> tuple[Episodes, int]:
    """Episodes of all cells; what a model has done in a world is taken in before the next."""
    expect(CELLS, len(order.matrix.cells))
    found: Episodes = {}
    made = 0
    cells = sorted(order.matrix.cells, key=lambda cell: (cell.environment, cell.arm.name))
    for (name, arm), members in groupby(cells, key=lambda cell: (cell.environment, cell.arm)):
        if found:
            bench.commit()
        environment, model = order.environments[name], order.models[arm]
        async with open_collector(bench, environment, model, order.seed) as collector:
            for cell in members:
                tasks = first_tasks(environment.tasks(cell.split), limit)
                found[cell] = await _run_cell(collector, order, cell, tasks)
                count(CELLS)
            made += collector.made
    bench.commit()
    require_judged([one for members in found.values() for one in members])
    return found, made


async def _run_cell(
    collector: Collector, order: Order, cell: Cell, tasks: Sequence[Task]
) -> list[Episode]:
    harness = order.matrix.harnesses[cell.harness_id]
    rows = [*harness_rows(harness), *task_rows(collector.environment, tasks)]
    collector.bench.land(rows, "evaluate")
    alike = repeats_alike(collector.model, collector.environment)
    trials = 1 if alike else order.trials
    return await collector.run(harness, tasks, "evaluate", range(trials))


def _store(bench: Workbench, order: Order, episodes: Episodes) -> str:
    card = card_row(order, episodes, bench.now)
    scores = {
        cell: evaluation_row(_scored(order, cell, card.card_id), members)
        for cell, members in episodes.items()
    }
    means = {cell: task_means(members) for cell, members in episodes.items()}
    shares = {cell: task_shares(members) for cell, members in episodes.items()}
    contrasts = order.matrix.contrasts
    differences = contrast_rows(
        contrasts, means, scores, shares, source=order.matrix.source, seed=order.seed
    )
    summaries = summary_rows(contrasts, means, differences, seed=order.seed)
    bench.land([*scores.values(), *differences, *summaries, card], "evaluate")
    bench.commit()
    return card.card_id


def _scored(order: Order, cell: Cell, card_id: str) -> Scored:
    model = order.models[cell.arm]
    return Scored(
        cell.environment,
        cell.arm.name,
        cell.harness_id,
        cell.split,
        "evaluate",
        card_id=card_id,
        loop=cell.arm.loop,
        learns=isinstance(model, TakesNotes) and model.learns,
    )
