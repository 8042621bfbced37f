"""Worlds of a user's own in a child process: loose forms, crashes, hangs, prints, the end."""

import asyncio
import json
import os
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.errors import ConfigError, EnvironmentFault
from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.capabilities import Blocking, Forkable, HasExpert, HasGoldTexts
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.protocols import Call, Environment
from tasks.agent.rollout import run_episodes
from tasks.environments.host import open_environment
from tasks.environments.host_process import Child
from tasks.environments.registry import resolve_environment
from tasks.harness import Harness

ROOT = Path(__file__).parents[2]
COUNTER = """
import json, os, sys, time
from dataclasses import dataclass, field
from tasks.counting import START

@dataclass
class Task:
    task_id: str
    environment: str
    family: str
    split: str
    text: str

@dataclass
class World:
    opening: str = "The counter stands at 0."
    count: int = START
    def act(self, call):
        word = call.arguments.get("word", "up")
        if word == "print":
            print("{\\"id\\": 1, \\"ok\\": null}", flush=True)
            os.system("echo noise from a shell")
            return "printed"
        if word == "crash":
            os._exit(3)
        if word == "hang":
            time.sleep(60)
        if word == "raise":
            raise ValueError("no such\\nword")
        if word == "odd":
            return {"observation": "\\ud800\\0", "is_error": True, "error_kind": "odd"}
        if word == "nonsense":
            return 7
        self.count += 1
        return {"observation": "now %d" % self.count, "done": self.count >= 3}
    def admissible(self):
        return ["up", "print"]
    def snapshot(self):
        return json.dumps({"count": self.count}).encode()
    def restore(self, state):
        self.count = json.loads(state)["count"]
    def verdict(self):
        return {"reward": float(self.count >= 3), "parts": {"count": self.count}}

class Environment:
    name = "counter"
    fingerprint = "f1"
    tools = [{"name": "count", "description": "Count.", "parameters": {"type": "object"}}]
    system_prompt = "Count."
    step_budget = 5
    terminal_tools = set()
    non_progress = ["nothing"]
    is_forkable = True
    order_constraints = [["count", "count"]]
    def tasks(self, split):
        number = {"train": 2, "select": 1, "sealed": 1}[split]
        return [Task("counter/up/%s%d" % (split, i), "counter", "up", split, "Count.")
                for i in range(number)]
    def start(self, task, seed):
        assert type(task).__name__ == "Task"
        return World()
    def expert_call(self, task, world):
        return {"tool": "count", "arguments": {}}
    def gold_texts(self):
        return ["three"]
"""
BARE = """
class World:
    done = False
    def act(self, call):
        self.done = call["tool"] == "finish"
        return "ok"
    def verdict(self):
        return self.done
class Bare:
    name = "bare"
    tools = [{"type": "function", "function": {"name": "finish"}}]
    def tasks(self):
        return [{"task_id": "t%d" % i, "text": "Finish."} for i in range(10)]
    def start(self, task, seed):
        return World()
def make():
    print("making", flush=True)
    return Bare()
class Twice(Bare):
    def tasks(self):
        return [{"task_id": "t", "text": ""}] * 2
class Nameless(Bare):
    name = "No Name"
class Idle(Bare):
    def tasks(self):
        return []
"""
FAILING = """
import json
from bare import Bare, World
class Late(Bare):
    def start(self, task, seed):
        raise ValueError("in start")
class Acting(World):
    def act(self, call):
        json.loads("{")
class Later(Bare):
    def start(self, task, seed):
        return Acting()
class Listing(Bare):
    def tasks(self):
        raise ValueError("in tasks")
def none():
    pass
def raising():
    json.loads("{")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A user's folder with a package of the same name as ours."""
    home = tmp_path_factory.mktemp("user")
    (home / "tasks").mkdir()
    (home / "tasks" / "__init__.py").write_text("")
    (home / "tasks" / "counting.py").write_text("START = 0\n")
    (home / "counter.py").write_text(COUNTER)
    (home / "bare.py").write_text(BARE)
    (home / "broken.py").write_text("import no_such_module_anywhere\n")
    (home / "failing.py").write_text(FAILING)
    (home / "garbled.py").write_text("\ndef make(:\n")
    (home / "leaving.py").write_text("import sys\nsys.exit('bye')\n")
    return home


@pytest.fixture
def opened(folder):
    """Opens environments in the user's folder and closes them again."""
    before = Path.cwd()
    os.chdir(folder)
    environments = []

    def open_it(word="counter:Environment", **options):
        environments.append(open_environment(word, **options))
        return environments[-1]

    yield open_it
    for environment in environments:
        environment.close()
    os.chdir(before)


def up(word="up"):
    return Call("count", {"word": word})


def begin(environment, number=0):
    return environment.start(environment.tasks("train")[number], 7)


