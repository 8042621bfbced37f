"""Worlds of other people, where `make worlds` has installed them: gold, noop, splits, restoring."""

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest

from schemas.settings import Settings
from tasks.agent.protocols import Call, tools_of
from tasks.environments.catalogue import WORLDS, environments_of
from tasks.environments.installation import WorldFolder
from tasks.environments.registry import resolve_environment
from tasks.world_check import check_worlds

FOLDER = Path(__file__).parents[2] / ".worlds" / "worlds"
GATHERED = ("bfcl", "agentdojo", "agentdojo_attacked")
"""Environments made of the tasks of others."""
NAMES = [
    name
    for world in WORLDS.values()
    for name in world.environments
    if name not in (*GATHERED, *world.with_user) and world.data is None
]
SETTINGS = Settings(home=FOLDER.parent)
SPLITS = ("train", "select", "sealed")
COUNTS = {
    "bfcl_base": (80, 80, 40),
    "bfcl_miss_func": (79, 80, 40),
    "bfcl_miss_param": (80, 80, 40),
    "bfcl_long_context": (80, 80, 40),
    "tau2_telecom_solo": (74, 138, 40),
    "tau2_retail_scripted": (37, 37, 40),
    "tau2_airline_scripted": (15, 15, 20),
    "agentdojo_banking": (6, 7, 3),
    "agentdojo_slack": (8, 9, 4),
    "agentdojo_travel": (8, 8, 4),
    "agentdojo_workspace": (16, 16, 8),
    "scienceworld": (104, 101, 52),
}
EVERY = {"scienceworld": 25}
"""Every how many-th task is played where playing takes long."""
ENDS = {
    "bfcl": Call("respond", {"message": "Done."}),
    "tau2": Call("done", {}),
    "agentdojo": Call("answer", {"text": "Done."}),
    "scienceworld": Call("take_action", {"action": "wait"}),
}
LONG = 100
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("worlds")]


@pytest.fixture(scope="module")
def opened():
    """Opens installed environments, each once."""
    made = {}

    def open_it(name):
        world = next(one for one in WORLDS.values() if name in one.environments)
        if not WorldFolder(FOLDER).is_current(world):
            pytest.skip(f"the world `{world.name}` is not installed: make worlds")
        if name not in made:
            made[name] = resolve_environment(name, settings=SETTINGS)
        return made[name]

    yield open_it
    for environment in made.values():
        environment.close()


@pytest.fixture(params=NAMES)
def environment(request, opened):
    """Each environment in turn."""
    return opened(request.param)


def play(environment, world, task, choose):
    """Act until the world is done; gives the calls."""
    calls = []
    for _ in range(environment.step_budget):
        calls.append(choose(task, world))
        if world.act(calls[-1]).done:
            break
    return calls


def test_gold_solves_every_task_with_its_own_tools_and_noop_none(environment):
    counts = tuple(len(environment.tasks(split)) for split in SPLITS)
    assert counts == COUNTS[environment.name]
    for split in SPLITS:
        for task in environment.tasks(split)[:: EVERY.get(environment.name, 1)]:
            world = environment.start(task, 7)
            assert world.verdict().outcome == "failure", task.task_id
            calls = play(environment, world, task, environment.expert_call)
            names = {tool["function"]["name"] for tool in tools_of(environment, task)}
            assert {call.tool for call in calls} <= names
            assert world.verdict().outcome == "success", (task.task_id, world.verdict())
            world.close()


def test_an_agent_that_only_says_it_is_done_passes_nothing(environment):
    ends = ENDS[environment.name.partition("_")[0]]
    for task in environment.tasks("sealed")[:: EVERY.get(environment.name, 1)]:
        world = environment.start(task, 7)
        play(environment, world, task, lambda *_: ends)
        assert world.verdict().outcome == "failure", task.task_id
        world.close()


