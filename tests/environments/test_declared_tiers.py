"""Tiers in worlds of other people: success without a harness lies in the bands of embedded ones."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.settings import Settings
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.rollout import run_episodes
from tasks.agent.simulated_model import simulated_model
from tasks.environments.catalogue import world_of
from tasks.environments.installation import WorldFolder
from tasks.environments.registry import close, resolve_environment
from tasks.workbench import seed_harness

FOLDER = Path(__file__).parents[2] / ".worlds" / "worlds"
BANDS = {"weak": (0.15, 0.50), "mid": (0.35, 0.70), "strong": (0.60, 0.90)}
NAMES = ("bfcl_base", "bfcl_miss_func", "tau2_telecom_solo", "tau2_retail_scripted")
SEEDS = (7, 8)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("worlds")]


@pytest.fixture(scope="module", params=NAMES)
def environment(request):
    world = world_of(request.param)
    assert world is not None
    if not WorldFolder(FOLDER).is_current(world):
        pytest.skip(f"the world `{world.name}` is not installed: make worlds")
    opened = resolve_environment(request.param, settings=Settings(home=FOLDER.parent))
    yield opened
    close(opened)


@pytest.mark.parametrize("tier", BANDS)
def test_base_success_on_sealed_lies_in_its_band(environment, tier):
    rig = Rig(
        environment,
        simulated_model(f"simulated:{tier}"),
        seed_harness(environment.name),
        None,
        NOW,
    )
    specs = [EpisodeSpec(task, seed) for seed in SEEDS for task in environment.tasks("sealed")]
    episodes = asyncio.run(run_episodes(specs, rig, concurrency=8))
    low, high = BANDS[tier]
    assert low <= sum(one.is_success for one in episodes) / len(episodes) <= high
