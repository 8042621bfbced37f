"""AgentBench's OS interaction and ALFWorld, installed for real, over small files made here."""

import json
import os
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from schemas.errors import ConfigError
from tasks.agent.protocols import Call
from tasks.environments.catalogue import AGENTBENCH_OS, ALFWORLD
from tasks.environments.installation import WorldFolder, install

SPLITS = ("train", "select", "sealed")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("shells")]
SAME = "import sys; sys.exit(sys.argv[1].strip() != sys.argv[2].strip())"
ASKS = {"check": [None, {"language": "python", "file": "same.py"}]}
SHELL_TASKS = {
    "match": {
        "description": "What is in /root/note?",
        "create": {"init": "echo 42 > /root/note"},
        "evaluation": {"match": "42"},
    },
    "ask": {
        "description": "How many files are in /home?",
        "create": {"init": [{"code": "touch /home/a /home/b"}, {"file": "more.sh"}]},
        "evaluation": {**ASKS, "example": "ls /home | wc -l"},
    },
    "do": {
        "description": "Make the command hello, which says hi.",
        "evaluation": {
            "check": {"code": 'test "$(hello)" = hi'},
            "example": "printf '#!/bin/sh\\necho hi\\n' > /usr/local/bin/hello\n"
            "chmod +x /usr/local/bin/hello",
        },
    },
    "unprepared": {
        "description": "Not here.",
        "create": {"init": "no-such-program"},
        "evaluation": {"match": "1"},
    },
    "passed by nothing": {
        "description": "Do nothing.",
        "evaluation": {"check": "true", "example": "true"},
    },
    "unsolved": {
        "description": "Do what cannot be done.",
        "evaluation": {"check": "false", "example": "true"},
    },
}
ROOM = """
(define (problem room) (:domain alfred)
 (:objects agent1 - agent DeskType DrawerType - rtype MugType PenType - otype
  loc_bar_0 loc_bar_1 loc_bar_2 - location Desk_bar_1 Drawer_bar_1 - receptacle
  Mug_bar_1 Pen_bar_1 - object)
 (:init (= (total-cost) 0) (atLocation agent1 loc_bar_0)
  (receptacleType Desk_bar_1 DeskType) (receptacleType Drawer_bar_1 DrawerType)
  (receptacleAtLocation Desk_bar_1 loc_bar_1) (receptacleAtLocation Drawer_bar_1 loc_bar_2)
  (openable Drawer_bar_1) (objectType Mug_bar_1 MugType) (objectType Pen_bar_1 PenType)
  (pickupable Mug_bar_1) (pickupable Pen_bar_1)
  (inReceptacle Mug_bar_1 Drawer_bar_1) (inReceptacle Pen_bar_1 Desk_bar_1)
  (objectAtLocation Mug_bar_1 loc_bar_2) (objectAtLocation Pen_bar_1 loc_bar_1)
  (canContain DeskType MugType) (canContain DrawerType MugType)
  (canContain DeskType PenType) (canContain DrawerType PenType))
 (:goal (and (exists (?r - receptacle) (exists (?o - object) (and
  (inReceptacle ?o ?r) (objectType ?o MugType) (receptacleType ?r DeskType)))))))
"""


@contextmanager
def doing(text):
    yield


def every_task(environment):
    return [task for split in SPLITS for task in environment.tasks(split)]


def play(environment, task):
    world = environment.start(task, 7)
    while not world.act(environment.expert_call(task, world)).done:
        pass
    return world


def write_shell_tasks(root: Path) -> Path:
    data = root / "data/os_interaction"
    for folder in ("data/1", "scripts/1", "scripts/dev"):
        (data / folder).mkdir(parents=True)
    for name in ("dev", "1"):
        (data / f"scripts/{name}/same.py").write_text(SAME)
        (data / f"scripts/{name}/more.sh").write_text("touch /home/c")
    tasks = list(SHELL_TASKS.values())
    (data / "data/dev.json").write_text(json.dumps(tasks))
    (data / "data/1/more.json").write_text(json.dumps(tasks[:3]))
    return root


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """The shell tasks, installed and open."""
    root = tmp_path_factory.mktemp("shell")
    folder = WorldFolder(root / "worlds")
    install(folder, AGENTBENCH_OS, doing, write_shell_tasks(root / "checkout"))
    environment = folder.open(AGENTBENCH_OS, "agentbench_os")
    yield environment
    environment.close()


def shell_task(environment, words):
    return next(task for task in every_task(environment) if words in task.text)


