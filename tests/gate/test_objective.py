"""A gate whose objective is the share of executable actions: it decides pairs, guards do not."""

import asyncio
from dataclasses import replace

import pytest

from schemas.ids import make_id
from schemas.trajectories import StepRow, ToolCallRow
from tasks.gate.decide import decide_round
from tasks.gate.pairs import judge_pair

TURNS = 4


def with_actions(episode, actions: int):
    """The episode with four turns, of which so many became actions."""
    owner = episode.trajectory_id
    steps = [
        StepRow(trajectory_id=owner, step_index=index, role="assistant") for index in range(TURNS)
    ]
    calls = [
        ToolCallRow(
            tool_call_id=make_id("call", [owner, index]),
            trajectory_id=owner,
            step_index=index,
            call_index=0,
            tool="t",
            executed=True,
        )
        for index in range(actions)
    ]
    said = f"{owner}|{actions}"
    trajectory = episode.trajectory.model_copy(update={"transcript_sha256": said})
    return replace(episode, trajectory=trajectory, steps=tuple(steps), calls=tuple(calls))


@pytest.fixture
def acting(synthetic, has):
    """Rollouts by a rule that gives success and actions of each task in a harness."""

    def build(rule):
        inner = synthetic(lambda task, harness, repeat: rule(task, names(harness))[0])

        async def run(harness, tasks, repeats):
            by_id = {task.task_id: task for task in tasks}
            return [
                with_actions(e, rule(by_id[e.trajectory.task_id], names(harness))[1])
                for e in await inner(harness, tasks, repeats)
            ]

        return run

    def names(harness):
        return {artifact.name for artifact in harness.artifacts}

    return build


@pytest.fixture
def decided(base, tasks, world_of, clean):
    def go(rollouts, *edits, must_pass=(), **settings):
        world = world_of(rollouts, tasks(24), must_pass=must_pass, slots=1, **settings)
        return asyncio.run(decide_round(clean(*edits), base, world, slots=1))

    return go


def test_actions_win_a_trial_that_success_cannot_tell(acting, decided, candidate):
    rollouts = acting(lambda task, held: (False, 3 if "form" in held else 0))
    [row] = decided(rollouts, candidate("form"), objective="executable").decisions
    assert (row.verdict, row.objective, row.wins, row.losses) == ("accepted", "executable", 7, 0)
    assert row.delta == 0.75
    [row] = decided(rollouts, candidate("form")).decisions
    assert (row.verdict, row.objective, row.wins) == ("undecided", "success", 0)


def test_success_lost_for_actions_is_a_regression(acting, decided, candidate):
    rollouts = acting(lambda task, held: ("form" not in held, 4 if "form" in held else 2))
    [row] = decided(rollouts, candidate("form"), objective="executable").decisions
    assert (row.verdict, row.reason) == ("rejected", "regression")


def test_a_must_pass_task_is_one_of_success(acting, decided, candidate, tasks):
    must_pass = tasks(4, "train")

    def rule(task, held):
        return ("form" not in held if task.split == "train" else False), 3 if "form" in held else 0

    made = decided(acting(rule), candidate("form"), must_pass=must_pass, objective="executable")
    assert made.decisions[0].reason == "regression"


def test_pruning_keeps_what_makes_actions_though_success_never_changes(acting, decided, candidate):
    def rule(task, held):
        return False, 3 * ("form" in held) + ("shape" in held)

    edits = [candidate("form"), candidate("shape")]
    made = decided(acting(rule), *edits, objective="executable")
    assert {artifact.name for artifact in made.harness.artifacts} == {"form", "shape"}


def test_a_share_that_falls_is_a_lost_pair_and_no_regression(tasks, base, episode_of):
    [task] = tasks(1)
    old = with_actions(episode_of(task, base, 0, False, 9), 3)
    new = with_actions(episode_of(task, base, 0, False, 9), 1)
    pair = judge_pair(task, 0, [old], [new], "executable")
    assert (pair.result, pair.success) == ("loss", "tie")
    assert (pair.old_score, pair.new_score) == (0.75, 0.25)


def test_a_fault_leaves_the_pair_out_whatever_its_turns_were(tasks, base, episode_of):
    [task] = tasks(1)
    old = with_actions(episode_of(task, base, 0, False, 9), 3)
    new = with_actions(episode_of(task, base, 0, None, 9), 4)
    pair = judge_pair(task, 0, [old], [new], "executable")
    assert (pair.result, pair.success) == ("invalid", "invalid")
