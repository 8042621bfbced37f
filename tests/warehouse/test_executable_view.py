"""The view of executable actions says what `executable_share` says of the same rows."""

import random

import pytest

from schemas.episode import Episode
from schemas.ids import make_id
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.executable import NO_ACTION, executable_share

KINDS = [None, "sql", "no_call", "blocked", *sorted(NO_ACTION)]


def drawn(make, number: int, rng: random.Random) -> Episode:
    """An episode whose turns hold any mixture of calls that ran, failed and were refused."""
    trajectory = make.trajectory(number)
    steps, calls = [], []
    for index in range(rng.randint(0, 6)):
        steps.append(
            StepRow(
                trajectory_id=trajectory.trajectory_id,
                step_index=index,
                role="assistant",
                forced=rng.random() < 0.2,
            )
        )
        for place in range(rng.randint(0, 2)):
            calls.append(
                ToolCallRow(
                    tool_call_id=make_id("call", [number, index, place]),
                    trajectory_id=trajectory.trajectory_id,
                    step_index=index,
                    call_index=place,
                    requestor=rng.choice(["assistant", "assistant", "user"]),
                    tool="t",
                    executed=rng.choice([True, True, False, None]),
                    error_kind=rng.choice(KINDS),
                )
            )
    return Episode(trajectory, tuple(steps), tuple(calls))


@pytest.fixture
def episodes(make):
    rng = random.Random(5)
    return [drawn(make, number, rng) for number in range(200)]


def test_the_view_and_the_function_agree(store, fill, episodes):
    fill(store, [row for e in episodes for row in (e.trajectory, *e.steps, *e.calls)])
    with store.read() as reader:
        rows = reader.frame("SELECT trajectory_id, executable FROM executable_actions").rows()
    told = {e.trajectory_id: executable_share(e) for e in episodes}
    assert len(set(told.values())) > 5
    assert dict(rows) == told


def test_faults_and_imports_are_left_out(store, fill, make):
    fault = make.trajectory(1, fault="endpoint", outcome="unknown")
    imported = make.trajectory(2, origin="import")
    steps = [
        StepRow(trajectory_id=one.trajectory_id, step_index=0, role="assistant")
        for one in (fault, imported)
    ]
    fill(store, [fault, imported, *steps])
    with store.read() as reader:
        assert reader.scalar("SELECT count(*) FROM executable_actions") == 0
