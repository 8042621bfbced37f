"""tau2 simulations in both layouts become trajectories."""

import json

import pytest


def test_a_simulation_becomes_a_trajectory(load, write, tau2_file, simulation):
    episode = load(write(tau2_file(simulation()))).episodes[0]
    row = episode.trajectory
    assert (row.environment, row.task_id) == ("tau2_airline", "tau2_airline/airline/7")
    assert (row.model, row.seed, row.outcome) == ("gpt-x", 11, "failure")
    assert (row.termination, row.termination_raw) == ("user_stop", "user_stop")
    assert (row.prompt_tokens, row.completion_tokens, row.cost_usd) == (10, 3, 0.2)
    assert episode.prompt_text(row.system_prompt_id) == "Policy"
    assert episode.steps[2].observation == "late"
    assert row.split == "train"


def test_parts_of_the_verdict_are_kept_and_vacuous_ones_marked(load, write, tau2_file, simulation):
    parts = json.loads(load(write(tau2_file(simulation()))).episodes[0].trajectory.reward_parts)
    assert parts["db_match"] is False
    assert parts["vacuous"] == ["COMMUNICATE"]
    assert parts["expected_actions"] == [
        {"name": "send_certificate", "arguments": {"amount": 50}, "requestor": "assistant"}
    ]
    assert parts["limits"] == {"max_steps": 200}
    assert "certificate" in parts["instruction"]


@pytest.mark.parametrize(
    ("raw", "termination"),
    [
        ("agent_stop", "finished"),
        ("max_steps", "budget"),
        ("timeout", "timeout"),
        ("too_many_errors", "too_many_errors"),
        ("agent_error", "agent_error"),
        ("user_error", "user_error"),
        ("context_window_exceeded", "context_overflow"),
        ("TerminationReason.MAX_STEPS", "budget"),
        ("something_new", "unknown"),
        (None, "unknown"),
        (17, "unknown"),
    ],
)
def test_how_it_ended_is_apart_from_whether_it_was_right(
    load, write, tau2_file, simulation, raw, termination
):
    one = simulation(termination_reason=raw)
    row = load(write(tau2_file(one))).episodes[0].trajectory
    assert (row.termination, row.outcome, row.fault) == (termination, "failure", None)


@pytest.mark.parametrize("raw", ["infrastructure_error", "unexpected_error"])
def test_infrastructure_is_a_fault(load, write, tau2_file, simulation, raw):
    row = load(write(tau2_file(simulation(termination_reason=raw)))).episodes[0].trajectory
    assert (row.outcome, row.fault, row.termination) == ("unknown", raw, "fault")


def test_a_missing_reward_and_end_are_unknown(load, write, tau2_file, simulation):
    one = simulation(reward_info=None, termination_reason=None)
    row = load(write(tau2_file(one))).episodes[0].trajectory
    assert (row.outcome, row.termination, row.fault) == ("unknown", "unknown", None)


def test_a_grader_that_timed_out_is_a_fault(load, write, tau2_file, simulation):
    one = simulation(reward_info=None, info={"error": "VerifierTimeout: gave up"})
    row = load(write(tau2_file(one))).episodes[0].trajectory
    assert (row.outcome, row.fault) == ("unknown", "grader_error")


def test_a_graded_timeout_is_a_success(load, write, tau2_file, simulation):
    one = simulation(reward_info={"reward": 1.0}, termination_reason="timeout")
    row = load(write(tau2_file(one))).episodes[0].trajectory
    assert (row.outcome, row.termination) == ("success", "timeout")


def test_a_run_that_died_of_an_api_error_is_a_fault(load, write, tau2_file, simulation):
    one = simulation(
        messages=[
            {"role": "assistant", "content": "Hi!"},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "litellm.InternalServerError: 503 upstream"},
        ]
    )
    row = load(write(tau2_file(one))).episodes[0].trajectory
    assert (row.outcome, row.fault) == ("unknown", "api_error")


def test_raw_argument_text_is_recovered_from_the_providers_message(
    load, write, tau2_file, simulation
):
    one = simulation()
    raw = '{"flight":  "F1"}'
    one["messages"][2]["raw_data"] = {
        "finish_reason": "tool_calls",
        "message": {
            "tool_calls": [
                {"id": "k1", "function": {"name": "get_flight_status", "arguments": raw}}
            ]
        },
    }
    episode = load(write(tau2_file(one))).episodes[0]
    assert episode.calls[0].arguments_raw == raw
    assert episode.steps[2].finish_reason == "tool_calls"
    assert "arguments_raw" not in json.loads(episode.trajectory.lost_evidence)


def test_without_the_providers_message_raw_text_is_lost_and_said_so(
    load, write, tau2_file, simulation
):
    episode = load(write(tau2_file(simulation()))).episodes[0]
    assert episode.calls[0].arguments_raw is None
    assert "arguments_raw" in json.loads(episode.trajectory.lost_evidence)


def test_calls_of_the_user_are_not_the_agents(load, write, tau2_file, simulation):
    one = simulation()
    one["messages"][1]["tool_calls"] = [
        {"id": "u1", "name": "toggle_data", "arguments": {}, "requestor": "user"}
    ]
    one["messages"].insert(
        2, {"role": "tool", "id": "u1", "content": "on", "requestor": "user", "error": False}
    )
    episode = load(write(tau2_file(one))).episodes[0]
    assert [(call.tool, call.requestor) for call in episode.calls] == [
        ("toggle_data", "user"),
        ("get_flight_status", "assistant"),
    ]
    assert episode.trajectory.steps == 3


