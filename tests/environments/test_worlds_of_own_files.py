"""Worlds over a user's own files: DBBench and tau-bench in small copies made here."""

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from deployments.cli import run
from schemas.errors import ConfigError
from tasks.agent.offers import talk_tools
from tasks.agent.protocols import Call
from tasks.environments.catalogue import AGENTBENCH_DB, TAU_BENCH, Program
from tasks.environments.installation import WorldFolder, install
from tasks.environments.user_data import check_program

# Without packages it runs in our interpreter, which has what the small checkout needs.
SMALL_TAU = replace(TAU_BENCH, packages=())
SPLITS = ("train", "select", "sealed")
pytestmark = pytest.mark.slow
ADD = "INSERT INTO Towns (City, Size) VALUES"
KIT = """
from tau_bench.envs.tool import Tool

class GetOrder(Tool):
    @staticmethod
    def invoke(data, order_id):
        order = data["orders"].get(order_id)
        return str(order) if order else "Error: order not found"
    @staticmethod
    def get_info():
        parameters = {"type": "object", "properties": {"order_id": {"type": "string"}}}
        return {"type": "function", "function": {"name": "get_order", "parameters": parameters}}

class SetColour(Tool):
    @staticmethod
    def invoke(data, order_id, colour):
        data["orders"][order_id]["colour"] = colour
        return "done"
    @staticmethod
    def get_info():
        return {"type": "function", "function": {"name": "set_colour", "parameters": {}}}

class Calculate(Tool):
    @staticmethod
    def invoke(data, expression):
        return str(eval(expression))
    @staticmethod
    def get_info():
        return {"type": "function", "function": {"name": "calculate", "parameters": {}}}

ALL_TOOLS = [GetOrder, SetColour, Calculate]
"""
TYPES = """
from dataclasses import dataclass, field

@dataclass
class Action:
    name: str
    kwargs: dict

@dataclass
class Task:
    instruction: str
    actions: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
"""
TASKS = """
from tau_bench.types import Action, Task

{name} = [
    Task(
        "You are Ann in 12345. You want your order %s to be red. You're in a hurry." % number,
        [Action("get_order", {{"order_id": number}}),
         Action("set_colour", {{"order_id": number, "colour": "red"}})],
        ["1234"] if number == "1" else [],
    )
    for number in "0123456789"
] + [Task("You are Bo. You ask for the moon.", [Action("get_order", {{"order_id": "0"}})])]
"""


@contextmanager
def doing(text):
    yield


@pytest.fixture
def folder(tmp_path):
    return WorldFolder(tmp_path / "worlds")


@pytest.fixture
def opened(folder):
    """Installs a world over files and opens its environments; closes them again."""
    made = []

    def open_it(world, name, path):
        install(folder, world, doing, path)
        made.append(folder.open(world, name))
        return made[-1]

    yield open_it
    for environment in made:
        environment.close()


def item(kind, description, label, rows=None, **more):
    columns = [{"name": name, "type": kind} for name, kind in (("City", "TEXT"), ("Size", "INT"))]
    rows = rows or [["Oslo", 700], ["Rome", 2800]]
    table = {"table_name": "Towns", "table_info": {"columns": columns, "rows": rows}}
    return {"type": [kind], "description": description, "label": label, "table": table} | more


def write_lines(path, items):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in items))
    return path


@pytest.fixture
def lines(tmp_path):
    """Ten questions, ten changes, one change SQLite cannot run and one that changes nothing."""
    asked = [
        item("counting", f"How many? {n}", ["2,800.0%"], sql={"query": "SELECT 1"})
        for n in range(10)
    ]
    changed = [item("INSERT", f"Add {n}.", [f"{ADD} ('T{n}', {n})"]) for n in range(10)]
    useless = [
        item("UPDATE", "Odd.", ["UPDATE Towns SET City = CONCAT_ALL(City)"]),
        item("UPDATE", "Nothing.", ["UPDATE `Towns` SET City = 'X' WHERE City = 'Nowhere'"]),
    ]
    return write_lines(tmp_path / "bench/data/dbbench/standard.jsonl", asked + changed + useless)


@pytest.fixture
def checkout(tmp_path):
    """A small checkout of tau-bench."""
    root = tmp_path / "tau"
    for domain, names in {
        "retail": {"train": "TASKS_TRAIN", "dev": "TASKS_DEV", "test": "TASKS_TEST"},
        "airline": {"test": "TASKS"},
    }.items():
        place = root / "tau_bench/envs" / domain
        for part in ("data", "tools"):
            (place / part).mkdir(parents=True)
            (place / part / "__init__.py").write_text("")
        orders = {number: {"size": 3, "colour": "blue"} for number in "0123456789"}
        data = f"def load_data():\n    return {{'orders': {orders!r}}}\n"
        (place / "data/__init__.py").write_text(data)
        (place / "tools/__init__.py").write_text(KIT)
        (place / "wiki.py").write_text("WIKI = 'Be kind.'")
        for split, name in names.items():
            (place / f"tasks_{split}.py").write_text(TASKS.format(name=name))
    (root / "tau_bench/types.py").write_text(TYPES)
    (root / "tau_bench/envs/tool.py").write_text("class Tool:\n    pass\n")
    (root / "tau_bench/__init__.py").write_text("from litellm import completion\n")
    return root


