"""tau-bench episodes become trajectories without losing or inventing anything."""

import json

import pytest


def test_calls_are_paired_with_results_and_keep_their_argument_text(load, write, tau_episode):
    episode = load(write([tau_episode()])).episodes[0]

    (row,) = episode.calls
    assert row.arguments_raw == '{"reservation_id": "R1"}'
    assert row.arguments == '{"reservation_id":"R1"}'
    assert (row.step_index, row.result_step_index, row.result) == (2, 3, "{}")
    assert row.executed is True
    assert episode.task_text == "Please cancel R1."
    assert episode.trajectory.termination == "user_stop"


@pytest.mark.parametrize(
    ("reward", "outcome"),
    [
        (1.0, "success"),
        (0.9999995, "success"),
        (0.93, "failure"),
        (0, "failure"),
        (None, "unknown"),
        ("1.0", "unknown"),
        (True, "unknown"),
        (10**400, "unknown"),
    ],
)
def test_outcome_has_three_values(load, write, tau_episode, reward, outcome):
    trajectory = load(write([tau_episode(reward=reward)])).episodes[0].trajectory
    assert trajectory.outcome == outcome
    assert trajectory.fault is None


def test_a_reward_that_is_nan_is_unknown(load, write, tau_episode):
    text = json.dumps([tau_episode()]).replace('"reward": 1.0, "info"', '"reward": NaN, "info"')
    trajectory = load(write(text)).episodes[0].trajectory
    assert (trajectory.outcome, trajectory.reward) == ("unknown", None)
    assert trajectory.outcome_rule == "reward_not_a_number"


def test_a_fractional_reward_keeps_the_environments_own_verdict(load, write, tau_episode):
    graded = {"reward": 0.93, "info": {"r_actions": 1.0}, "components": {"penalty": -0.07}}
    info = {**tau_episode()["info"], "reward_info": graded}
    trajectory = load(write([tau_episode(reward=0.93, info=info)])).episodes[0].trajectory

    parts = json.loads(trajectory.reward_parts)
    assert trajectory.outcome == "failure"
    assert (parts["r_actions"], parts["base_reward"]) == (1.0, 1.0)
    assert parts["components"] == {"penalty": -0.07}
    assert parts["expected_actions"][0]["arguments"] == {"reservation_id": "R1"}


def test_a_crash_is_a_fault_and_not_a_failure(load, write, tau_episode):
    crash = tau_episode(
        reward=0.0, traj=[], info={"error": "RateLimitError: 429", "traceback": "..."}
    )
    result = load(write([crash, tau_episode()]))

    trajectory = result.episodes[0].trajectory
    assert (trajectory.outcome, trajectory.fault) == ("unknown", "api_error")
    assert trajectory.environment == "tau_bench_airline"
    assert "messages" in json.loads(trajectory.lost_evidence)
    assert result.reports[0].outcomes == {"fault": 1, "success": 1}


def test_the_step_cap_is_a_failure_that_ended_by_budget(load, write, tau_episode):
    episode = tau_episode(reward=0.0, traj=tau_episode()["traj"][:4])
    episode["info"] = {**episode["info"], "reward_info": None}
    trajectory = load(write([episode])).episodes[0].trajectory
    assert (trajectory.outcome, trajectory.termination) == ("failure", "budget")
    assert trajectory.fault is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Error: user not found", "tool_error"), ("Unknown action foo", "unknown_tool")],
)
def test_errors_are_told_by_the_text_of_the_result(load, write, tau_episode, text, kind):
    episode = tau_episode()
    episode["traj"][3]["content"] = text
    (row,) = load(write([episode])).episodes[0].calls
    assert (row.is_error, row.error_kind) == (True, kind)


def test_only_the_first_call_of_a_message_was_executed(load, write, tau_episode, call):
    episode = tau_episode()
    episode["traj"][2]["tool_calls"].append(call("get_user_details", {}, "c2"))
    first, second = load(write([episode])).episodes[0].calls
    assert (first.executed, second.executed) == (True, False)
    assert second.error_kind == "call_without_result"


@pytest.mark.parametrize(
    ("raw", "arguments", "error"),
    [
        ("", "{}", None),
        ('{"a":1}{"b":2}', None, "trailing data"),
        ('{"city": "Par', None, "not valid JSON"),
        ('"{\\"id\\":8}"', None, "not an object"),
        ("[" * 100_000, None, "not valid JSON"),
        ('{"a": NaN}', None, "not valid JSON"),
    ],
)
def test_argument_text_is_kept_whatever_it_is(
    load, write, tau_episode, call, raw, arguments, error
):
    episode = tau_episode()
    episode["traj"][2]["tool_calls"] = [call("cancel_reservation", raw)]
    (row,) = load(write([episode])).episodes[0].calls
    assert row.arguments_raw == raw
    assert row.arguments == arguments
    assert (row.arguments_error is None) if error is None else (error in row.arguments_error)


def test_absent_and_null_arguments_are_an_empty_object(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"][2]["tool_calls"] = [
        {"id": "c1", "function": {"name": "list_all_airports", "arguments": None}},
        {"id": "c2", "function": {"name": "list_all_airports"}},
    ]
    rows = load(write([episode])).episodes[0].calls
    assert [(row.arguments, row.arguments_raw) for row in rows] == [("{}", None)] * 2