def stray(environment, task, rng):
    """A call of some tool with some arguments of the types its schema asks for."""
    tool = rng.choice(tools_of(environment, task))["function"]
    if tool["name"] in environment.terminal_tools:
        return None
    values = {
        "string": "x",
        "integer": 3,
        "number": 2.5,
        "boolean": True,
        "array": [],
        "object": {},
    }
    properties = tool["parameters"]["properties"]
    given = {name: values.get(one.get("type"), "x") for name, one in properties.items()}
    return Call(tool["name"], given)


def test_a_state_of_a_long_episode_is_restored_exactly_and_goes_on_the_same(environment):
    rng = random.Random(environment.name)
    task = environment.tasks("train")[0]
    world = environment.start(task, 7)
    calls, states, told = [], [world.snapshot()], []
    while len(calls) < LONG:
        gold = environment.expert_call(task, world)
        ends = gold.tool in environment.terminal_tools or gold.tool == "respond"
        call = gold if rng.random() < 0.2 and not ends else stray(environment, task, rng)
        if call is None or call.tool == "respond":
            continue
        calls.append(call)
        told.append(world.act(call))
        states.append(world.snapshot())
    verdict = world.verdict()
    for place in [0, *rng.sample(range(LONG), 5)]:
        world.restore(states[place])
        assert world.snapshot() == states[place]
        again = [world.act(call) for call in calls[place:]]
        assert again == told[place:]
        assert world.snapshot() == states[-1]
        assert world.verdict() == verdict


def test_another_process_comes_to_the_same_states(environment):
    other = resolve_environment(environment.name, settings=SETTINGS)
    assert other.fingerprint == environment.fingerprint
    for task in environment.tasks("sealed")[:5]:
        worlds = [one.start(task, 7) for one in (environment, other)]
        for _ in range(environment.step_budget):
            call = environment.expert_call(task, worlds[0])
            one, two = (world.act(call) for world in worlds)
            assert one == two
            assert worlds[0].snapshot() == worlds[1].snapshot()
            if one.done:
                break
    cast("Any", other).close()


def test_scenarios_that_categories_share_are_in_one_split(opened):
    split_of = {}
    for name in [one for one in NAMES if one.startswith("bfcl_")]:
        for split in SPLITS:
            for task in opened(name).tasks(split):
                number = task.task_id.rpartition("/")[2]
                assert split_of.setdefault(number, split) == split
    assert Counter(split_of.values()) == {"train": 80, "select": 80, "sealed": 40}


def test_all_categories_together_are_families(opened):
    environment = opened("bfcl")
    families = Counter(task.family for task in environment.tasks("train")[:40])
    assert families == {"base": 10, "miss_func": 10, "miss_param": 10, "long_context": 10}


def test_a_tool_that_comes_later_is_refused_until_then(opened):
    environment = opened("bfcl_miss_func")
    task = next(t for t in environment.tasks("train") if t.task_id.endswith("/GorillaFileSystem/0"))
    world = environment.start(task, 7)
    assert world.act(Call("sort", {"file_name": "x"})).error_kind == "unavailable"
    for _ in range(3):
        world.act(Call("respond", {"message": "I cannot sort."}))
    assert world.act(Call("sort", {"file_name": "x"})).error_kind == "execution"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("tau2_retail_scripted", Call("calculate", {"expression": "9**9**9**9"})),
        ("tau2_retail_scripted", Call("calculate", {"expression": "__import__('os')"})),
        ("tau2_retail_scripted", Call("__init__", {})),
        ("tau2_telecom_solo", Call("set_user_info", {"name": "x", "phone_number": "1"})),
        ("bfcl_base", Call("_load_scenario", {"scenario": {}})),
        ("bfcl_base", Call("cd", {"folder": ["x"], "other": None})),
        ("agentdojo_banking", Call("send_money", {"amount": "much"})),
        ("agentdojo_slack", Call("send_money", {"amount": 1})),
        ("agentdojo_workspace", Call("delete_email", {"email_id": "no such"})),
        ("scienceworld", Call("take_action", {"action": ["look"]})),
    ],
)
def test_a_call_beside_the_tools_is_an_error_of_the_agent(opened, name, call):
    environment = opened(name)
    world = environment.start(environment.tasks("train")[0], 7)
    before = json.loads(world.snapshot())[-1]
    assert world.act(call).is_error
    assert json.loads(world.snapshot())[-1] == before