def test_several_calls_of_a_message_keep_their_own_results(load, write, tau2_file, simulation):
    one = simulation()
    one["messages"][2]["tool_calls"].append(
        {"id": "k2", "name": "get_user_details", "arguments": {"user_id": "u"}}
    )
    one["messages"].insert(3, {"role": "tool", "id": "k2", "content": "user u"})
    calls = load(write(tau2_file(one))).episodes[0].calls
    assert [(call.tool, call.result) for call in calls] == [
        ("get_flight_status", "late"),
        ("get_user_details", "user u"),
    ]
    assert [call.call_index for call in calls] == [0, 1]


def test_bundled_tool_messages_are_taken_apart(load, write, tau2_file, simulation):
    one = simulation()
    result = one["messages"][3]
    one["messages"][3] = {"role": "tool", "tool_messages": [result]}
    assert load(write(tau2_file(one))).episodes[0].calls[0].result == "late"


def test_a_call_at_the_end_without_result_is_kept_and_flagged(load, write, tau2_file, simulation):
    one = simulation(termination_reason="max_steps")
    one["messages"] = one["messages"][:3]
    (row,) = load(write(tau2_file(one))).episodes[0].calls
    assert (row.executed, row.result, row.error_kind) == (None, None, "call_without_result")


def test_tool_definitions_are_kept_when_there_are_any(load, write, tau2_file, simulation):
    content = tau2_file(simulation())
    content["info"]["environment_info"]["tool_defs"] = [{"name": "get_flight_status"}]
    episode = load(write(content)).episodes[0]
    assert episode.prompt_text(episode.trajectory.tools_prompt_id) == (
        '[{"name":"get_flight_status"}]'
    )


def test_telecom_tasks_have_the_family_of_their_group(load, write, tau2_file, simulation):
    content = tau2_file(simulation(task_id="[mobile_data_issue]a|b/c[PERSONA:None]"))
    content["info"]["environment_info"]["domain_name"] = "telecom"
    row = load(write(content)).episodes[0].trajectory
    assert row.family == "mobile_data_issue"
    assert row.task_id == "tau2_telecom/mobile_data_issue/[mobile_data_issue]a|b%2Fc[PERSONA:None]"


def test_checks_of_another_task_are_noticed(load, write, tau2_file, simulation):
    one = simulation()
    one["reward_info"]["action_checks"][0]["action"] = {"name": "other", "arguments": {}}
    result = load(write(tau2_file(one)))
    parts = json.loads(result.episodes[0].trajectory.reward_parts)
    assert parts["task_disputed"] is True
    assert [action["name"] for action in parts["expected_actions"]] == ["other"]
    assert "instruction" not in parts
    assert result.tasks[0].text == ""
    assert "another task" in result.reports[0].row.notes


def _bare(simulation, **changes):
    return {key: simulation()[key] for key in ("reward_info", "messages")} | changes


def test_simulations_without_task_id_are_never_guessed(load, write, tau2_file, simulation):
    content = tau2_file(_bare(simulation, id="a"))
    result = load(write(content))
    assert result.episodes[0].trajectory.task_id.startswith("tau2_airline/unknown/")
    assert result.reports[0].row.unknown_task == 1


def test_simulations_are_paired_by_position_on_request_only(load, write, tau2_file, simulation):
    path = write(tau2_file(_bare(simulation, id="a")))
    row = load(path, pair_tasks_by_index=True).episodes[0].trajectory
    assert row.task_id == "tau2_airline/airline/7"


def test_unequal_counts_are_not_paired(load, write, tau2_file, simulation):
    path = write(tau2_file(_bare(simulation, id="a"), _bare(simulation, id="b")))
    result = load(path, pair_tasks_by_index=True)
    assert result.reports[0].row.unknown_task == 2
    assert "not paired" in result.reports[0].row.notes


def test_voice_runs_are_refused_by_name(load, write, tau2_file, simulation):
    voice = simulation(ticks=[{"tick_id": 0}])
    del voice["messages"]
    result = load(write(tau2_file(voice, simulation(id="b"))))
    assert len(result.episodes) == 1
    assert "voice run of 1 ticks" in result.refusals[0].reason
    assert result.refusals[0].place.startswith("run.json#0")


def test_the_folder_layout_gives_the_same_trajectories(load, write, tau2_file, simulation):
    whole = load(write(tau2_file(simulation()), "one.json"))
    head = tau2_file()
    del head["simulations"]
    results = write(head, "folder/results.json")
    write(simulation(), "folder/simulations/sim-1.json")

    for given in (results, results.parent):
        made = load(given)
        assert made.episodes[0].trajectory_id == whole.episodes[0].trajectory_id
        assert made.episodes[0].sources[0].source_file == "sim-1.json"


def test_a_simulation_of_a_folder_can_be_given_alone(load, write, tau2_file, simulation):
    head = tau2_file()
    del head["simulations"]
    write(head, "folder/results.json")
    path = write(simulation(), "folder/simulations/sim-1.json")
    assert load(path).episodes[0].trajectory.task_id == "tau2_airline/airline/7"


def test_missing_files_of_a_folder_are_named(load, write, tau2_file, simulation):
    head = tau2_file(simulation_index=[{"id": "sim-1"}, {"id": "gone"}, {"id": "gone-too"}])
    del head["simulations"]
    results = write(head, "folder/results.json")
    write(simulation(), "folder/simulations/sim-1.json")
    result = load(results)
    assert len(result.episodes) == 1
    assert [row.reason for row in result.refusals] == [
        "listed in results.json, but the file is missing"
    ] * 2
    assert "simulations/gone-too.json" in result.refusals[1].place


def test_members_may_stand_in_any_order(load, write, tau2_file, simulation):
    content = tau2_file(simulation())
    turned = dict(reversed(content.items()))
    assert load(write(turned, "a.json")).episodes[0].trajectory == (
        load(write(content, "b.json")).episodes[0].trajectory
    )
