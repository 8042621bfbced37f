"""`env check`: embedded worlds are all green, planted faults are named, nothing is a traceback."""

import json

import pytest

from deployments.cli import run
from schemas.errors import ConfigError
from tasks.environments.registry import EMBEDDED, close, resolve_environment
from tasks.world_check import check_world
from tasks.world_needs import NEEDS, STAGES, missing_needs, powers, require_cycle

WORLDS = """
import itertools, json, os, random, time

TOOLS = [
    {"name": "add", "description": "Add one.", "parameters": {"type": "object"}},
    {"name": "end", "description": "End."},
]
SHARED = itertools.count()


class World:
    def __init__(self):
        self.count, self.is_over = 0, False

    def act(self, call):
        if call.tool not in ("add", "end"):
            return {"observation": "there is no such tool", "is_error": True}
        self.is_over = call.tool == "end"
        self.count += not self.is_over
        return {"observation": f"now {self.count}", "done": self.is_over}

    def snapshot(self):
        return json.dumps([self.count, self.is_over])

    def restore(self, state):
        self.count, self.is_over = json.loads(state)

    def verdict(self):
        return self.is_over and self.count == 2


class Sound:
    name = "sound"
    tools = TOOLS
    is_forkable = True
    terminal_tools = ["end"]
    world = World

    def tasks(self):
        return [{"task_id": f"{self.name}/a/{i}", "text": f"Add 2, {i}."} for i in range(20)]

    def start(self, task, seed):
        return self.world()

    def expert_call(self, task, world):
        return {"tool": "add" if world.count < 2 else "end", "arguments": {}}


class Leaky(Sound):
    name = "leaky"

    def start(self, task, seed):
        world = World()
        if task["task_id"].endswith("3"):
            world.verdict = lambda: True
        return world


class Weak(Sound):
    name = "weak"

    def expert_call(self, task, world):
        return {"tool": "end", "arguments": {}}


class Chance(Sound):
    name = "chance"

    def start(self, task, seed):
        world = World()
        world.count = random.Random().randint(0, 10**9)
        return world


class Declared(Chance):
    noise = "it begins anywhere"


class Lasting(Sound):
    name = "lasting"

    def start(self, task, seed):
        world = World()
        world.act = lambda call: f"call {next(SHARED)} of all"
        return world


class Forgetful(Sound):
    name = "forgetful"

    def start(self, task, seed):
        world = World()
        world.restore = lambda state: None
        return world


class Odd(Sound):
    name = "odd"
    tools = [*TOOLS, {"name": "a b", "parameters": {"type": "array"}}]
    terminal_tools = ["stop"]
    write_tools = ["ad"]
    order_constraints = [["look", "add"]]

    def tasks(self):
        return [{"task_id": f"x/{i}", "text": "Same.", "split": "train"} for i in range(3)]


class Broken(Sound):
    name = "broken"
    how = ""

    def start(self, task, seed):
        world = World()
        world.act = lambda call: getattr(self, self.how)()
        return world

    def crash(self):
        os._exit(3)

    def hang(self):
        time.sleep(600)

    def flood(self):
        os.write(1, b"{}\\n" * 20_000)
        return "wet"

    def garbage(self):
        return 7

    def raising(self):
        raise ValueError("no such shelf")


def broken(way):
    made = Broken()
    made.how = way
    return made


def crash():
    return broken("crash")


def hang():
    return broken("hang")


def flood():
    return broken("flood")


def garbage():
    return broken("garbage")


def raising():
    return broken("raising")


def failing():
    raise ValueError("the shelf is missing")
"""


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check a world of the module `kinds`; gives the report."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    (tmp_path / "kinds.py").write_text(WORLDS)
    monkeypatch.chdir(tmp_path)
    return lambda word, **limits: check_world(f"kinds:{word}", **limits)


def errors(report):
    return [one["what"] for one in report["findings"] if one["severity"] == "error"]


def grade(report, name):
    return report["grades"][name]["value"]


