"""Agent programs of the user: what they get, how they end, what is kept of them."""

import os

import pytest

from schemas.errors import ConfigError, ModelFault
from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.own_agent import read_agent
from tasks.agent.protocols import Call, RawCall

GOOD = [Call("add", {"n": 3}), Call("hand_in", {})]
REWRITE = """def rule_number(action, context):
    arguments = action["arguments"]
    if isinstance(arguments.get("n"), str):
        return {"kind": "rewrite", "tool": action["tool"], "arguments": {"n": int(arguments["n"])}}
"""
BLOCK = """def rule_no_early_end(action, context):
    if action["tool"] == "hand_in" and not context["history"]:
        return {"kind": "block", "message": "Count first."}
"""
HINT = """def rule_error(history, context):
    if history[-1]["is_error"]:
        return {"kind": "hint", "message": "n is a number."}
"""
HEAD = """
import json, os, sys, time, urllib.request
def send(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
MODEL, WORLD = os.environ["OPENAI_BASE_URL"] + "/chat/completions", os.environ["TACKROOM_AGENT_URL"]
ASK = {"model": "m", "messages": [{"role": "user", "content": "Go."}], "tools": []}
"""


def test_an_agent_of_the_users_plays_an_episode(play):
    (episode,), _ = play(GOOD)
    trajectory = episode.trajectory
    assert (trajectory.outcome, trajectory.termination, trajectory.fault) == (
        *("success", "finished"),
        None,
    )
    assert [(c.tool, c.executed, c.result) for c in episode.calls] == [
        ("add", True, "The counter stands at 3."),
        ("hand_in", True, "Handed in."),
    ]
    hashes = [(step.state_hash_before, step.state_hash_after) for step in episode.steps]
    assert hashes[0][1] == hashes[1][0] != hashes[1][1]
    assert trajectory.transcript_sha256


def test_the_harness_acts_on_calls_and_results_of_the_agent(play):
    turns = [Call("hand_in", {}), RawCall("add", '{"n": "x"}'), RawCall("add", '{"n": "3"}')]
    rewrite = REWRITE.replace("str)", 'str) and arguments["n"].isdigit()')
    (episode,), model = play(
        [*turns, Call("hand_in", {})], actions=BLOCK + "\n\n" + rewrite, regulation=HINT
    )
    assert episode.trajectory.outcome == "success"
    found = [(row.step_index, row.kind) for row in episode.interventions]
    assert found == [(0, "block"), (0, "hint"), (1, "hint"), (2, "rewrite")]
    assert episode.calls[2].executed_arguments == '{"n":3}'
    assert "Hint: n is a number." in str(model.requests[2])


def test_an_agent_may_speak_responses_and_stream(play):
    program = HEAD + (
        "from openai import OpenAI\n"
        "task, client = send(WORLD + '/task'), OpenAI()\n"
        "tools = [{'type': 'function', **tool['function']} for tool in task['tools']]\n"
        "items = [{'role': 'user', 'content': task['task']}]\n"
        "for _ in range(2):\n"
        "    with client.responses.stream(model='m', input=items, tools=tools) as stream:\n"
        "        output = stream.until_done().get_final_response().output\n"
        "    items += output\n"
        "    for call in [item for item in output if item.type == 'function_call']:\n"
        "        told = send(WORLD + '/call', {'name': call.name, 'arguments': call.arguments})\n"
        "        came = {'type': 'function_call_output', 'call_id': call.call_id}\n"
        "        items.append({**came, 'output': told['content']})\n"
    )
    (episode,), model = play(GOOD, program)
    assert (episode.trajectory.outcome, len(episode.steps)) == ("success", 2)
    assert model.requests[1][-1]["content"] == "The counter stands at 3."


def test_many_agents_run_side_by_side(play):
    episodes, _ = play(GOOD, times=12)
    assert {episode.trajectory.outcome for episode in episodes} == {"success"}


