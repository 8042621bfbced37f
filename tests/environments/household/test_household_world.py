"""The household: tasks, gold, verdicts, commands, snapshots."""

import itertools
import random
import time

import pytest

from schemas.errors import ConfigError, EnvironmentFault
from tasks.agent.protocols import Call, Task
from tasks.environments.household import create
from tasks.environments.household.things import ITEM_KINDS, kind_of

SPLITS = {"train": 120, "select": 240, "sealed": 120}
NOTHING = "Nothing happens."


@pytest.fixture(scope="module")
def environment():
    return create()


def solve(environment, task, budget=None):
    world = environment.start(task, 0)
    for _ in range(budget or environment.step_budget):
        if world.act(environment.expert_call(task, world)).done:
            break
    return world


def do(world, command):
    return world.act(Call("take_action", {"action": command}))


def first_of(environment, family, split="train"):
    return next(task for task in environment.tasks(split) if task.family == family)


def bring(environment, family, verb):
    """Follow the expert until its next command begins with a verb."""
    task = first_of(environment, family)
    world = environment.start(task, 0)
    while True:
        command = environment.expert_call(task, world).arguments["action"]
        if command.split()[0] == verb:
            return world, command
        do(world, command)


@pytest.mark.parametrize("split", SPLITS)
def test_gold_solves_every_task_within_the_budget(environment, split):
    failed = [
        task.task_id
        for task in environment.tasks(split)
        if solve(environment, task, 16).verdict().outcome != "success"
    ]
    assert failed == []


def test_random_commands_pass_nearly_no_task(environment):
    wins = 0
    for task in environment.tasks("select"):
        rng, world = random.Random(task.task_id), environment.start(task, 0)
        for _ in range(environment.step_budget):
            wins += do(world, rng.choice(world.admissible())).done
            if world.is_over():
                break
    assert wins <= 2


def test_splits_share_neither_ids_nor_rooms(environment):
    tasks = [task for split in SPLITS for task in environment.tasks(split)]
    assert len({task.task_id for task in tasks}) == len(tasks)
    problems = [environment.start(task, 0).problem for task in tasks]
    rooms = {(problem.task.text, problem.places, problem.items) for problem in problems}
    assert len(rooms) == len(tasks)


def test_the_expert_is_told_of_everything_it_uses(environment):
    for task in environment.tasks("select"):
        world = environment.start(task, 0)
        told = world.opening
        while not world.is_over():
            command = environment.expert_call(task, world).arguments["action"]
            named = [
                name
                for name in command.replace(" from ", "|").replace(" to ", "|").split("|")
                if name.rsplit(" ", 1)[-1].isdigit() and len(name.split()) == 2
            ]
            assert all(name in told for name in named), (task.task_id, command)
            told += do(world, command).observation


def test_a_look_alike_lies_beside_every_wanted_item(environment):
    for task in environment.tasks("train"):
        problem = environment.start(task, 0).problem
        twin = ITEM_KINDS[problem.goal.item].twin
        homes = {place for item, place in problem.items if kind_of(item) == twin}
        assert homes & {place for _, place in problem.wanted}


@pytest.mark.parametrize(
    "command",
    [
        "",
        "go",
        "go to",
        "goto table 1",
        "go to the moon",
        "take mug 1",
        "put mug 1 in drawer 1",
        "go to table",
        "look around",
        "take_action",
        "_tell",
        "open table 1",
        "\ud800",
        "go to table 1\0",
    ],
)
def test_whatever_is_not_admissible_changes_nothing(environment, command):
    world = environment.start(first_of(environment, "clean_and_place"), 0)
    before = world.snapshot()
    result = do(world, command)
    assert (result.observation, result.is_error, result.error_kind) == (
        NOTHING,
        True,
        "inadmissible",
    )
    assert world.snapshot() == before


@pytest.mark.parametrize(
    ("call", "text", "kind"),
    [
        (
            Call("take_action", {"action": 3}),
            "action: 3 is not of type 'string'",
            "schema",
        ),
        (Call("take_action", {}), "'action' is a required property", "schema"),
        (Call("act", {"action": "look"}), "tool 'act' not found", "unknown_tool"),
    ],
)
def test_what_cannot_run_is_answered_as_an_api_would(environment, call, text, kind):
    result = environment.start(environment.tasks("train")[0], 0).act(call)
    assert (result.observation, result.is_error, result.error_kind) == (text, True, kind)


def test_every_admissible_command_does_something_without_an_error(environment):
    for task in environment.tasks("train"):
        world = environment.start(task, 0)
        while not world.is_over():
            state = world.snapshot()
            for command in world.admissible():
                result = do(world, command)
                assert not result.is_error
                assert result.observation != NOTHING
                world.restore(state)
            world.act(environment.expert_call(task, world))


def test_case_and_spaces_do_not_count(environment):
    world = environment.start(first_of(environment, "clean_and_place"), 0)
    assert not do(world, "  Go  to TABLE 1 ").is_error
    assert world.state.at == "table 1"