def every_task(environment):
    return [task for split in SPLITS for task in environment.tasks(split)]


def play(environment, task):
    world = environment.start(task, 7)
    for _ in range(environment.step_budget):
        if world.act(environment.expert_call(task, world)).done:
            break
    return world


def assert_restores(environment, task):
    """A state after each gold call is come back to, and goes on the same."""
    world, states, told, calls = environment.start(task, 7), [], [], []
    for _ in range(3):
        states.append(world.snapshot())
        calls.append(environment.expert_call(task, world))
        told.append(world.act(calls[-1]))
    end = (world.snapshot(), world.verdict())
    for place, state in enumerate(states):
        world.restore(state)
        assert world.snapshot() == state
        assert [world.act(call) for call in calls[place:]] == told[place:]
        assert (world.snapshot(), world.verdict()) == end


def test_dbbench_keeps_what_can_be_judged_and_gold_solves_it(opened, lines):
    environment = opened(AGENTBENCH_DB, "agentbench_db", lines)
    tasks = every_task(environment)
    assert len(tasks) == 20
    assert {task.family for task in tasks} == {"counting", "insert"}
    for task in tasks:
        assert play(environment, task).verdict().outcome == "success"
        assert_restores(environment, task)


@pytest.mark.parametrize("answers", [[], [""], ["0"], ["2800", "1"], ["twenty-eight hundred"]])
def test_an_answer_that_is_not_the_label_fails(opened, lines, answers):
    environment = opened(AGENTBENCH_DB, "agentbench_db", lines)
    for task in every_task(environment):
        world = environment.start(task, 7)
        world.act(Call("commit_final_answer", {"answers": answers}))
        assert world.verdict().outcome == "failure"


def test_a_question_that_was_answered_after_changing_the_table_fails(opened, lines):
    environment = opened(AGENTBENCH_DB, "agentbench_db", lines)
    task = next(task for task in every_task(environment) if task.family == "counting")
    for statement, outcome in (
        ("SELECT * FROM Towns", "success"),
        ("DELETE FROM Towns", "failure"),
    ):
        world = environment.start(task, 7)
        world.act(Call("execute_sql", {"query": statement}))
        world.act(Call("commit_final_answer", {"answers": ["2800.005"]}))
        assert world.verdict().outcome == outcome


@pytest.mark.parametrize(
    "call",
    [
        Call("execute_sql", {"query": "ATTACH 'x' AS y"}),
        Call("execute_sql", {"query": "SELECT 1; SELECT 2"}),
        Call("execute_sql", {"query": None}),
        Call("commit_final_answer", {"answers": "2800"}),
    ],
)
def test_a_call_that_cannot_run_is_an_error_of_the_agent(opened, lines, call):
    environment = opened(AGENTBENCH_DB, "agentbench_db", lines)
    world = environment.start(environment.tasks("train")[0], 7)
    before = world.snapshot()
    assert world.act(call).is_error
    assert world.snapshot() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no items"),
        ("{", "line 1"),
        ('{"type": ["other"]}', "line 1"),
        (json.dumps(item("other", "?", ["x"], [["a", 1, 2]])), "line 1"),
    ],
)
def test_lines_that_are_no_items_are_one_clear_line(folder, tmp_path, text, said):
    path = tmp_path / "lines.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        install(folder, AGENTBENCH_DB, doing, path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert folder.record(AGENTBENCH_DB) is None


def test_tau_bench_gold_solves_every_conversation_and_doing_nothing_none(opened, checkout):
    environment = opened(SMALL_TAU, "tau_bench_retail_scripted", checkout)
    assert [len(environment.tasks(split)) for split in SPLITS] == [5, 17, 11]
    for task in every_task(environment):
        assert play(environment, task).verdict().outcome == "success"
        idle = environment.start(task, 7)
        idle.act(Call("respond", {"message": "Goodbye."}))
        idle.act(Call("done", {}))
        assert idle.verdict().outcome == "failure"
        assert_restores(environment, task)


