"""mini-swe-agent and SWE-agent: commands in texts and in calls, how runs end, demonstrations."""

import json

import pytest

from tasks.importers.finding import find_files

ISSUE = {"role": "user", "content": "Fix the bug."}


def document(*messages, status="Submitted", version="mini-swe-agent-1.1", **info):
    return {
        "trajectory_format": version,
        "instance_id": "a__a-1",
        "info": {
            "exit_status": status,
            "submission": "diff",
            "model_stats": {"instance_cost": 0.5, "api_calls": 2},
            "config": {"model": {"model_name": "m"}, "agent": {"step_limit": 250}},
            **info,
        },
        "messages": [ISSUE, *messages],
    }


def calling(command="ls", call_id="c1", usage=None):
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    response = {"model": "m-1", "usage": usage or {"prompt_tokens": 5, "completion_tokens": 2}}
    return {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        "extra": {"response": response},
    }


def output(code=0, call_id="c1"):
    extra = {"returncode": code, "raw_output": "x", "exception_info": ""}
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "content": f"<returncode>{code}",
        "extra": extra,
    }


def test_version_2_calls_tools_and_counts_tokens(load, write):
    leave = {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}}
    content = document(calling(), output(1), calling("submit", "c2"), leave)
    (episode,) = load(write(content, "a.traj.json")).episodes
    row = episode.trajectory
    assert (row.task_id, row.model, row.cost_usd, row.budget) == (
        "mini_swe_agent/task/a__a-1",
        "m",
        0.5,
        250,
    )
    assert (row.outcome, row.termination, row.prompt_tokens) == ("unknown", "finished", 10)
    assert [(c.result, c.is_error, c.error_kind) for c in episode.calls] == [
        ("<returncode>1", True, "exit_code"),
        ("diff", None, None),
    ]
    assert json.loads(row.reward_parts)["submission"] == "diff"


def test_version_1_writes_one_fenced_command_in_a_reply(load, write):
    turns = (
        {"role": "assistant", "content": "Look.\n```bash\nls -a\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na b\n</output>"},
        {"role": "assistant", "content": "Two.\n```bash\na\n```\n```bash\nb\n```"},
        {"role": "user", "content": "Please always provide EXACTLY ONE action."},
    )
    content = document(*turns, version="mini-swe-agent-1", status="LimitsExceeded")
    (episode,) = load(write(content)).episodes
    (call,) = episode.calls
    assert (call.tool, json.loads(call.arguments), call.is_error) == (
        "bash",
        {"command": "ls -a"},
        False,
    )
    assert [step.role for step in episode.steps] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert episode.trajectory.termination == "budget"
    assert "arguments_raw" in json.loads(episode.trajectory.lost_evidence)


@pytest.mark.parametrize("messages", [(), (calling(), output())])
def test_an_exception_is_a_fault_however_far_it_got(load, write, messages):
    error = "litellm.InternalServerError: no connection"
    content = document(*messages, status="InternalServerError", exception_str=error)
    row = load(write(content)).episodes[0].trajectory
    assert (row.outcome, row.fault, row.termination) == ("unknown", "api_error", "fault")


def test_bare_lists_are_recognised_by_their_outputs(load, write):
    turns = [
        ISSUE,
        {"role": "assistant", "content": "```mswea_bash_command\nls\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\n</output>"},
    ]
    result = load(write(turns, "b__b-2.traj.json"), write(turns[:2], "plain.json"))
    assert [r.row.source_format for r in result.reports] == ["mini-swe-agent", "openai-chat"]
    assert result.episodes[0].sources[0].native_id == "b__b-2"


def turn(role, content, **changes):
    return {"role": role, "content": content, "agent": "main", **changes}


def acting(action, **changes):
    return turn("assistant", f"Now {action}", action=action, thought="Now", **changes)


def traj(*history, status="submitted", **changes):
    info = {"exit_status": status, "submission": "diff", "model_stats": {"instance_cost": 0.1}}
    return {
        "environment": "main",
        "history": list(history),
        "trajectory": [],
        "info": info,
        **changes,
    }


