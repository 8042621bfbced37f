"""Known faults of recorded data, each from the small input it was reported with."""

import json

import pytest


def chat(*calls, results=()):
    turns: list[dict] = [{"role": "user", "content": "Go."}]
    turns.append({"role": "assistant", "content": None, "tool_calls": list(calls)})
    return {"messages": [*turns, *results]}


def function(**members):
    return {"id": "c1", "type": "function", "function": members}


@pytest.fixture
def calls(load, write):
    def made(*given, results=()):
        return load(write(chat(*given, results=results))).episodes[0].calls

    return made


def test_b1_an_empty_argument_string_is_an_empty_object(calls):
    (call,) = calls(function(name="list_orders", arguments=""))
    assert (call.arguments_raw, call.arguments, call.arguments_error) == ("", "{}", None)


def test_b2_two_objects_glued_together_are_trailing_data(calls):
    (call,) = calls(function(name="f", arguments='{"id":1}{"id":2}'))
    assert (call.arguments, call.arguments_raw) == (None, '{"id":1}{"id":2}')
    assert "trailing data" in call.arguments_error


def test_b5_null_and_absent_arguments_are_the_same_trajectory_with_a_note(load, write):
    null = write([chat(function(name="get_time", arguments=None))], "a.json")
    absent = write([chat(function(name="get_time"))], "b.json")
    result = load(null, absent)
    assert (len(result.episodes), len(result.duplicates)) == (1, 1)
    assert result.episodes[0].calls[0].arguments == "{}"
    assert "1 calls carry no arguments" in result.reports[0].row.notes


def test_b7_truncated_arguments_keep_text_and_error(calls):
    (call,) = calls(function(name="f", arguments='{"city": "Par'))
    assert (call.arguments, call.arguments_raw) == (None, '{"city": "Par')
    assert "not valid JSON" in call.arguments_error


def test_b8_blank_call_ids_are_paired_by_position(calls):
    blank = [{**function(name=name, arguments="{}"), "id": ""} for name in ("a", "b")]
    results = [{"role": "tool", "tool_call_id": "", "content": text} for text in ("1", "2")]
    found = calls(*blank, results=results)
    assert [(call.tool, call.result) for call in found] == [("a", "1"), ("b", "2")]
    assert len({call.tool_call_id for call in found}) == 2


def test_b10_arguments_encoded_twice_are_no_object_and_that_is_said(calls):
    (call,) = calls(function(name="f", arguments='"{\\"id\\":8}"'))
    assert (call.arguments, call.arguments_raw) == (None, '"{\\"id\\":8}"')
    assert "not an object" in call.arguments_error
    assert "encoded twice" in call.arguments_error


def test_b13_responses_items_hold_name_and_arguments_at_the_top(load, write):
    item = {"type": "function_call", "id": "x", "call_id": "c", "name": "f", "arguments": '{"a":1}'}
    user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}
    (call,) = load(write({"input": [user], "output": [item]})).episodes[0].calls
    assert (call.tool, call.arguments, call.native_id) == ("f", '{"a":1}', "c")


def test_b19_fractions_are_no_success_and_a_copy_is_one_trajectory(load, write, tau_episode):
    halves = [tau_episode(reward=0.5), tau_episode(reward=0.5, trial=1)]
    result = load(write(halves, "a.json"), write(halves, "b.json"))
    assert [e.trajectory.outcome for e in result.episodes] == ["failure", "failure"]
    assert len(result.duplicates) == 2


@pytest.mark.parametrize(
    ("kind", "rewards", "expected"),
    [
        ("VerifierTimeoutError", None, ("unknown", "grader_error", "fault")),
        ("AgentTimeoutError", {"reward": 1}, ("success", None, "timeout")),
    ],
)
def test_b20_a_grader_that_timed_out_is_no_zero(load, write, kind, rewards, expected):
    result = {"trial_name": "t", "exception_info": {"exception_type": kind}}
    write({**result, "verifier_result": {"rewards": rewards}}, "t/result.json")
    steps = [{"step_id": 1, "source": "user", "message": "Go."}]
    steps.append({"step_id": 2, "source": "agent", "message": "x"})
    path = write({"schema_version": "ATIF-v1.6", "steps": steps}, "t/agent/trajectory.json")
    row = load(path).episodes[0].trajectory
    assert (row.outcome, row.fault, row.termination) == expected


def test_b22_a_completed_run_may_have_failed(load, write):
    history = [{"role": "user", "content": "Go."}, {"role": "agent", "content": "ACTION: x"}]
    output = {"status": "completed", "result": {"result": 0}, "history": history}
    path = write({"index": 1, "output": output, "time": {}}, "o/m/alfworld-std/runs.jsonl")
    row = load(path).episodes[0].trajectory
    assert (row.outcome, row.termination) == ("failure", "finished")


