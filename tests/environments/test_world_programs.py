"""Programs in any language as worlds: the example of the docs, and programs that misbehave."""

import asyncio
import re
import shutil
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.errors import ConfigError, EnvironmentFault
from tasks.agent.builtin_models import GoldModel, ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.protocols import Call
from tasks.agent.rollout import run_episodes
from tasks.environments.host import open_environment
from tasks.harness import Harness

DOC = Path(__file__).parents[2] / "docs" / "world-protocol.md"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
HOSTILE = """
import json, os, sys, time
def say(**body):
    sys.stdout.write(json.dumps(body) + "\\n"); sys.stdout.flush()
TOOL = {"name": "go", "parameters": {"type": "object"}}
TASKS = [{"task_id": "odd/a/%d" % i, "text": "Go.", "split": "train"} for i in range(4)]
say(id=0, ok=True)
for line in sys.stdin:
    request = json.loads(line)
    number, op = request["id"], request["op"]
    if op == "describe":
        say(id=number, ok={"name": "odd", "tools": [TOOL], "tasks": TASKS})
        continue
    how = request.get("arguments", {}).get("how", "") if op == "act" else ""
    if how == "die":
        os._exit(3)
    elif how == "die_in_answer":
        sys.stdout.write('{"id": %d, "ok": {"observation": "no' % number); sys.stdout.flush()
        os._exit(3)
    elif how == "hang":
        time.sleep(60)
    elif how == "garbage":
        sys.stdout.write("this is no answer\\n"); sys.stdout.flush()
    elif how == "other_number":
        say(id=number + 1, ok="x")
    elif how == "flood":
        while True:
            say(id=number + 1000, ok="x")
    elif how == "long_line":
        while True:
            sys.stdout.write("x" * 1_000_000)
    elif how == "deaf":
        os.close(0)
        time.sleep(60)
    elif how == "twice":
        say(id=number, ok="once"); say(id=number, ok="twice")
    elif how == "error":
        say(id=number, error="out of order", hint="wait")
    else:
        say(id=number, ok={"act": "gone", "verdict": True, "start": {}}.get(op))
"""


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Opens a program as an environment and closes it again."""
    monkeypatch.chdir(tmp_path)
    environments = []

    def open_it(word, **options):
        environments.append(open_environment(word, **options))
        return environments[-1]

    yield open_it
    for environment in environments:
        environment.close()


@pytest.fixture
def odd(opened, tmp_path):
    """A program that misbehaves when it is told to."""
    (tmp_path / "odd.py").write_text(textwrap.dedent(HOSTILE))
    return opened(f"command:{sys.executable} -I odd.py", answer_s=3)


def play(environment, model):
    files = {"harness.yaml": f"api: 1\nname: base\nenvironment: {environment.name}\n"}
    rig = Rig(environment, model, Harness.from_files(files), None, NOW)
    specs = [EpisodeSpec(task, 7) for task in environment.tasks("train")]
    return asyncio.run(run_episodes(specs, rig))


def has_perl():
    ask = ["perl", "-MJSON::PP", "-e", "1"]
    return shutil.which("perl") and subprocess.run(ask, check=False).returncode == 0


@pytest.mark.skipif(not has_perl(), reason="no perl with JSON::PP on this machine")
def test_the_perl_world_of_the_docs_is_solved_restored_and_judged(opened, tmp_path):
    code = re.search(r"```perl\n(.*?)```", DOC.read_text(), re.DOTALL)
    assert code is not None
    (tmp_path / "counter.pl").write_text(code[1])
    environment = opened("command:perl counter.pl")
    assert {episode.trajectory.outcome for episode in play(environment, GoldModel())} == {"success"}
    task = environment.tasks("train")[-1]
    world = environment.start(task, 7)
    before = world.snapshot()
    assert world.act(Call("count", {"by": "two"})).is_error
    assert world.act(Call("count", {"by": 1})).observation == "now 1"
    assert world.verdict().outcome == "failure"
    world.restore(before)
    assert world.snapshot() == before


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("die", "died"),
        ("die_in_answer", "sent something that is no answer"),
        ("hang", "gave no answer in 3 s"),
        ("deaf", "gave no answer in 3 s"),
        ("garbage", "sent something that is no answer"),
        ("other_number", "sent something that is no answer"),
        ("flood", "sent something that is no answer"),
        ("long_line", "gave no answer in 3 s|sent something that is no answer"),
        ("error", "out of order .wait."),
    ],
)
def test_a_program_that_misbehaves_has_a_fault_and_the_run_goes_on(odd, how, said):
    bad, good = Call("go", {"how": how}), Call("go", {})
    guilty, *others = odd.tasks("train")
    script = {task.task_id: [good] * 31 for task in others} | {guilty.task_id: [bad]}
    first, *rest = play(odd, ScriptedModel(script))
    assert (first.trajectory.outcome, first.trajectory.fault) == ("unknown", "environment")
    assert re.search(said, str(first.trajectory.termination_raw))
    assert {episode.trajectory.outcome for episode in rest} == {"success"}


def test_an_answer_given_twice_is_found_at_the_next_request(odd):
    world = odd.start(odd.tasks("train")[0], 7)
    assert world.act(Call("go", {"how": "twice"})).observation == "once"
    with pytest.raises(EnvironmentFault, match="no answer"):
        world.verdict()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("command:no-such-program x", "'no-such-program' cannot be started"),
        ("command:", "names no command"),
        ("command:sh -c 'exit 3'", "died"),
        ("command:yes", "sent something that is no answer"),
        ("command:sh -c 'sleep 60'", "gave no answer in 1 s"),
        ("command:sh 'unclosed", "cannot be split into words"),
    ],
)
def test_a_program_that_is_no_world_is_one_clear_line(opened, word, said):
    with pytest.raises(ConfigError) as caught:
        opened(word, start_s=1)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_task_may_offer_some_of_the_tools(opened, tmp_path):
    text = HOSTILE.replace('"split": "train"}', '"split": "train", "tools": ["go"]}')
    text = text.replace('"tools": [TOOL],', '"tools": [TOOL, dict(TOOL, name="stay")],')
    (tmp_path / "odd.py").write_text(text)
    environment = opened(f"command:{sys.executable} -I odd.py")
    model = ScriptedModel([Call("stay", {}), Call("go", {})] * 15)
    [first, *_] = play(environment, model)
    assert "There is no tool `stay`. Tools: go." in str(first.calls[0].observation)
    assert first.calls[1].executed