def test_actions_of_texts_are_calls_and_observations_their_results(load, write):
    content = traj(
        turn("system", "Set."),
        turn("user", "Demo: ls -> a b", is_demo=True),
        turn("user", "Fix the bug."),
        acting("ls"),
        turn("user", "a b"),
        acting("submit"),
        trajectory=[
            {"action": "ls", "observation": "a b", "response": "", "state": "{}"},
            {"action": "submit", "observation": "diff", "response": "", "state": "{}"},
        ],
    )
    (episode,) = load(write(content, "c__c-3.traj")).episodes
    found = [(json.loads(c.arguments)["command"], c.result) for c in episode.calls]
    assert found == [("ls", "a b"), ("submit", "diff")]
    assert [step.copied for step in episode.steps][:3] == [False, True, False]
    row = episode.trajectory
    assert (row.task_id, row.steps, row.termination) == ("swe_agent/task/c__c-3", 2, "finished")
    assert episode.task_text == "Fix the bug."


def test_demonstrated_calls_are_no_calls_of_the_agent(load, write, call):
    shown = turn("assistant", "", tool_calls=[call("ls", {})], is_demo=True)
    seen = turn("tool", "a", tool_call_ids=["c1"], is_demo=True)
    content = traj(turn("user", "Fix."), shown, seen, acting("pwd"), turn("user", "/"))
    (episode,) = load(write(content)).episodes
    assert (episode.trajectory.steps, [c.tool for c in episode.calls]) == (1, ["command"])


def test_newer_files_call_tools_and_name_model_and_task(load, write, call):
    replay = {"agent": {"model": {"name": "gpt-x"}}, "problem_statement": {"id": "d__d-4"}}
    content = traj(
        turn("user", "Fix."),
        turn("assistant", "x", action="open a", tool_calls=[call("open", '{"path":"a"}')]),
        turn("tool", "text", tool_call_ids=["c1"]),
        replay_config=json.dumps(replay),
    )
    (episode,) = load(write(content, "x.traj")).episodes
    (made,) = episode.calls
    assert (made.tool, made.arguments_raw, made.result) == ("open", '{"path":"a"}', "text")
    row = episode.trajectory
    assert (row.model, row.task_id) == ("gpt-x", "swe_agent/task/d__d-4")


def test_without_a_history_the_steps_stand_in(load, write):
    step = {"action": "ls\n", "observation": "a", "response": "I look.", "state": "{}"}
    (episode,) = load(write({"trajectory": [step], "info": {}}, "e__e-5.traj")).episodes
    assert [(s.role, s.text) for s in episode.steps] == [("assistant", "I look."), ("tool", "a")]


@pytest.mark.parametrize(
    ("status", "termination", "fault"),
    [
        ("submitted", "finished", None),
        ("submitted (exit_cost)", "budget", None),
        ("exit_context", "context_overflow", None),
        ("exit_format", "agent_error", None),
        ("exit_total_execution_time", "timeout", None),
        ("exit_api", "fault", "api_error"),
        ("exit_error", "fault", "crash"),
        (None, "unknown", None),
    ],
)
def test_an_exit_status_says_how_it_ended(load, write, status, termination, fault):
    content = traj(turn("user", "Fix."), acting("ls"), turn("user", "a"), status=status)
    row = load(write(content)).episodes[0].trajectory
    assert (row.termination, row.fault, row.outcome) == (termination, fault, "unknown")


def test_texts_without_an_action_stay_texts(load, write):
    complaint = turn("user", "No tool call found.")
    content = traj(
        turn("user", "Fix."), *[turn("assistant", "`ls`"), complaint] * 4, status="exit_format"
    )
    (episode,) = load(write(content)).episodes
    assert episode.calls == ()
    assert [step.role for step in episode.steps][1:3] == ["assistant", "user"]
    assert episode.trajectory.steps == 4


def test_recorded_runs_are_read(load, shared):
    result = load(*find_files([shared / "mini-swe-agent", shared / "swe-agent"]))
    assert result.refusals == ()
    assert len(result.episodes) == 19
    faults = [e.trajectory.fault for e in result.episodes if e.trajectory.fault]
    assert sorted(faults) == ["api_error"] * 4
    assert all(e.trajectory.outcome == "unknown" for e in result.episodes)
    by_task = {e.trajectory.task_id: e.trajectory for e in result.episodes}
    assert by_task["swe_agent/task/pydicom__pydicom-1458"].model == "gpt4"
    assert by_task["mini_swe_agent/task/django__django-11099"].steps == 42