def test_b38_lone_surrogates_nuls_and_marks_are_replaced_and_counted(load, write):
    text = json.dumps({"messages": [{"role": "user", "content": "PLACE"}]})
    text = text.replace("PLACE", r"\udcb2 x \u0000 \ud83d\ude00")
    result = load(write(b"\xef\xbb\xbf" + text.encode()))
    assert result.episodes[0].steps[0].text == "\ufffd x \ufffd \U0001f600"
    assert result.reports[0].row.replaced_characters == 2


def test_b41_one_reply_on_three_lines_is_one_step(load, write):
    blocks: list[dict] = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    blocks.append({"type": "tool_use", "id": "t", "name": "f", "input": {}})
    lines = [
        {
            "type": "assistant",
            "uuid": f"u{at}",
            "parentUuid": None if at == 0 else f"u{at - 1}" if at < 2 else "nowhere",
            "sessionId": "s",
            "message": {
                "id": "m",
                "role": "assistant",
                "content": [block],
                "usage": {"output_tokens": tokens},
            },
        }
        for at, (block, tokens) in enumerate(zip(blocks, (5, 90, 90), strict=True))
    ]
    result = load(write("\n".join(map(json.dumps, lines)), "s.jsonl"))
    (episode,) = result.episodes
    assert (episode.trajectory.steps, episode.trajectory.completion_tokens) == (1, 90)
    assert (episode.steps[0].text, len(episode.calls)) == ("a\nb", 1)
    assert "1 lines name no line before them" in result.reports[0].row.notes


def test_b43_copied_steps_are_not_counted(load, write):
    call = {"tool_call_id": "c", "function_name": "ls", "arguments": {}}
    steps = [
        {
            "step_id": number,
            "source": "agent",
            "message": "x",
            "tool_calls": [call],
            "metrics": {"prompt_tokens": 10, "completion_tokens": 1},
            **({"is_copied_context": True} if number <= 3 else {}),
        }
        for number in range(1, 8)
    ]
    (episode,) = load(write({"schema_version": "ATIF-v1.5", "steps": steps})).episodes
    row = episode.trajectory
    assert (row.steps, len(episode.calls), row.prompt_tokens) == (4, 4, 40)
    assert sum(step.copied for step in episode.steps) == 3


def test_b44_spans_of_either_dialect_are_read_and_others_named(load, write):
    known = {
        "traceId": "t",
        "spanId": "1",
        "name": "ask",
        "attributes": {"openinference.span.kind": "LLM", "input.value": "Hi", "output.value": "Yo"},
    }
    other = {"traceId": "u", "spanId": "2", "name": "strange", "attributes": {"x.kind": "LLM"}}
    both = load(write([known, other]))
    assert len(both.episodes) == 1
    assert "'strange'" in both.reports[0].row.notes


def test_b46_nothing_said_of_end_and_reward_is_unknown_twice(load, write, tau2_file, simulation):
    content = tau2_file(simulation(termination_reason=None, reward_info=None))
    row = load(write(content)).episodes[0].trajectory
    assert (row.outcome, row.termination, row.fault) == ("unknown", "unknown", None)


def test_s1_a_key_in_the_arguments_of_a_model_is_redacted_and_counted(
    load, write, tau2_file, simulation
):
    content = tau2_file(simulation())
    key = "SECRET-VALUE-123456"
    content["info"]["agent_info"]["llm_args"] = {"api_key": key, "base_url": "https://x.y"}
    path = write(content)
    result = load(path)
    assert json.loads(result.reports[0].row.redactions_by_kind) == {"named": 1}
    open_ = load(path, redact=False).reports[0].row
    assert (open_.redactions, open_.redacted, result.reports[0].row.redacted) == (0, False, True)


def test_s2_simulations_without_a_task_are_paired_only_on_request(
    load, write, tau2_file, simulation
):
    path = write(tau2_file(simulation(task_id=None)))
    assert load(path).reports[0].row.unknown_task == 1
    assert load(path, pair_tasks_by_index=True).reports[0].row.unknown_task == 0


def test_s4_rewards_above_one_are_kept_as_they_are(load, write):
    turn = {"role": "assistant", "content": "x"}
    row = {"example_id": 0, "prompt": "Q", "completion": [turn], "reward": 1.2, "answer": "a"}
    made = load(write([row])).episodes[0].trajectory
    assert (made.reward, made.outcome) == (1.2, "unknown")


def test_s12_a_document_without_its_agent_is_read_and_the_lack_named(load, write):
    steps = [{"step_id": 1, "source": "agent", "message": "x"}]
    result = load(write({"schema_version": "ATIF-v1.4", "steps": steps}))
    assert (len(result.episodes), "`agent`" in result.reports[0].row.notes) == (1, True)