def test_a_user_with_a_package_called_tasks_keeps_it(opened):
    environment = opened()
    protocols = (Environment, Forkable, Blocking, HasExpert, HasGoldTexts)
    assert [isinstance(environment, protocol) for protocol in protocols] == [True] * 5
    assert [task.task_id for task in environment.tasks("train")] == [
        "counter/up/train0",
        "counter/up/train1",
    ]
    assert (environment.name, environment.fingerprint) == ("counter", "f1")
    offered = vars(environment)
    assert offered["gold_texts"]() == ("three",)
    assert offered["order_constraints"] == (("count", "count"),)


def test_a_world_acts_lists_restores_and_judges(opened):
    environment = opened()
    world = begin(environment)
    assert world.opening == "The counter stands at 0."
    assert world.admissible() == ("up", "print")
    state = world.snapshot()
    assert world.act(up()).observation == "now 1"
    world.act(up())
    assert world.act(up()).done
    assert world.verdict().outcome == "success"
    world.restore(state)
    assert world.snapshot() == state
    assert world.verdict().outcome == "failure"
    assert environment.expert_call(environment.tasks("train")[0], world) == Call("count", {})


def test_what_an_answer_tells_along_is_not_asked_again(opened, monkeypatch):
    environment = opened()
    asked = []
    ask = Child.ask
    monkeypatch.setattr(
        Child, "ask", lambda self, op, *a, **k: asked.append(op) or ask(self, op, *a, **k)
    )
    world = begin(environment)
    seen = [(world.snapshot(), world.admissible())]
    for change in (lambda: world.act(up()), lambda: world.restore(b'{"count": 2}')):
        change()
        seen.append((world.snapshot(), world.admissible()))
    assert [json.loads(state)["count"] for state, _ in seen] == [0, 1, 2]
    assert {listed for _, listed in seen} == {("up", "print")}
    assert asked == ["start", "act", "restore"]


def test_a_world_in_a_new_child_shows_where_it_is_and_not_where_it_began(opened):
    environment = opened()
    world, guilty = begin(environment), begin(environment, 1)
    world.act(up())
    with pytest.raises(EnvironmentFault):
        guilty.act(up("crash"))
    assert world.verdict().parts["count"] == 1
    assert json.loads(world.snapshot())["count"] == 1


def test_worlds_of_one_child_do_not_touch_each_other(opened):
    environment = opened()
    worlds = [begin(environment, number) for number in (0, 1, 0)]
    for world, times in zip(worlds, (0, 1, 2), strict=True):
        for _ in range(times):
            world.act(up())
    assert [world.verdict().parts["count"] for world in worlds] == [0, 1, 2]


def test_what_the_user_prints_does_not_disturb_the_protocol(opened):
    world = begin(opened())
    assert world.act(up("print")).observation == "printed"
    assert world.act(up()).observation == "now 1"


def test_a_forgotten_world_does_not_end_the_others(opened):
    environment = opened()
    first, second = begin(environment), begin(environment, 1)
    first.close()
    assert second.act(up()).observation == "now 1"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("crash", "died"),
        ("hang", "gave no answer in 0.5 s"),
        ("raise", "ValueError: no such word"),
        ("nonsense", "`act` must give"),
    ],
)
def test_what_breaks_is_a_fault_of_that_world_only(opened, word, said):
    environment = opened(answer_s=0.5)
    innocent, guilty = begin(environment), begin(environment, 1)
    innocent.act(up())
    innocent.snapshot()
    with pytest.raises(EnvironmentFault, match=said) as caught:
        guilty.act(up(word))
    assert "\n" not in str(caught.value)
    assert innocent.act(up()).observation == "now 2"
    assert innocent.verdict().parts["count"] == 2
    assert begin(environment).act(up()).observation == "now 1"


def test_a_world_that_broke_stays_broken(opened):
    world = begin(opened())
    with pytest.raises(EnvironmentFault):
        world.act(up("crash"))
    with pytest.raises(EnvironmentFault):
        world.verdict()
    world.close()


def test_a_restored_world_is_led_on_from_there_in_a_new_child(opened):
    environment = opened()
    world, guilty = begin(environment), begin(environment, 1)
    world.restore(b'{"count": 1}')
    world.act(up())
    with pytest.raises(EnvironmentFault):
        guilty.act(up("crash"))
    assert world.verdict().parts["count"] == 2


def test_episodes_end_in_faults_and_results_not_in_errors(opened):
    environment = opened()
    train = environment.tasks("train")
    model = ScriptedModel(
        {
            train[0].task_id: [up(), up(), up()],
            train[1].task_id: [up(), up("crash"), up()],
        }
    )
    now = datetime(2030, 1, 1, tzinfo=UTC)
    files = {"harness.yaml": "api: 1\nname: base\nenvironment: counter\n"}
    rig = Rig(environment, model, Harness.from_files(files), None, now)
    specs = [EpisodeSpec(task, 7) for task in train]
    first, second = asyncio.run(run_episodes(specs, rig))
    assert (first.trajectory.outcome, first.trajectory.fault) == ("success", None)
    assert (second.trajectory.outcome, second.trajectory.fault) == ("unknown", "environment")


