"""Trials of an agent that learns run one after another, whatever order they are asked for in."""

import asyncio
from datetime import UTC, datetime

import pytest

from schemas.settings import Settings
from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec
from tasks.agent.loops.registry import in_loop
from tasks.agent.protocols import Call, ModelReply
from tasks.collection import open_collector
from tasks.workbench import Workbench

WRONG = Call("hand_in", {})


@pytest.fixture
def collect(tmp_path, bench):
    """Runs repeats through a collector; gives episodes by repeat and how many were made."""
    work = Workbench(Settings(home=tmp_path / "home"), datetime.now(UTC))

    def run(model, *repeats):
        async def main():
            async with open_collector(work, bench.environment, model, seed=7) as collector:
                specs = [EpisodeSpec(bench.task, 7, repeat) for repeat in repeats]
                episodes = await collector.run_specs(bench.harness, specs, "test")
                return {one.trajectory.repeat: one for one in episodes}, collector.made

        return asyncio.run(main())

    return run


def failing():
    # One script for every episode: a trial that reflects says its note first.
    return ScriptedModel([ModelReply(text="note"), WRONG], repeats_last=True)


def test_a_later_trial_that_is_asked_for_alone_brings_those_before_it(collect):
    found, made = collect(in_loop(failing(), "reflexion"), 2)
    assert (list(found), made) == ([2], 3)
    assert [note.carried for note in found[2].notes] == [True, False]


def test_trials_in_any_order_are_the_same_trials(collect):
    forwards, _ = collect(in_loop(failing(), "reflexion"), 0, 1, 2)
    backwards, _ = collect(in_loop(failing(), "reflexion"), 2, 1, 0)
    assert forwards == {repeat: backwards[repeat] for repeat in forwards}
    assert len({one.trajectory_id for one in forwards.values()}) == 3


def test_a_reflection_is_about_the_trial_before(collect):
    found, _ = collect(in_loop(failing(), "reflexion"), 0, 1, 2)
    about = [[note.about_trajectory_id for note in found[n].notes] for n in range(3)]
    first, second = found[0].trajectory_id, found[1].trajectory_id
    assert about == [[], [first], [first, second]]


def test_an_agent_that_does_not_learn_runs_only_what_is_asked_for(collect):
    _, made = collect(in_loop(failing(), "plan_execute"), 2)
    assert made == 1
