"""The GEPA half of the benchmark keeps its budget and counts what it runs."""

import asyncio

import pytest

pytest.importorskip("gepa")

from tasks.collection import open_collector
from tasks.workbench import SEED_HARNESS, Workbench
from tests.benchmarks.gepa_search import Options, World
from tests.benchmarks.prompt_evolution_curves import draw_gepa

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
TINY = Options(budget=60, minibatch=24, validation=12, edits="one", components="round_robin")


async def draw():
    bench = Workbench.open()
    environment, model = bench.environment("sqldesk"), bench.model("simulated:weak")
    async with open_collector(bench, environment, model, seed=7) as collector:
        world = World(environment, model, collector, seed=7, tasks=48)
        points = await draw_gepa(world, bench.harness("sqldesk", SEED_HARNESS), TINY)
        return points, collector.made


def test_a_tiny_search_keeps_its_budget_and_counts_every_episode(tmp_path, monkeypatch):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    points, made = asyncio.run(draw())
    spent = [point.evaluations for point in points]
    assert spent == sorted(spent)
    assert spent[0] == 0
    assert TINY.budget <= spent[-1] < TINY.budget + TINY.step
    sealed = sum({point.harness_id: point.tasks for point in points}.values())
    assert made == spent[-1] + sealed