def told(world, script):
    return world.act(Call("bash_action", {"script": script})).observation


def test_tasks_that_cannot_be_prepared_solved_or_failed_here_are_left_out(machines):
    tasks = every_task(machines)
    texts = [task["description"] for task in list(SHELL_TASKS.values())[:3]]
    assert sorted(task.text for task in tasks) == sorted(texts * 2)
    assert {task.family for task in tasks} == {"dev", "1"}
    for task in tasks:
        assert play(machines, task).verdict().outcome == "success"


@pytest.mark.parametrize(
    ("words", "calls", "outcome"),
    [
        ("note", [("answer_action", {"answer": " 42\n"})], "success"),
        ("note", [("answer_action", {"answer": "41"})], "failure"),
        ("note", [("finish_action", {"thought": "42"})], "failure"),
        ("files", [("answer_action", {"answer": "3"})], "success"),
        ("files", [("answer_action", {"answer": "2"})], "failure"),
        ("hello", [("finish_action", {"thought": ""})], "failure"),
        ("hello", [("bash_action", {"script": "hello() { echo hi; }"})], "failure"),
    ],
)
def test_tasks_are_judged_by_answer_or_by_what_was_done(machines, words, calls, outcome):
    world = machines.start(shell_task(machines, words), 7)
    for tool, arguments in calls:
        world.act(Call(tool, arguments))
    assert world.verdict().outcome == outcome


def test_a_shell_goes_on_where_the_last_script_left_it(machines):
    world = machines.start(shell_task(machines, "note"), 7)
    assert told(world, "cd /root; X=7") == "The output is empty."
    assert told(world, "cat note; pwd; echo $X") == "42\n/root\n7"
    assert told(world, "cat") == "The output is empty."
    assert told(world, "exit 3") == "The output is empty."
    assert told(world, "pwd") == "/"
    assert "unexpected EOF" in told(world, "echo 'no end")
    assert told(world, "sleep 60").endswith("[no end in 10 s; the shell was begun anew]")
    assert len(told(world, "yes")) < 1_000


def test_an_episode_sees_neither_the_host_nor_its_network_nor_another_episode(machines, tmp_path):
    mine, other = (machines.start(shell_task(machines, "note"), 7) for _ in range(2))
    secret = tmp_path / "secret"
    secret.write_text("x")
    assert "No such file" in told(mine, f"cat {secret}")
    assert told(mine, "touch /usr/bin/spoilt /root/spoilt; ls /root") == "note\nspoilt"
    assert not Path("/usr/bin/spoilt").exists()
    assert told(other, "ls /usr/bin/spoilt /root/spoilt 2>&1 | grep -c 'No such'") == "2"
    assert told(mine, f"kill -0 {os.getpid()} 2>&1 | grep -c 'No such process'") == "1"
    reach = "import socket; print(socket.socket().connect_ex(('192.0.2.1', 80)))"
    assert told(mine, f'python3 -c "{reach}"') == "101"
    assert "MemoryError" in told(mine, "python3 -c 'bytearray(3 << 30)'")
    assert "File size limit exceeded" in told(mine, "head -c 400M /dev/zero > /usr/big")


def test_who_ends_the_machine_has_failed_and_the_world_goes_on(machines):
    task = shell_task(machines, "note")
    world = machines.start(task, 7)
    result = world.act(Call("bash_action", {"script": "kill -9 -1"}))
    assert (result.done, result.is_error) == (True, True)
    assert world.verdict().outcome == "failure"
    assert play(machines, task).verdict().outcome == "success"


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("data/dev.json", "{", "is no JSON"),
        ("data/dev.json", '[{"description": "x"}]', "item 0: no task"),
        ("data/dev.json", json.dumps([SHELL_TASKS["unsolved"]]), "no task of"),
        ("scripts/dev/same.py", None, "cannot be read"),
    ],
)
def test_files_that_hold_no_tasks_are_one_clear_line(tmp_path, file, text, said):
    root = write_shell_tasks(tmp_path / "checkout")
    path = root / "data/os_interaction" / file
    (root / "data/os_interaction/data/1/more.json").unlink()
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        install(WorldFolder(tmp_path / "worlds"), AGENTBENCH_OS, doing, root)
    assert "\n" not in str(caught.value)