def test_the_customer_says_why_then_who_then_the_rest_and_agrees(opened, checkout):
    environment = opened(SMALL_TAU, "tau_bench_airline_scripted", checkout)
    assert talk_tools(environment) == {"respond"}
    task = next(t for t in every_task(environment) if "order 1" in t.text)
    assert task.text == "I want my order 1 to be red."
    world = environment.start(task, 7)
    said = [world.act(Call("respond", {"message": "Hello?"})).observation for _ in range(3)]
    assert said[:2] == ["I am Ann in 12345.", "I'm in a hurry."]
    assert said[2].startswith("Yes")


def test_the_order_of_keys_which_results_show_is_part_of_a_state(opened, checkout):
    environment = opened(SMALL_TAU, "tau_bench_airline_scripted", checkout)
    world = environment.start(environment.tasks("train")[0], 7)
    world.act(Call("set_colour", {"order_id": "3", "colour": "red"}))
    look = Call("get_order", {"order_id": "3"})
    before, state = world.act(look), world.snapshot()
    world.restore(state)
    assert world.act(look) == before


def test_what_is_due_must_have_been_told(opened, checkout):
    environment = opened(SMALL_TAU, "tau_bench_airline_scripted", checkout)
    task = next(t for t in every_task(environment) if "order 1" in t.text)
    for message, outcome in (("It costs 1,234 dollars.", "success"), ("Bye.", "failure")):
        world = environment.start(task, 7)
        world.act(Call("get_order", {"order_id": "1"}))
        world.act(Call("set_colour", {"order_id": "1", "colour": "red"}))
        world.act(Call("respond", {"message": message}))
        world.act(Call("done", {}))
        assert world.verdict().outcome == outcome


@pytest.mark.parametrize(
    "call",
    [
        Call("calculate", {"expression": "9**9**9**9"}),
        Call("calculate", {"expression": "1" * 300}),
        Call("get_order", {"order_id": "99"}),
        Call("get_order", {"data": {}, "order_id": "1"}),
        Call("nothing", {}),
    ],
)
def test_a_call_a_desk_cannot_carry_out_is_an_error_of_the_agent(opened, checkout, call):
    environment = opened(SMALL_TAU, "tau_bench_airline_scripted", checkout)
    world = environment.start(environment.tasks("train")[0], 7)
    before = world.snapshot()
    assert world.act(call).is_error
    assert world.snapshot() == before


def test_a_checkout_that_breaks_is_one_clear_line(folder, checkout):
    (checkout / "tau_bench/envs/airline/wiki.py").write_text("WIKI: str = 1 / 0")
    with pytest.raises(ConfigError, match="is no checkout of tau-bench: ZeroDivisionError"):
        install(folder, SMALL_TAU, doing, checkout)


def test_other_files_are_another_fingerprint_and_the_same_are_installed_once(folder, lines):
    assert install(folder, AGENTBENCH_DB, doing, lines)
    assert not install(folder, AGENTBENCH_DB, doing, lines)
    assert not install(folder, AGENTBENCH_DB, doing)
    before = folder.open(AGENTBENCH_DB, "agentbench_db")
    kept = lines.read_text().splitlines(keepends=True)
    lines.write_text("".join(kept[1:]))
    after = folder.open(AGENTBENCH_DB, "agentbench_db")
    assert after.fingerprint != before.fingerprint
    assert install(folder, AGENTBENCH_DB, doing, lines.parents[2])
    for environment in (before, after):
        environment.close()


def test_files_that_have_gone_are_one_clear_line(folder, lines):
    install(folder, AGENTBENCH_DB, doing, lines)
    lines.unlink()
    with pytest.raises(ConfigError, match="it does not exist"):
        folder.open(AGENTBENCH_DB, "agentbench_db")


def test_a_program_that_is_missing_is_named_with_the_remedy():
    world = replace(AGENTBENCH_DB, program=Program("no-such-program", "install it"))
    with pytest.raises(ConfigError, match=r"needs the program `no-such-program`.*install it"):
        check_program(world)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["agentbench_db"], "needs a checkout of AgentBench"),
        (["agentbench_db", "--path", "nowhere"], "it does not exist"),
        (["tau_bench", "--path", "."], "it has no tau_bench/envs/retail"),
        (["bfcl", "--path", "."], "needs no files of yours"),
    ],
)
def test_the_command_says_what_a_world_needs(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert run(["env", "install", *words]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert len(told.strip().splitlines()) == 1


def test_the_list_says_which_files_a_world_was_installed_over(tmp_path, monkeypatch, capsys, lines):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    assert run(["env", "install", "agentbench_db", "--path", str(lines), "--json"]) == 0
    capsys.readouterr()
    assert run(["env", "list", "--json"]) == 0
    worlds = {world["world"]: world for world in json.loads(capsys.readouterr().out)["worlds"]}
    assert worlds["agentbench_db"]["path"] == str(lines)
    assert worlds["tau_bench"]["path"] is None
    assert Path(worlds["agentbench_db"]["path"]).exists()
