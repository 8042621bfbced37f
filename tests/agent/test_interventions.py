"""What a harness does in the loop, and how it is recorded."""

import json

import pytest

from tasks.agent.builtin_models import ScriptedModel
from tasks.agent.protocols import Call, ModelReply, RawCall

RESCUE = '''import re

def rule_written(action, context):
    """A call written as text."""
    found = re.search(r"add\\\\((\\\\d+)\\\\)", action["raw_text"])
    if found and action["tool"] is None:
        return {"kind": "rescue", "tool": "add", "arguments": {"n": int(found.group(1))}}
'''.replace("\\\\", "\\")
REWRITE = '''def rule_number(action, context):
    """Numbers as text."""
    arguments = action["arguments"]
    if isinstance(arguments.get("n"), str):
        return {"kind": "rewrite", "tool": action["tool"], "arguments": {"n": int(arguments["n"])}}
'''
BLOCK = '''def rule_no_early_end(action, context):
    """Count first."""
    if action["tool"] == "hand_in" and not context["history"]:
        return {"kind": "block", "message": "Count first."}
'''
FORCE = '''def rule_finish(history, context):
    """Hand in for the agent."""
    if "stands at 3" in history[-1]["observation"]:
        return {"kind": "force", "tool": "hand_in", "arguments": {}}
'''


def kinds(episode):
    return [(row.step_index, row.kind, row.suppressed) for row in episode.interventions]


def test_a_rescued_call_runs_although_the_model_wrote_none(bench, harness_of):
    bench.harness = harness_of(actions=RESCUE)
    model = ScriptedModel(["I do add(3) now", Call("hand_in", {})])
    episode = bench.one(model)
    call = episode.calls[0]
    assert (call.tool, call.arguments_raw) == ("", None)
    assert (call.executed_tool, call.executed_arguments) == ("add", '{"n":3}')
    assert kinds(episode) == [(0, "rescue", False)]
    assert model.requests[1][-1] == {"role": "user", "content": call.observation}
    assert episode.trajectory.outcome == "success"


def test_a_rewritten_call_keeps_what_the_model_wrote(bench, harness_of):
    bench.harness = harness_of(actions=REWRITE)
    model = ScriptedModel([RawCall("add", '{"n":"3"}'), Call("hand_in", {})])
    episode = bench.one(model)
    call, row = episode.calls[0], episode.interventions[0]
    assert (call.arguments, call.executed_arguments) == ('{"n":"3"}', '{"n":3}')
    assert (row.layer, row.kind, row.artifact) == ("actions", "rewrite", "rule_number")
    assert json.loads(row.before or "")["arguments"] == {"n": "3"}
    assert json.loads(row.after or "")["arguments"] == {"n": 3}
    assert model.requests[1][-2]["tool_calls"][0]["function"]["arguments"] == '{"n":"3"}'


def test_a_blocked_call_is_not_run_and_the_agent_hears_why(bench, harness_of):
    bench.harness = harness_of(actions=BLOCK)
    script = [Call("hand_in", {}), Call("add", {"n": 3}), Call("hand_in", {})]
    episode = bench.one(ScriptedModel(script))
    call = episode.calls[0]
    assert (call.executed, call.is_error, call.error_kind) == (False, True, "blocked")
    assert "Count first." in (call.observation or "")
    assert call.result is None
    assert episode.trajectory.outcome == "success"


def test_a_forced_call_replaces_the_next_reply_and_spends_budget(bench, harness_of):
    bench.harness = harness_of(regulation=FORCE)
    model = ScriptedModel([Call("add", {"n": 3})])
    episode = bench.one(model)
    assert len(model.requests) == 1
    assert [step.forced for step in episode.steps] == [False, True]
    assert (episode.steps[1].text, episode.calls[1].executed_tool) == (None, "hand_in")
    assert kinds(episode) == [(0, "force", False)]
    assert (episode.trajectory.steps, episode.trajectory.outcome) == (2, "success")


def test_no_call_is_forced_once_the_budget_is_spent(bench, harness_of):
    bench.harness = harness_of(regulation=FORCE)
    bench.environment.step_budget = 1
    episode = bench.one(ScriptedModel([Call("add", {"n": 3})]))
    assert (episode.trajectory.termination, len(episode.steps)) == ("budget", 1)


def test_a_rule_that_breaks_is_booked_and_does_not_end_the_episode(bench, harness_of):
    rule = 'def rule_bad(action, context):\n    """Bad."""\n    return 1 / 0\n'
    bench.harness = harness_of(actions=rule)
    reply = ModelReply(calls=(RawCall("add", '{"n":1}'), RawCall("add", '{"n":2}')))
    episode = bench.one(ScriptedModel([reply, Call("hand_in", {})]))
    assert episode.trajectory.outcome == "success"
    assert [(row.step_index, row.kind) for row in episode.faults] == [(0, "error"), (1, "error")]


@pytest.mark.parametrize("message", [r"'bad \ud800 text'", "'x' * 50_000"])
def test_what_a_rule_says_is_bounded_and_storable(bench, harness_of, message):
    body = f'    return {{"kind": "hint", "message": {message}}}'
    rule = f'def rule_say(history, context):\n    """Say."""\n{body}\n'
    bench.harness = harness_of(regulation=rule)
    episode = bench.one(ScriptedModel([Call("add", {"n": 3}), Call("hand_in", {})]))
    assert episode.trajectory.fault is None
    assert len(episode.steps[0].observation or "") < 3000