@pytest.mark.parametrize("name", sorted(EMBEDDED))
def test_embedded_worlds_are_all_green(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path))
    report = check_world(name, tasks=20)
    assert report["ok"]
    assert not [one for one in report["findings"] if one["severity"] != "info"]
    assert {one["value"] for one in report["grades"].values()} <= {"yes", "none"}
    assert report["grades"]["restore"]["note"] == "100 steps made twice"
    assert all(stage["runs"] == "yes" for stage in report["stages"])
    assert [stage["stage"] for stage in report["stages"]] == list(STAGES)
    assert report["counts"]["gold"]["passed"] == report["counts"]["gold"]["tried"] == 60
    assert report["counts"]["noop"]["passed"] == 0


def test_a_sound_world_of_ones_own_says_what_it_lacks(check):
    report = check("Sound")
    assert report["ok"], report["findings"]
    for name in ("reset", "deterministic", "second_process", "restore", "gold", "noop_fails"):
        assert grade(report, name) == "yes", name
    runs = {stage["stage"]: stage["runs"] for stage in report["stages"]}
    assert [stage for stage, how in runs.items() if how != "yes"] == ["gate"]


def test_tasks_that_doing_nothing_passes_are_listed(check):
    report = check("Leaky")
    assert not report["ok"]
    ids = report["counts"]["noop"]["passed_ids"]
    assert sorted(ids) == ["leaky/a/13", "leaky/a/3"]
    [told] = errors(report)
    assert told.startswith("doing nothing passes 2 of 20 tasks")


def test_a_policy_that_fails_is_counted(check):
    report = check("Weak")
    assert grade(report, "gold") == "no"
    assert len(report["counts"]["gold"]["failed_ids"]) == 20


def test_chance_is_an_error_unless_it_is_declared(check):
    report = check("Chance")
    assert grade(report, "deterministic") == "no"
    assert any("the same calls gave other answers" in text for text in errors(report))
    declared = check("Declared")
    assert grade(declared, "verdict_repeats") == "no"
    assert not any("other answers" in text for text in errors(declared))


def test_what_one_episode_leaves_to_the_next_is_found(check):
    assert grade(check("Lasting"), "reset") == "no"


def test_a_restore_that_does_not_restore_is_found(check):
    report = check("Forgetful")
    assert grade(report, "restore") == "no"
    assert "the state after a restore" in " ".join(errors(report))


def test_names_that_are_no_tools_and_missing_splits_are_found(check):
    said = " ".join(errors(check("Odd")))
    for part in ("no select tasks", "'a b'", "'stop'", "'ad'", "'look'"):
        assert part in said


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("crash", "died"),
        ("garbage", "`act` must give a text"),
        ("raising", "ValueError: no such shelf"),
    ],
)
def test_a_world_that_breaks_is_a_fault_in_the_report(check, way, said):
    report = check(way)
    assert not report["ok"]
    assert said in " ".join(errors(report))
    assert report["counts"]["noop"]["tried"] == 20


def test_a_world_that_prints_is_no_fault(check):
    assert grade(check("flood"), "wrong_calls") == "yes"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_world_that_hangs_is_a_fault_and_the_check_ends(check):
    report = check("hang", most_s=2)
    assert not report["ok"]
    assert "gave no answer in 60 s" in " ".join(errors(report))
    assert report["wall_s"] < 150


def test_a_world_that_cannot_be_opened_is_a_report_and_an_unknown_word_a_usage_error(check, capsys):
    report = check("failing")
    assert not report["ok"]
    assert "ValueError: the shelf is missing" in report["findings"][0]["what"]
    assert run(["env", "check", "kinds:failing", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False
    assert run(["env", "check", "sqldsk"]) == 2
    assert "did you mean `sqldesk`?" in capsys.readouterr().err


def test_what_is_told_of_stages_is_what_stages_ask_for(check):
    world = resolve_environment("kinds:Odd")
    try:
        missing = {need.offer.name for need in missing_needs(world)}
        assert {"select", "sealed"} <= missing
        with pytest.raises(ConfigError, match="it has no select tasks"):
            require_cycle(world)
        stopped = {power.stage for power in powers(world) if power.runs == "no"}
        assert stopped == {"gate", "evaluate", "diagnose"}
    finally:
        close(world)
    assert {need.stage for need in NEEDS} <= set(STAGES)
    assert not missing_needs(resolve_environment("sqldesk"))
