"""Sessions without `await`: the same answers byte by byte, from threads, loops and notebooks."""

import asyncio
import inspect
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.recording import record, recover_opening
from tasks.agent.rollout import run_episodes
from tasks.agent.simulated_model import simulated_model
from tasks.environments.registry import resolve_environment
from tasks.harness import (
    HarnessError,
    RecordedEpisode,
    RecordedStep,
    Sandbox,
    SandboxError,
    Session,
    SyncSandbox,
    SyncSession,
    replay_session,
)

WORLDS = ("sqldesk", "household")
EPISODES_OF_A_WORLD = 30
ACTIONS = '''def rule_talk(action, context):
    """Words are no work; the first tool is the one meant."""
    if action["tool"] is None and context["tools"]:
        first = context["tools"][0]["function"]["name"]
        return {"kind": "rescue", "tool": first, "arguments": {}}


def rule_again(action, context):
    """The same call twice in a row is stopped."""
    past = context["history"]
    if len(past) > 2 and past[-1]["action"]["arguments"] == action["arguments"]:
        return {"kind": "block", "message": "Asked before, " + str(context["step"])}


def rule_spaces(action, context):
    """Texts lose the spaces around them."""
    kept = {k: v.strip() if isinstance(v, str) else v for k, v in action["arguments"].items()}
    if action["tool"] and context["step"] == 1:
        return {"kind": "rewrite", "tool": action["tool"], "arguments": kept | {"note": "x"}}
'''
REGULATION = '''def rule_error(history, context):
    """An error deserves a second look."""
    if history[-1]["is_error"] or len(history) == 2:
        return {"kind": "hint", "message": "Turn " + str(len(history)) + ": look again."}


def rule_first_again(history, context):
    """The fourth turn repeats the first call."""
    first = history[0]["action"]
    if len(history) == 4 and first["tool"]:
        return {"kind": "force", "tool": first["tool"], "arguments": first["arguments"]}


def rule_long(history, context):
    """Nine turns are enough."""
    if len(history) > 8:
        return {"kind": "stop"}
'''
RULES = {"actions": ACTIONS, "regulation": REGULATION}


@pytest.fixture(scope="module")
def box():
    with SyncSandbox(workers=2) as opened:
        yield opened


@pytest.fixture(scope="module")
def harness(make, skill_text):
    skills = {"look": skill_text("look", "Find, change, put, count or show what is asked for.")}
    return make(**RULES, contract="Work with the tools.\n", skills=skills)


@pytest.fixture(scope="module")
def episodes(sandbox, make):
    """Rollouts of a simulated model in the embedded worlds, as sessions are shown them."""
    found = []
    for name in WORLDS:
        world = resolve_environment(name)
        bare = make(settings=f"api: 1\nenvironment: {name}\n")
        rig = Rig(
            world,
            simulated_model("simulated:weak"),
            bare,
            sandbox,
            datetime(2030, 1, 1, tzinfo=UTC),
        )
        tasks = world.tasks("train")[:EPISODES_OF_A_WORLD]
        for episode in asyncio.run(
            run_episodes([EpisodeSpec(task, seed=7) for task in tasks], rig)
        ):
            opening = recover_opening(episode, bare)
            sent = Session(bare, opening.task, opening.tools).condition([], [])
            found.append(record(episode, opening, sent))
    return found


def opening_of(session, episode):
    start = [{"role": "user", "content": episode.task_text}]
    return [asdict(session.condition(start, list(episode.tools)))]


def asked(step):
    more = {"raw_text": step.raw_text, "admissible": step.admissible}
    return (step.name, step.raw_arguments), more | {"is_new_turn": step.is_new_turn}


def returned(step):
    more = {"is_error": step.is_error, "admissible": step.admissible_after}
    return (step.executed, step.observation), more


async def awaited(session, episode):
    told = opening_of(session, episode)
    for step in episode.steps:
        given, more = asked(step)
        told.append(asdict(await session.before_call(*given, **more)))
        given, more = returned(step)
        told.append(asdict(await session.after_result(*given, **more)))
    return json.dumps(told, sort_keys=True).encode()


def called(session, episode):
    told = opening_of(session, episode)
    for step in episode.steps:
        given, more = asked(step)
        told.append(asdict(session.before_call(*given, **more)))
        given, more = returned(step)
        told.append(asdict(session.after_result(*given, **more)))
    return json.dumps(told, sort_keys=True).encode()


def plain(harness, episode, sandbox):
    session = Session(
        harness, episode.task_text, episode.tools, sandbox=sandbox, budget=episode.budget
    )
    return asyncio.run(awaited(session, episode))


def sync(harness, episode, box):
    session = SyncSession(
        harness, episode.task_text, episode.tools, sandbox=box, budget=episode.budget
    )
    return called(session, episode)


@pytest.mark.slow
def test_sync_and_async_answer_alike_byte_by_byte(harness, episodes, sandbox, box):
    assert len(episodes) == len(WORLDS) * EPISODES_OF_A_WORLD >= 50
    expected = [plain(harness, episode, sandbox) for episode in episodes]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda episode: sync(harness, episode, box), episodes))
    assert found == expected
    said = json.loads(b"[" + b",".join(found) + b"]")
    kinds = {done["kind"] for told in said for part in told for done in part["interventions"]}
    assert kinds == {"inject", "rescue", "rewrite", "block", "hint", "force", "stop"}


