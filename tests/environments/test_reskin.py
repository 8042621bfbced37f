"""Tasks under other names: as hard as before, renamed, and solved by the expert alone."""

import asyncio
from datetime import UTC, datetime

import pytest

from tasks.agent.builtin_models import GoldModel, NoopModel
from tasks.agent.capabilities import Reskinnable
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.fork import executed_calls
from tasks.agent.rollout import run_episodes
from tasks.agent.simulated_model import simulated_model
from tasks.environments.registry import resolve_environment
from tasks.harness import Harness

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORLDS = ("sqldesk", "household", "orderdesk", "webshop")


@pytest.fixture(params=WORLDS)
def world(request):
    environment = resolve_environment(request.param)
    assert isinstance(environment, Reskinnable)
    return environment


def episodes(world, model, tasks):
    harness = Harness.from_files({"harness.yaml": f"api: 1\nenvironment: {world.name}\n"})
    rig = Rig(world, model, harness, None, NOW)
    return asyncio.run(run_episodes([EpisodeSpec(task, 7) for task in tasks], rig))


def skins(world, split="select", seed=7, count=None):
    return [world.reskin(task, seed) for task in world.tasks(split)[:count]]


@pytest.mark.parametrize("seed", [0, 7, 12345])
def test_the_expert_solves_every_renamed_task(world, seed):
    done = episodes(world, GoldModel(), skins(world, seed=seed, count=120))
    assert all(episode.is_success for episode in done)


def test_doing_nothing_solves_no_renamed_task(world):
    assert not any(one.is_success for one in episodes(world, NoopModel(), skins(world, count=60)))


def test_every_task_gets_another_text_and_keeps_its_id(world):
    for task, skin in zip(world.tasks("select"), skins(world), strict=True):
        assert skin.text != task.text
        assert (skin.task_id, skin.family, skin.split) == (task.task_id, task.family, task.split)
        assert skin.skin > 0


def test_the_same_seed_gives_the_same_names(world):
    assert skins(world, count=30) == skins(world, count=30)
    assert skins(world, seed=8, count=30) != skins(world, count=30)


def test_what_solved_the_original_does_not_solve_the_renamed_task(world):
    """A call with the old names and the old answer comes to nothing."""
    tasks = world.tasks("select")[:120]
    solved = 0
    for task, done in zip(tasks, episodes(world, GoldModel(), tasks), strict=True):
        other = world.start(world.reskin(task, 7), 7)
        for made in executed_calls(done.calls):
            other.act(made)
        solved += other.verdict().outcome == "success"
    assert solved <= 0.3 * len(tasks)


def test_renamed_runs_are_trajectories_of_their_own_and_no_runs(world):
    [task] = world.tasks("select")[:1]
    [plain, renamed] = episodes(world, GoldModel(), [task, world.reskin(task, 7)])
    assert plain.trajectory_id != renamed.trajectory_id
    assert (plain.trajectory.arm, renamed.trajectory.arm.split(":")[0]) == ("run", "reskin")


def test_a_renamed_world_is_brought_back_to_a_state(world):
    task = skins(world, count=1)[0]
    one, other = world.start(task, 7), world.start(task, 7)
    one.act(world.expert_call(task, one))
    other.restore(one.snapshot())
    assert other.snapshot() == one.snapshot()


def test_a_simulated_model_does_as_well_under_other_names(world):
    tasks = world.tasks("train")
    model = simulated_model("simulated:mid")
    plain = sum(one.is_success for one in episodes(world, model, tasks))
    renamed = sum(one.is_success for one in episodes(world, model, skins(world, "train")))
    assert abs(plain - renamed) <= 0.1 * len(tasks)
