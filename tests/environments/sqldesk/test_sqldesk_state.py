"""Snapshots of the desk are canonical and bring back every state."""

import json

import pytest

from schemas.errors import EnvironmentFault
from tasks.agent.protocols import Call
from tasks.environments.sqldesk import create


@pytest.fixture(scope="module")
def environment():
    return create()


def query(sql):
    return Call("execute_sql", {"query": sql})


def on_table(world, sql):
    return query(sql.replace("{}", world.problem.table.name))


def first_of(environment, family, split="train"):
    return next(task for task in environment.tasks(split) if task.family == family)


def test_snapshots_are_canonical_and_restore_bit_for_bit(environment):
    for task in environment.tasks("train")[:36]:
        world = environment.start(task, 0)
        states = [world.snapshot()]
        for _ in range(4):
            if world.act(environment.expert_call(task, world)).done:
                break
            states.append(world.snapshot())
        for state in states:
            loaded = json.loads(state)
            compact = json.dumps(loaded, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            assert compact.encode() == state
        for state in reversed(states):
            world.restore(state)
            assert world.snapshot() == state
        for expected in states[1:]:
            world.act(environment.expert_call(task, world))
            assert world.snapshot() == expected


def test_strange_values_survive_a_restore(environment):
    task = first_of(environment, "update_value")
    world = environment.start(task, 0)
    key, number = (
        world.problem.table.columns[0][0],
        next(column for column, kind in world.problem.table.columns if kind != "TEXT"),
    )
    values = ("x'00ff'", "CAST(x'ff41' AS TEXT)", "'\U0001f40e'", "NULL", "1e999", "-1e999")
    for place, value in enumerate(values, start=1):
        for column in (key, number):
            sql = "UPDATE {} SET [column] = value WHERE rowid = place"
            for word, part in (("column", column), ("value", value), ("place", str(place))):
                sql = sql.replace(word, part, 1)
            world.act(on_table(world, sql))
    state = world.snapshot()
    other = environment.start(task, 0)
    other.restore(state)
    assert other.snapshot() == state
    assert other.database.content_hash() == world.database.content_hash()


def test_reads_and_repeated_errors_leave_the_state_alone(environment):
    task = first_of(environment, "update_value")
    world = environment.start(task, 0)
    world.act(on_table(world, "SELECT * FROM {}"))
    state = world.snapshot()
    world.act(on_table(world, "SELECT * FROM {}"))
    world.act(query("SELECT nothing FROM nowhere"))
    assert world.snapshot() == state


def test_a_state_of_another_task_is_refused(environment):
    one, other = environment.tasks("train")[:2]
    state = environment.start(one, 0).snapshot()
    with pytest.raises(EnvironmentFault, match="restore a state into a world of its own task"):
        environment.start(other, 0).restore(state)