def test_blank_call_ids_are_paired_by_position(load, write, tau_episode, call):
    episode = tau_episode()
    episode["traj"][2]["tool_calls"] = [call("a", {}, ""), call("b", {}, "")]
    episode["traj"][3:4] = [
        {"role": "tool", "tool_call_id": "", "content": "one"},
        {"role": "tool", "tool_call_id": "", "content": "two"},
    ]
    rows = load(write([episode])).episodes[0].calls
    assert [(row.tool, row.result) for row in rows] == [("a", "one"), ("b", "two")]
    assert len({row.tool_call_id for row in rows}) == 2


def test_a_result_without_a_call_is_kept_and_flagged(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"].insert(
        4, {"role": "tool", "tool_call_id": "zz", "name": "x", "content": "stray"}
    )
    rows = load(write([episode])).episodes[0].calls
    stray = next(row for row in rows if row.error_kind == "result_without_call")
    assert (stray.result, stray.step_index, stray.arguments) == ("stray", 4, None)
    assert [row.result for row in rows if row.tool == "cancel_reservation"] == ["{}"]


def _react(action: str) -> list[dict[str, str]]:
    return [
        {"role": "system", "content": '# Retail agent policy\n#Available tools\n[{"name": "f"}]'},
        {"role": "user", "content": "Where is my order?"},
        {"role": "assistant", "content": f"Thought:\nLook.\nAction:\n{action}"},
        {"role": "user", "content": "API output: shipped"},
        {
            "role": "assistant",
            "content": 'Action:\n{"name": "respond", "arguments": {"content": "Shipped."}}',
        },
        {"role": "user", "content": "###STOP###"},
    ]


def test_calls_of_a_text_strategy_are_read_from_the_text(load, write, tau_episode):
    action = '{"name": "get_order_details", "arguments": {"order_id": "#W1"}}'
    episode = load(write([tau_episode(traj=_react(action), info={})])).episodes[0]

    (row,) = episode.calls
    assert (row.tool, row.arguments_raw) == ("get_order_details", '{"order_id": "#W1"}')
    assert row.result == "shipped"
    assert episode.steps[3].role == "tool"
    assert episode.trajectory.environment == "tau_bench_retail"
    assert episode.prompt_text(episode.trajectory.tools_prompt_id) == '[{"name":"f"}]'


def test_a_broken_action_text_is_a_call_that_did_not_run(load, write, tau_episode):
    action = '{"name": "get_order_details", "arguments": {"order_id": '
    (row,) = load(write([tau_episode(traj=_react(action), info={})])).episodes[0].calls
    assert (row.tool, row.executed, row.arguments) == ("get_order_details", False, None)
    assert row.arguments_error


def test_an_action_text_of_a_calling_agent_is_not_taken_for_a_call(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"][2] = {
        "role": "assistant",
        "content": 'Action:\n{"name": "cancel_reservation", "arguments": {}}',
    }
    del episode["traj"][3]
    assert load(write([episode])).episodes[0].calls == ()


def test_domain_comes_from_content_before_the_file_name(load, write, tau_episode):
    episode = load(write([tau_episode()], "gpt-4o-retail.json")).episodes[0]
    assert episode.trajectory.environment == "tau_bench_airline"


def test_contradictory_content_gives_an_unknown_domain(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"][0]["content"] = "# Retail agent policy"
    trajectory = load(write([episode], "gpt-4o-retail.json")).episodes[0].trajectory
    assert trajectory.environment == "tau_bench_unknown"
    assert trajectory.task_id == "tau_bench_unknown/task/3"


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-4o-airline.json", "gpt-4o"),
        ("tool-calling-grok-3-0.0_range_0--1_user-gpt-4o-llm_0921131646.json", "grok-3"),
        ("results.json", "unknown"),
    ],
)
def test_the_model_is_read_from_the_file_name(load, write, tau_episode, name, model):
    assert load(write([tau_episode()], name)).episodes[0].trajectory.model == model


def test_the_user_may_name_the_model(load, write, tau_episode):
    path = write([tau_episode()])
    assert load(path, model="mine").episodes[0].trajectory.model == "mine"


def test_an_episode_without_task_id_has_an_unknown_task(load, write, tau_episode):
    result = load(write([tau_episode(task_id=None), tau_episode(task_id=None, trial=1)]))
    tasks = {episode.trajectory.task_id for episode in result.episodes}
    assert len(tasks) == 2
    assert all(task.startswith("tau_bench_airline/unknown/") for task in tasks)
    assert result.reports[0].row.unknown_task == 2


def test_tasks_with_the_same_number_and_another_brief_do_not_clash(load, write, tau_episode):
    other = tau_episode(trial=1)
    other["info"] = {**other["info"], "task": {"instruction": "Something else."}}
    result = load(write([tau_episode(), other]))
    assert {task.text for task in result.tasks} == {"Cancel your reservation.", "Something else."}
    assert len({task.environment_fingerprint for task in result.tasks}) == 2


def test_message_parts_and_legacy_function_calls_are_read(load, write, tau_episode):
    episode = tau_episode()
    episode["traj"][1]["content"] = [{"type": "text", "text": "Hello"}]
    episode["traj"][2] = {
        "role": "assistant",
        "content": "",
        "function_call": {"name": "cancel_reservation", "arguments": "{}"},
    }
    episode["traj"][3] = {"role": "function", "name": "cancel_reservation", "content": "ok"}
    made = load(write([episode])).episodes[0]
    assert made.steps[1].text == "Hello"
    assert (made.calls[0].tool, made.calls[0].result) == ("cancel_reservation", "ok")