def test_both_faces_have_the_same_words_and_the_same_arguments():
    for name in ("__init__", "before_call", "after_result", "condition", "resume", "change_stage"):
        one, other = getattr(Session, name), getattr(SyncSession, name)
        assert one.__doc__ == other.__doc__
        assert list(inspect.signature(one).parameters) == list(inspect.signature(other).parameters)
    public = {name for name in dir(Session) if not name.startswith("_")}
    assert public <= {name for name in dir(SyncSession) if not name.startswith("_")}


def test_a_call_inside_a_running_loop_comes_back(make, tools, box):
    async def cell():
        session = SyncSession(make(**RULES), "T", tools, sandbox=box)
        decision = session.before_call(None, None, raw_text="Hm.")
        return decision, session.after_result(decision.call, "rows")

    decision, regulated = asyncio.run(cell())
    assert [done.kind for done in decision.interventions] == ["rescue"]
    assert regulated.observation == "rows"


def test_a_call_from_the_sandboxs_own_loop_is_refused_and_not_waited_for(make, tools, box):
    async def inside():
        return SyncSession(make(**RULES), "T", tools, sandbox=box).before_call("a", "{}")

    with pytest.raises(SandboxError, match="own loop"):
        box.wait(inside())


def test_a_harness_without_rules_needs_no_sandbox(make, tools):
    session = SyncSession(make(contract="x\n"), "T", tools)
    decision = session.before_call("execute_sql", "{}")
    assert decision.kind == "execute"
    assert session.after_result(decision.call, "rows").observation == "rows"
    assert (session.step, session.remaining_steps, len(session.history)) == (1, None, 1)


def test_a_harness_with_rules_needs_one(make, tools):
    with pytest.raises(HarnessError, match="needs a sandbox"):
        SyncSession(make(**RULES), "T", tools)


def test_other_coroutines_of_the_package_run_on_it_too(make, tools, box):
    episode = RecordedEpisode("T", tools, [RecordedStep("execute_sql", "{}", "rows")] * 2)
    found = box.wait(replay_session(make(**RULES), episode, sandbox=box.inner))
    assert found[1].regulated.observation.endswith("Hint: Turn 2: look again.")


def test_a_sandbox_that_is_not_open_says_so(make, tools):
    box = SyncSandbox(workers=1)
    session = SyncSession(make(**RULES), "T", tools, sandbox=box)
    with pytest.raises(SandboxError, match="not open"):
        session.before_call("execute_sql", "{}")
    with box, pytest.raises(SandboxError, match="opened before"):
        box.open()
    with pytest.raises(SandboxError, match="is closed"):
        session.before_call("execute_sql", "{}")
    box.close()


def test_closing_lets_a_call_under_way_end_and_leaves_no_thread(make, tools):
    before = set(threading.enumerate())
    box = SyncSandbox(workers=1).open()
    slow = "def rule_a(action, context):\n    while True:\n        pass\n"
    outcomes = []

    def work():
        session = SyncSession(make(actions=slow), "T", tools, sandbox=box)
        started.set()
        try:
            outcomes.append(session.before_call("execute_sql", "{}").kind)
        except SandboxError as error:
            outcomes.append(str(error))

    started = threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    box.close()
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert len(outcomes) == 1
    assert set(threading.enumerate()) <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_is_told_to_open_its_own():
    code = (
        "import multiprocessing, sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "from tasks.harness import Harness, SandboxError, SyncSandbox, SyncSession\n"
        "rule = 'def rule_a(action, context):\\n    return None\\n'\n"
        "harness = Harness.from_files("
        "{'harness.yaml': 'api: 1\\nenvironment: a\\n', 'actions.py': rule})\n"
        "box = SyncSandbox(workers=1).open()\n"
        "def child():\n"
        "    try:\n"
        "        SyncSession(harness, 'T', [], sandbox=box).before_call('a', '{}')\n"
        "    except SandboxError as error:\n"
        "        sys.exit(7 if 'another process' in str(error) else 1)\n"
        "process = multiprocessing.get_context('fork').Process(target=child)\n"
        "process.start()\n"
        "process.join(20)\n"
        "assert process.exitcode == 7, process.exitcode\n"
        "assert SyncSession(harness, 'T', [], sandbox=box).before_call('a', '{}').call\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_that_never_closes_it_still_ends():
    code = (
        "from tasks.harness import SyncSandbox\n"
        "box = SyncSandbox(workers=1).open()\n"
        "print('done')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_sessions_of_two_kinds_share_one_set_of_workers(make, tools, box):
    async def both(sandbox: Sandbox):
        session = Session(make(**RULES), "T", tools, sandbox=sandbox)
        return await session.before_call(None, None, raw_text="Hm.")

    alone = SyncSession(make(**RULES), "T", tools, sandbox=box)
    assert asyncio.run(both(box.inner)) == alone.before_call(None, None, raw_text="Hm.")