def test_the_budget_of_model_calls_holds(play):
    (episode,), _ = play([Call("add", {"n": 1})] * 9)
    assert (episode.trajectory.termination, episode.trajectory.outcome) == ("finished", "failure")
    assert episode.trajectory.steps == 6
    greedy = HEAD + "while True:\n    send(MODEL, ASK)\n"
    (episode,), _ = play(["Hm."] * 9, greedy)
    assert (episode.trajectory.termination, episode.trajectory.steps) == ("budget", 1)


@pytest.mark.parametrize(
    ("program", "termination", "fault"),
    [
        (HEAD + "send(MODEL, ASK)\nsys.exit(3)\n", "agent_error", None),
        (HEAD + "send(MODEL, ASK)\ntime.sleep(60)\n", "timeout", None),
        (HEAD + "send(MODEL, ASK)\n", "finished", None),
        (HEAD + "raise RuntimeError('no such package')\n", "fault", "agent"),
        (HEAD + "time.sleep(60)\n", "fault", "agent"),
    ],
    ids=["crash", "hang", "gives up", "cannot begin", "hangs at once"],
)
def test_how_a_program_ends_is_told_apart(play, program, termination, fault):
    (episode,), _ = play(["Hm."], program, timeout_s=3.0)
    trajectory = episode.trajectory
    assert (trajectory.termination, trajectory.fault) == (termination, fault)
    assert trajectory.outcome == ("unknown" if fault else "failure")


def test_a_request_that_is_repeated_is_one_step(play):
    program = HEAD + "send(MODEL, ASK)\nsend(MODEL, ASK)\n"
    (episode,), _ = play(["Hm.", "Hm."], program)
    assert len(episode.steps) == 1


def test_what_breaks_in_the_model_is_a_fault_of_the_model(play):
    (episode,), _ = play([ModelFault("the endpoint is down", kind="unavailable")])
    assert episode.trajectory.fault == "model_unavailable"


def test_calls_that_make_no_sense_are_answered_and_end_nothing(play):
    program = HEAD + (
        "send(MODEL, ASK)\n"
        "for body in (7, {}, {'name': 'add'}, {'name': 'add', 'arguments': '{'}, [1],\n"
        "             {'name': 'nothing', 'arguments': {}}):\n"
        "    assert send(WORLD + '/call', body)['is_error'], body\n"
    )
    (episode,), _ = play(["Hm."], program)
    assert episode.trajectory.termination == "finished"


def test_the_program_gets_its_own_variables_and_none_of_ours(play, monkeypatch):
    monkeypatch.setenv("MINE", "yes")
    monkeypatch.setenv("TACKROOM_RUNTIME_TOKEN", "word")
    program = HEAD + (
        "send(MODEL, ASK)\nassert os.environ['MINE'] == 'yes'\n"
        "assert 'TACKROOM_RUNTIME_TOKEN' not in os.environ\n"
    )
    (episode,), _ = play(["Hm."], program)
    assert episode.trajectory.termination == "finished"


def test_another_program_makes_other_trajectories(tmp_path):
    def fingerprint(text):
        (tmp_path / "a.py").write_text(text)
        model = ScriptedModel([])
        made = read_agent(
            "command:python a.py", model, environ=os.environ, folder=tmp_path, timeout_s=1
        )
        return made.fingerprint

    assert fingerprint("1") == fingerprint("1") != fingerprint("2")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("python agent.py", "there is no agent"),
        ("command:", "names no command"),
        ("command:'", "cannot be split"),
        ("command:run --key sk-abcdefghij0123456789", "looks like a key"),
    ],
)
def test_a_word_that_names_no_agent_is_one_line(tmp_path, word, said):
    with pytest.raises(ConfigError, match=said):
        read_agent(word, ScriptedModel([]), environ={}, folder=tmp_path, timeout_s=1)


def test_a_program_that_cannot_be_started_stops_everything(play):
    with pytest.raises(ConfigError, match="cannot start"):
        play(GOOD, interpreter="no-such-program")