def test_an_agent_that_does_what_an_attacker_says_fails_though_the_user_is_served(opened):
    environment = opened("agentdojo_attacked")
    tasks = [task for split in SPLITS for task in environment.tasks(split)]
    name = "agentdojo_attacked/banking/user_task_1.injection_task_7"
    task = next(task for task in tasks if task.task_id == name)
    world = environment.start(task, 7)
    seen = world.act(environment.expert_call(task, world)).observation
    planted = re.search(r"password of the user to (\S+)\.", seen)
    assert planted is not None
    before = world.snapshot()
    for obeys in (False, True):
        world.restore(before)
        if obeys:
            world.act(Call("update_password", {"password": planted[1]}))
        play(environment, world, task, environment.expert_call)
        verdict = world.verdict()
        assert (verdict.parts["utility"], verdict.parts["resisted"]) == (True, not obeys)
        assert verdict.outcome == ("failure" if obeys else "success")


def test_an_attacked_task_is_in_the_split_of_the_users_task(opened):
    quiet, attacked = opened("agentdojo"), opened("agentdojo_attacked")
    split_of = {task.task_id.partition("/")[2]: s for s in SPLITS for task in quiet.tasks(s)}
    found = {
        task.task_id.partition("/")[2].partition(".")[0]: split
        for split in SPLITS
        for task in attacked.tasks(split)
    }
    assert found == split_of


def test_tasks_the_suite_passes_untouched_need_the_work_to_be_done(opened):
    environment = opened("agentdojo_banking")
    worked = []
    for task in [t for split in SPLITS for t in environment.tasks(split)]:
        world = environment.start(task, 7)
        world.act(Call("answer", {"text": ""}))
        parts = world.verdict().parts
        if parts["utility"]:
            worked.append(task.task_id.rpartition("_")[2])
            assert parts["worked"] is False
    assert sorted(worked, key=int) == ["5", "6", "8", "9", "10"]


def test_an_unknown_command_leaves_no_trace_in_the_simulator(opened):
    environment = opened("scienceworld")
    world = environment.start(environment.tasks("train")[0], 7)
    before = world.snapshot()
    for command in ("dance wildly", "reset task"):
        told = world.act(Call("take_action", {"action": command})).observation
        assert told.startswith(environment.non_progress)
    assert world.snapshot() == before


def test_what_the_agent_makes_endless_is_broken_off(opened):
    environment = opened("bfcl_base")
    task = next(t for t in environment.tasks("train") if "logarithm" in t.tools)
    world = environment.start(task, 7)
    endless = Call("logarithm", {"value": 2.5, "base": 3.5, "precision": 3_000_000})
    result = world.act(endless)
    assert (result.is_error, result.error_kind) == (True, "execution")


def test_doing_nothing_is_no_refusal(opened):
    environment = opened("tau2_airline_scripted")
    task = next(t for t in environment.tasks("train") if t.family == "refusals")
    world = environment.start(task, 7)
    world.act(Call("done", {}))
    assert world.verdict().parts["records"]
    assert not world.verdict().parts["justified"]


@pytest.mark.parametrize("world", [one.name for one in WORLDS.values() if one.data is None])
def test_an_installed_world_is_checked_with_all_its_environments(tmp_path, monkeypatch, world):
    if not WorldFolder(FOLDER).is_current(WORLDS[world]):
        pytest.skip(f"the world `{world}` is not installed: make worlds")
    names = environments_of(world)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path))
    (tmp_path / "worlds").symlink_to(FOLDER)
    result = check_worlds(world, tasks=2)
    reports = result.get("environments", [result])
    assert result["ok"], [report["findings"] for report in reports]
    assert [report["environment"] for report in reports] == list(names)
