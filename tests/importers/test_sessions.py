"""Sessions of coding agents and rollouts of verifiers: merged lines, trees, scales of rewards."""

import json

import pytest


def jsonl(*values):
    return "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values)


def line(kind, uuid, content, parent=None, **changes):
    message = {"role": kind, "content": content, **changes.pop("message", {})}
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": "s1",
        "isSidechain": False,
        "version": "2.0",
        "message": message,
        **changes,
    }


def reply(uuid, block, tokens, parent=None, **changes):
    usage = {"input_tokens": 1, "cache_read_input_tokens": 9, "output_tokens": tokens}
    message = {"id": "msg_1", "model": "claude-x", "usage": usage}
    return line("assistant", uuid, [block], parent, message=message, **changes)


TEXT = {"type": "text", "text": "I look."}
CALLS = [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"n": n}} for n in (1, 2)]
RESULTS = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"out {n}"} for n in (1, 2)]


def test_lines_of_one_reply_are_one_turn_with_its_last_usage(load, write):
    content = jsonl(
        line("user", "a", "Go."),
        reply("b", TEXT, 5, "a"),
        reply("c", CALLS[0], 90, "b"),
        line("user", "d", [RESULTS[0]], "c"),
        reply("e", CALLS[1], 90, "c"),
        line("user", "f", [RESULTS[1]], "e"),
    )
    (episode,) = load(write(content, "s1.jsonl")).episodes
    row = episode.trajectory
    assert (row.steps, row.completion_tokens, row.prompt_tokens) == (1, 90, 10)
    assert (row.model, row.outcome) == ("claude-x", "unknown")
    assert episode.steps[1].text == "I look."
    assert [(c.native_id, c.result) for c in episode.calls] == [("t1", "out 1"), ("t2", "out 2")]


def test_a_parent_that_is_not_there_is_noted_and_file_order_kept(load, write):
    content = jsonl(line("user", "a", "Go."), reply("b", TEXT, 5, "nowhere"))
    result = load(write(content, "s1.jsonl"))
    assert [s.role for s in result.episodes[0].steps] == ["user", "assistant"]
    assert "1 lines name no line before them" in result.reports[0].row.notes


def test_prompts_that_were_taken_back_are_left_out(load, write):
    content = jsonl(
        line("user", "a", "Go."),
        reply("b", TEXT, 5, "a"),
        line("user", "c", "Wrong way.", "b"),
        line("assistant", "d", "Sorry.", "c"),
        line("user", "e", "Right way.", "b"),
    )
    result = load(write(content, "s1.jsonl"))
    assert [s.text for s in result.episodes[0].steps] == ["Go.", "I look.", "Right way."]
    assert "2 lines of prompts that were taken back" in result.reports[0].row.notes


def test_agents_that_a_session_started_are_their_own_episodes(load, write):
    content = jsonl(
        line("user", "a", "Go."),
        reply("b", TEXT, 5, "a"),
        line("user", "c", "Search.", isSidechain=True, agentId="x1"),
        line("assistant", "d", "Found.", "c", isSidechain=True, agentId="x1"),
    )
    found = [
        (e.sources[0].native_id, e.sources[0].parent_native_id, e.trajectory.steps)
        for e in load(write(content, "s1.jsonl")).episodes
    ]
    assert found == [("s1", None, 1), ("s1/x1", "s1", 1)]


def test_bad_lines_are_refused_one_by_one_and_others_kept(load, write):
    good = [line("user", "a", "Go."), reply("b", TEXT, 5, "a")]
    bad = ['"massive error"', {"silly": "this"}, "42", "[1]", line("user", "x", None)]
    bad.append({**line("user", "y", ""), "message": "error"})
    told = {"type": "summary", "summary": "x", "leafUuid": "a"}
    result = load(write(jsonl(good[0], *bad, told, good[1], good[1], "{broken"), "s1.jsonl"))
    assert result.episodes[0].trajectory.steps == 1
    assert [row.place.partition("(")[2] for row in result.refusals] == [
        *(f"line {n})" for n in range(2, 8)),
        "line 11)",
    ]


def item(kind, **members):
    return {"timestamp": "t", "type": "response_item", "payload": {"type": kind, **members}}