def test_a_text_that_cannot_be_stored_arrives_as_it_is(opened):
    result = begin(opened()).act(up("odd"))
    assert (result.is_error, result.error_kind, len(result.observation)) == (True, "odd", 2)


def test_the_least_an_environment_can_be(opened):
    environment = opened("bare:make")
    counts = [len(environment.tasks(split)) for split in ("train", "select", "sealed")]
    assert counts == [4, 4, 2]
    assert not isinstance(environment, HasExpert)
    assert len(environment.fingerprint) == 16
    world = environment.start(environment.tasks("sealed")[0], 7)
    before = world.snapshot()
    assert world.admissible() is None
    assert world.act(Call("finish", {})).observation == "ok"
    assert world.snapshot() != before
    assert world.verdict().outcome == "success"
    with pytest.raises(EnvironmentFault, match="cannot restore"):
        world.restore(before)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("broken:make", "No module named 'no_such_module_anywhere'"),
        ("leaving:make", "SystemExit: bye"),
        ("missing:make", "No module named 'missing'"),
        ("bare:nothing", "has no attribute 'nothing'"),
        ("bare:World", "tasks"),
        ("bare:Twice", "task 't' is listed twice"),
        ("bare:Nameless", "it calls itself 'No Name'"),
        ("bare:Idle", "it lists no tasks"),
    ],
)
def test_a_factory_that_gives_no_environment_is_one_clear_line(opened, word, said):
    with pytest.raises(ConfigError) as caught:
        opened(word)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("word", "place", "said"),
    [
        ("broken:make", "broken.py:1: ", '(mend the module, or run `python -c "import broken"` to'),
        ("leaving:make", "leaving.py:2: ", "SystemExit: bye (mend the module"),
        ("garbled:make", "garbled.py:2: ", "SyntaxError: invalid syntax (mend the module"),
        ("failing:raising", "failing.py:19: ", '"import failing; failing.raising()"`'),
        ("failing:Listing", "failing.py:15: ", "ValueError: in tasks (mend the module)"),
        ("missing:make", "", "(check the name"),
        ("failing:none", "", "the factory returned None; expected an environment with name, tools"),
        ("bare:World", "", "returned World without name, tools, tasks, start; expected"),
    ],
)
def test_what_does_not_open_is_said_with_its_place_and_a_remedy(opened, word, place, said):
    with pytest.raises(ConfigError) as caught:
        opened(word)
    where = f"{Path.cwd()}/{place}" if place else ""
    assert str(caught.value).startswith(f"environment `{word}` cannot be opened: {where}")
    assert said in str(caught.value)


def test_what_breaks_in_an_episode_is_said_with_its_place(opened):
    with pytest.raises(EnvironmentFault, match=r"/failing\.py:6: ValueError: in start \(mend"):
        begin(opened("failing:Late"))
    world = begin(opened("failing:Later"))
    with pytest.raises(EnvironmentFault, match=r"/failing\.py:9: JSONDecodeError: .* \(mend"):
        world.act(up())


@pytest.mark.parametrize("word", ["../x:y", "x.py:", ":y", "a b:c", "a:b:c", "a..b:c"])
def test_a_word_that_is_no_module_path_is_refused_unstarted(opened, word):
    with pytest.raises(ConfigError) as caught:
        opened(word)
    assert str(caught.value) == f"{word!r} is no module path (expected package.module:factory)"


def test_an_interpreter_that_is_not_there_is_one_clear_line(opened):
    with pytest.raises(ConfigError, match="TACKROOM_PYTHON"):
        opened(python="/no/such/python")


def test_the_registry_opens_a_factory_word(opened):
    environment = resolve_environment("counter:Environment", python=sys.executable)
    assert environment.name == "counter"
    assert begin(environment).act(up()).observation == "now 1"


def child_of(environment):
    return environment.child()._process


def test_closing_ends_the_child(opened):
    environment = opened()
    process = child_of(environment)
    environment.close()
    assert process.poll() is not None


def test_the_child_ends_with_a_parent_that_is_killed(folder):
    script = textwrap.dedent(
        f"""
        import sys, time
        sys.path.insert(0, {str(ROOT)!r})
        from tasks.environments.host import open_environment
        from tasks.agent.protocols import Call
        environment = open_environment("counter:Environment", answer_s=50)
        print(environment.child()._process.pid, flush=True)
        world = environment.start(environment.tasks("train")[0], 7)
        world.act(Call("count", {{"word": "hang"}}))
        """
    )
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", script], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    time.sleep(0.3)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(pid)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
