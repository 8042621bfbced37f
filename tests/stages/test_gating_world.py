"""What the gate of a round is given: stable must-pass tasks, noise, forks, a pinned world."""

import asyncio

import pytest

from schemas.errors import ConfigError
from schemas.forms import CycleForm
from tasks.collection import collect_train, open_collector
from tasks.cycle import open_cycle
from tasks.gate.touch import Replayer
from tasks.gating_inputs import require_pinned
from tasks.gating_world import STABLE_RUNS, GateDesk, open_world
from tasks.workbench import Workbench

pytestmark = [pytest.mark.gx, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def opened(tmp_path, monkeypatch, planted):
    """Open a cycle in the planted world, collect its train runs, and look at the gate's world."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    monkeypatch.syspath_prepend(str(planted))

    def go(model, **changes):
        form = CycleForm(environment="depot", model=model, tasks=12, rounds=1, **changes)
        plan = open_cycle(form)
        collect_train(plan, plan.base_harness_id, 1)
        bench = Workbench.open()
        environment, agent = bench.environment("depot"), bench.model(model)
        harness = bench.harness("depot", plan.base_harness_id)

        async def look():
            collecting = open_collector(bench, environment, agent, form.seed, plan.cycle_id)
            async with collecting as collector:
                replayer = Replayer(collector.sandbox)
                desk = GateDesk(bench, plan, environment, agent, collector, replayer)
                world = await open_world(desk, harness, 1)
                again = await world.run(harness, world.must_pass, range(STABLE_RUNS))
            return world, again

        return plan, bench, environment, *asyncio.run(look())

    return go


def test_where_replies_vary_a_task_must_pass_only_when_it_passed_each_time(opened):
    _, _, _, world, again = opened("simulated:mid?temperature=0.7")
    assert world.must_pass
    assert all(episode.is_success for episode in again)
    assert {episode.trajectory.repeat for episode in again} == {0, 1, 2}
    assert world.measures_noise


def test_a_model_that_replies_alike_is_asked_once_and_has_no_noise(opened):
    _, _, _, world, _ = opened("simulated:mid")
    assert world.repeats == (0,)
    assert not world.measures_noise
    assert len(world.history.episodes) == 12
    assert sum(world.train_families.values()) == 12


def test_exposure_trials_can_be_left_out(opened):
    _, _, _, world, _ = opened("simulated:weak", exposures=0)
    assert world.history is None


def test_a_world_that_changes_during_a_cycle_is_refused_in_one_line(opened):
    plan, bench, environment, _, _ = opened("simulated:weak")
    require_pinned(bench, plan, environment)
    environment.fingerprint = "another"
    with pytest.raises(ConfigError, match="changed during") as caught:
        require_pinned(bench, plan, environment)
    assert len(str(caught.value).splitlines()) == 1