def test_a_machine_without_sandboxes_refuses_the_world_and_says_what_is_missing(tmp_path):
    folder = WorldFolder(tmp_path / "worlds")
    install(folder, AGENTBENCH_OS, doing, write_shell_tasks(tmp_path / "checkout"))
    [program] = (folder.root / "agentbench_os").rglob("_bin/bwrap")
    program.write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed' >&2\nexit 1\n")
    with pytest.raises(ConfigError, match="no sandbox can be made here: bwrap: Creating") as caught:
        folder.open(AGENTBENCH_OS, "agentbench_os")
    assert "let users make namespaces" in str(caught.value)


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """What things do in ALFWorld's games: files of the package, read from its wheel."""
    place = tmp_path_factory.mktemp("wheel")
    pin = next(pin for pin in ALFWORLD.bare if pin.startswith("alfworld="))
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(place), pin]
    subprocess.run(words, check=True, capture_output=True)
    with zipfile.ZipFile(next(place.glob("*.whl"))) as wheel:
        return {
            "pddl_domain": wheel.read("alfworld/data/alfred.pddl").decode(),
            "grammar": wheel.read("alfworld/data/alfred.twl2").decode(),
        }


def write_game(folder: Path, rules, number, **changed):
    place = folder / f"pick_and_place_simple-Mug-None-Desk-{number}/trial_{number}"
    place.mkdir(parents=True)
    grammar = rules["grammar"].replace("UNKNOWN GOAL", "put a mug in desk")
    game = {**rules, "grammar": grammar, "pddl_problem": ROOM, "solvable": True}
    (place / "game.tw-pddl").write_text(json.dumps(game | changed))


@pytest.fixture(scope="module")
def games(tmp_path_factory, rules):
    """Three games and one that cannot be solved, installed and open."""
    root = tmp_path_factory.mktemp("games")
    for number, split in enumerate(("train", "valid_seen", "valid_unseen")):
        write_game(root / "data" / split, rules, number)
    write_game(root / "data/train", rules, 9, solvable=False)
    folder = WorldFolder(root / "worlds")
    install(folder, ALFWORLD, doing, root / "data")
    environment = folder.open(ALFWORLD, "alfworld")
    yield environment
    environment.close()


def test_a_game_is_told_solved_and_planned_anew_after_a_detour(games):
    assert [len(games.tasks(split)) for split in SPLITS] == [1, 1, 1]
    [task] = games.tasks("train")
    assert (task.text, task.family) == (
        "Your task is to: put a mug in desk.",
        "pick_and_place_simple",
    )
    assert play(games, task).verdict().outcome == "success"
    world = games.start(task, 7)
    assert world.opening.startswith("You are in the middle of a room")
    assert "go to desk 1" in world.admissible()
    nothing = world.act(Call("take_action", {"action": "take mug 1 from drawer 1"}))
    assert nothing.observation.startswith(games.non_progress[0])
    for command in ("go to desk 1", "take pen 1 from desk 1"):
        world.act(Call("take_action", {"action": command}))
    assert world.verdict().outcome == "failure"
    while not world.act(games.expert_call(task, world)).done:
        pass
    assert world.verdict().outcome == "success"


def test_a_game_comes_back_to_a_state_while_another_is_played(games):
    [task] = games.tasks("select")
    world, other = games.start(task, 7), games.start(task, 7)
    states = []
    for _ in range(3):
        states.append(world.snapshot())
        world.act(games.expert_call(task, world))
    other.act(games.expert_call(task, other))
    for place, state in enumerate(states):
        world.restore(state)
        assert world.snapshot() == state
        for _ in range(place, 3):
            world.act(games.expert_call(task, world))
    assert "take pen 1 from desk 1" not in world.admissible()
    assert other.verdict().outcome == "failure"


@pytest.mark.parametrize("call", [Call("take_action", {}), Call("other", {"action": "look"})])
def test_a_call_a_game_cannot_take_is_an_error_of_the_agent(games, call):
    world = games.start(games.tasks("train")[0], 7)
    assert world.act(call).is_error


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"grammar": 7}, "is no game"),
        ({"grammar": "grammar :: {}"}, "does not say what the task is"),
        ({"solvable": False}, "holds no folder with a game.tw-pddl"),
    ],
)
def test_games_that_cannot_be_used_are_one_clear_line(games, rules, tmp_path, changed, said):
    for number, split in enumerate(("train", "valid_seen", "valid_unseen")):
        write_game(tmp_path / split, rules, number, **changed)
    python = Path(games._command.words[0]).parents[2]
    command = WorldFolder(python).command(ALFWORLD, "alfworld", tmp_path)
    with pytest.raises(ConfigError, match=said) as caught:
        type(games)(command)
    assert "\n" not in str(caught.value)