def test_nothing_leaves_or_enters_a_closed_place(environment):
    world, command = bring(environment, "clean_and_place", "open")
    place = command.removeprefix("open ")
    assert do(world, f"take {world.problem.goal.item} 1 from {place}").observation == NOTHING
    assert not any(text.startswith(("take ", "move ")) for text in world.admissible())
    do(world, command)
    assert f"close {place}" in world.admissible()


def test_a_closed_place_does_not_tell_what_is_in_it(environment):
    for task in environment.tasks("select"):
        world = environment.start(task, 0)
        for place in world.problem.places:
            told = do(world, f"go to {place}").observation
            if told.endswith("is closed."):
                assert not any(item in told for item in world.items_at(place))


def test_one_hand_holds_one_item(environment):
    world, command = bring(environment, "two_objects", "take")
    first = command.split(" from ")[0].removeprefix("take ")
    place = command.split(" from ")[1]
    do(world, command)
    other = world.items_at(place)[0]
    assert do(world, f"take {other} from {place}").observation == NOTHING
    assert world.state.hand == first


@pytest.mark.parametrize("verb", ["clean", "heat", "cool"])
def test_an_item_that_was_not_treated_does_not_count(environment, verb):
    world, command = bring(environment, f"{verb}_and_place", verb)
    item = world.state.hand
    place = next(p for p in world.problem.places if kind_of(p) == world.problem.goal.place)
    treated, bare = environment.start(world.problem.task, 0), world
    treated.restore(bare.snapshot())
    do(treated, command)
    for one in (treated, bare):
        for step in (f"go to {place}", f"open {place}", f"move {item} to {place}"):
            do(one, step)
    assert treated.verdict().outcome == "success"
    assert bare.verdict().parts == {"is_placed": True, "is_treated": False}


def test_heat_undoes_cold_and_leaves_clean(environment):
    world, command = bring(environment, "cool_and_place", "cool")
    item = world.state.hand
    do(world, command)
    for place, step in (("sink 1", "clean"), ("oven 1", "heat")):
        do(world, f"go to {place}")
        do(world, f"{step} {item} with {place}")
    assert world.state.marks == {item: ["clean", "heat"]}


def test_a_look_alike_does_not_count(environment):
    world, _ = bring(environment, "pick_and_place", "take")
    twin = next(
        item
        for item in world.items_at(world.state.at)
        if kind_of(item) == ITEM_KINDS[world.problem.goal.item].twin
    )
    place = next(p for p in world.problem.places if kind_of(p) == world.problem.goal.place)
    do(world, f"take {twin} from {world.state.at}")
    for step in (f"go to {place}", f"open {place}", f"move {twin} to {place}"):
        do(world, step)
    assert world.state.where[twin] == place
    assert world.verdict().outcome == "failure"


def test_the_lamp_counts_only_with_the_item_in_hand(environment):
    task = first_of(environment, "look_under_lamp")
    world = environment.start(task, 0)
    do(world, f"go to {world.problem.lamp_place}")
    assert not do(world, "use lamp 1").done
    assert world.verdict().outcome == "failure"
    assert "use lamp 1" not in world.admissible()
    assert solve(environment, task).verdict().outcome == "success"


def test_the_world_ends_with_the_goal_and_nothing_can_be_done_after(environment):
    world = solve(environment, environment.tasks("train")[0])
    before = world.snapshot()
    late = do(world, "look")
    assert (late.is_error, late.done) == (True, True)
    assert world.snapshot() == before


def test_snapshots_are_exact_at_every_step(environment):
    for task in environment.tasks("train"):
        world, other = environment.start(task, 0), environment.start(task, 1)
        while not world.is_over():
            other.restore(world.snapshot())
            assert other.snapshot() == world.snapshot()
            assert other.admissible() == world.admissible()
            call = environment.expert_call(task, world)
            assert other.act(call) == world.act(call)
            assert other.snapshot() == world.snapshot()
        assert other.verdict() == world.verdict()


def test_a_state_of_another_task_is_refused(environment):
    one, other = (environment.start(task, 0) for task in environment.tasks("train")[:2])
    with pytest.raises(EnvironmentFault, match="given to"):
        one.restore(other.snapshot())


def test_an_unknown_task_is_a_clear_error(environment):
    with pytest.raises(ConfigError, match="has no task"):
        environment.start(Task("household/none/1", "household", "none", "train", ""), 0)


def test_gold_texts_name_where_the_wanted_items_lie(environment):
    texts = environment.gold_texts()
    for task in environment.tasks("sealed"):
        item, place = environment.start(task, 0).problem.wanted[0]
        assert f"take {item} from {place}" in texts


def test_a_command_that_is_too_long_is_refused(environment):
    result = do(environment.start(environment.tasks("train")[0], 0), "x" * 10_000_000)
    assert result.error_kind == "schema"
    assert len(result.observation) < 1_000


def test_a_step_with_its_snapshot_takes_less_than_a_millisecond(environment):
    steps = itertools.count()
    began = time.process_time()
    for task in environment.tasks("select"):
        world = environment.start(task, 0)
        while not world.is_over():
            next(steps)
            world.act(environment.expert_call(task, world))
            world.snapshot()
            world.admissible()
    assert (time.process_time() - began) / next(steps) < 0.001