def test_a_rollout_is_read_from_its_items_and_not_twice(load, write):
    content = jsonl(
        {"type": "session_meta", "payload": {"id": "r1", "cli_version": "1"}},
        {"type": "turn_context", "payload": {"model": "gpt-x"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "List."}},
        item("message", role="user", content=[{"type": "input_text", "text": "List."}]),
        item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="Z"),
        item("function_call", name="exec", arguments='{"cmd":"ls"}', call_id="c1"),
        item("function_call_output", call_id="c1", output="a b"),
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "Two."}},
        item("message", role="assistant", content=[{"type": "output_text", "text": "Two."}]),
        {"type": "future", "payload": {}},
        "{broken",
    )
    result = load(write(content, "rollout.jsonl"))
    (episode,) = result.episodes
    assert [s.text for s in episode.steps] == ["List.", None, "a b", "Two."]
    assert (episode.calls[0].arguments_raw, episode.calls[0].result) == ('{"cmd":"ls"}', "a b")
    assert (episode.trajectory.model, episode.sources[0].native_id) == ("gpt-x", "r1")
    assert [row.place for row in result.refusals] == ["rollout.jsonl#10 (line 11)"]


def test_recorded_sessions_are_read(load, shared):
    rollout = load(*sorted((shared / "codex-cli").glob("*.jsonl")))
    assert (len(rollout.episodes), len(rollout.refusals)) == (2, 1)
    claude = load(*sorted((shared / "claude-code").glob("*.jsonl")))
    assert (len(claude.episodes), len(claude.refusals)) == (3, 6)
    gemini = load(shared / "harbor-atif" / "rfc-examples" / "gemini-cli-trajectory.json")
    assert gemini.episodes[0].trajectory.prompt_tokens == 5915


def test_openhands_events_keep_the_raw_arguments(load, shared):
    (episode,) = load(shared / "openhands" / "hello-world.events.json").episodes
    first = episode.calls[0]
    assert first.tool == "execute_bash"
    assert json.loads(first.arguments_raw) == json.loads(first.arguments)
    assert first.result.startswith("Created /app/hello.txt")
    row = episode.trajectory
    assert (row.steps, row.cost_usd, row.prompt_tokens) == (2, 0.01934775, 11859)


def rollout(number, reward, **changes):
    return {
        "example_id": number,
        "prompt": [{"role": "user", "content": f"Q{number}"}],
        "completion": [{"role": "assistant", "content": f"A{reward}"}],
        "reward": reward,
        "answer": "1",
        "correct": 1.0 if reward >= 1 else 0.0,
        **changes,
    }


def test_rewards_of_0_to_1_are_verdicts_and_rollouts_are_numbered(load, write):
    write({"env_id": "math-python", "model": "m"}, "metadata.json")
    rows = [rollout(0, 1.0), rollout(0, 0.0), rollout(1, 0.5)]
    result = load(write(jsonl(*rows), "results.jsonl"))
    found = [(e.trajectory.outcome, e.trajectory.repeat) for e in result.episodes]
    assert found == [("success", 0), ("failure", 1), ("failure", 0)]
    row = result.episodes[0].trajectory
    assert (row.environment, row.model) == ("verifiers_math_python", "m")


def test_rewards_of_another_scale_decide_nothing_until_a_part_is_named(load, write):
    path = write(jsonl(rollout(0, 1.37), rollout(1, 0.4)), "results.jsonl")
    result = load(path)
    assert [(e.trajectory.outcome, e.trajectory.reward) for e in result.episodes] == [
        ("unknown", 1.37),
        ("unknown", 0.4),
    ]
    named = load(path, verdict_field="correct")
    assert [e.trajectory.outcome for e in named.episodes] == ["success", "failure"]


def test_calls_kept_as_text_by_columnar_writers_are_read(load, write, call):
    row = rollout(0, 1.0)
    row["completion"] = [
        {"role": "assistant", "content": "", "tool_calls": [json.dumps(call("python", {"x": 1}))]},
        {"role": "tool", "content": "2", "tool_calls": None},
    ]
    (episode,) = load(write(jsonl(row, row), "r.jsonl")).episodes[:1]
    assert (episode.calls[0].tool, episode.calls[0].result) == ("python", "2")


@pytest.mark.parametrize(
    ("changes", "termination", "fault"),
    [
        ({"stop_condition": "max_turns_reached"}, "budget", None),
        ({"is_truncated": True}, "budget", None),
        ({"error": "RateLimitError"}, "fault", "api_error"),
    ],
)
def test_a_stop_condition_says_how_it_ended(load, write, changes, termination, fault):
    row = load(write([rollout(0, 0.0, **changes)])).episodes[0].trajectory
    assert (row.termination, row.fault) == (termination, fault)


def test_recorded_rollouts_are_read(load, shared):
    result = load(*sorted((shared / "verifiers").rglob("results.jsonl")))
    assert [r.outcomes for r in result.reports] == [
        {"failure": 1, "success": 14},
        {"unknown": 15},
    ]
