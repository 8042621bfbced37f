"""ATIF documents and Harbor's trials: copied context, continuations, other agents, verdicts."""

import json

import pytest

from tasks.importers.finding import find_files


def step(number, source="agent", message="x", **changes):
    return {"step_id": number, "source": source, "message": message, **changes}


def acting(number, tool="bash", call_id="c1", content="ok", **changes):
    call = {"tool_call_id": call_id, "function_name": tool, "arguments": {"cmd": "ls"}}
    observation = {"results": [{"source_call_id": call_id, "content": content}]}
    return step(number, tool_calls=[call], observation=observation, **changes)


def document(*steps, **changes):
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": "run 1",
        "agent": {"name": "terminus", "version": "2", "model_name": "gpt-x"},
        "steps": list(steps),
        **changes,
    }


def trial(**changes):
    return {
        "trial_name": "hello__abc",
        "task_name": "hello",
        "source": "terminal-bench",
        "agent_info": {"name": "terminus", "model_info": {"name": "gpt-x", "provider": "openai"}},
        "agent_result": {"n_input_tokens": 7, "n_output_tokens": 3, "cost_usd": 0.5},
        "verifier_result": {"rewards": {"reward": 1.0}},
        "exception_info": None,
        **changes,
    }


USER = step(1, "user", "Say hello.")


def test_steps_calls_and_results_are_read(load, write):
    (episode,) = load(write(document(USER, acting(2), step(3, message="Done.")))).episodes
    assert [(s.role, s.text) for s in episode.steps] == [
        ("user", "Say hello."),
        ("assistant", "x"),
        ("tool", "ok"),
        ("assistant", "Done."),
    ]
    (call,) = episode.calls
    assert (call.tool, call.arguments, call.result) == ("bash", '{"cmd":"ls"}', "ok")
    row = episode.trajectory
    assert (row.model, row.steps, row.outcome) == ("gpt-x", 2, "unknown")
    assert "arguments_not_json" in json.loads(row.lost_evidence)


@pytest.mark.parametrize("version", [f"ATIF-v1.{n}" for n in range(9)])
def test_every_version_is_recognised(load, write, version):
    report = load(write(document(USER, step(2), schema_version=version))).reports[0].row
    assert (report.source_format, json.loads(report.dialects)) == ("atif", [version.lower()])


def test_what_came_back_to_a_text_is_no_result_of_a_call(load, write):
    written = step(2, observation={"results": [{"content": "New output"}]})
    (episode,) = load(write(document(USER, written))).episodes
    assert [s.role for s in episode.steps] == ["user", "assistant", "environment"]
    assert episode.calls == ()


def test_a_document_that_goes_on_is_one_episode(load, write):
    first = document(USER, acting(2), continued_trajectory_ref="trajectory.cont-1.json")
    second = document(
        step(1, "user", "Say hello.", is_copied_context=True),
        step(2, message="Done.", metrics={"prompt_tokens": 5, "completion_tokens": 1}),
    )
    result = load(write(second, "trajectory.cont-1.json"), write(first, "trajectory.json"))
    (episode,) = result.episodes
    assert [s.text for s in episode.steps] == ["Say hello.", "x", "ok", "Done."]
    assert "continuation of trajectory.json" in result.reports[0].row.notes


def test_a_continuation_that_points_outside_or_at_itself_is_not_followed(load, write, tmp_path):
    (tmp_path / "secret.json").write_text(json.dumps(document(step(1, message="secret"))))
    for name in ("../secret.json", "a.json", "absent.json"):
        path = write(document(USER, step(2), continued_trajectory_ref=name), "in/a.json")
        assert len(load(path).episodes[0].steps) == 2


def test_other_agents_are_episodes_without_the_trials_verdict(load, write):
    inner = document(step(1, "user", "Sum up."), step(2), session_id="sub")
    outer = document(USER, step(2), subagent_trajectories=[inner])
    write(trial(), "t/result.json")
    result = load(write(outer, "t/agent/trajectory.json"))
    found = [(e.trajectory.outcome, e.sources[0].parent_native_id) for e in result.episodes]
    assert found == [("success", None), ("unknown", "run 1")]


def test_other_agents_in_files_beside_are_known_by_the_reference(load, write):
    ref = [{"session_id": "sub", "trajectory_path": "sub.json"}]
    told = step(2, "system", observation={"results": [{"subagent_trajectory_ref": ref}]})
    write(trial(), "t/result.json")
    main = write(document(USER, told, step(3)), "t/agent/trajectory.json")
    sub = write(document(step(1, "user", "Sum up."), step(2), session_id="sub"), "t/agent/sub.json")
    outer, inner = load(main, sub).episodes
    assert (outer.trajectory.outcome, inner.trajectory.outcome) == ("success", "unknown")
    assert inner.sources[0].parent_native_id == "run 1"
    assert outer.calls == ()


@pytest.mark.parametrize(
    ("changes", "outcome", "fault", "termination"),
    [
        ({}, "success", None, "finished"),
        ({"verifier_result": {"rewards": {"reward": 0.5}}}, "failure", None, "finished"),
        ({"verifier_result": {"rewards": {"a": 1.0, "b": 0.0}}}, "unknown", None, "finished"),
        ({"verifier_result": None}, "unknown", None, "finished"),
        (
            {"verifier_result": None, "exception_info": {"exception_type": "VerifierTimeoutError"}},
            "unknown",
            "grader_error",
            "fault",
        ),
        (
            {"exception_info": {"exception_type": "AgentTimeoutError"}},
            "success",
            None,
            "timeout",
        ),
        (
            {"verifier_result": None, "exception_info": {"exception_type": "AgentTimeoutError"}},
            "unknown",
            None,
            "timeout",
        ),
        (
            {"verifier_result": None, "exception_info": {"exception_type": "DockerError"}},
            "unknown",
            "crash",
            "fault",
        ),
    ],
)
def test_the_verdict_is_that_of_the_trial(load, write, changes, outcome, fault, termination):
    write(trial(**changes), "job/t1/result.json")
    path = write(document(USER, step(2)), "job/t1/agent/trajectory.json")
    episode = load(path).episodes[0]
    row = episode.trajectory
    assert (row.outcome, row.fault, row.termination) == (outcome, fault, termination)
    assert (row.environment, row.task_id) == (
        "harbor_terminal_bench",
        "harbor_terminal_bench/task/hello",
    )
    assert (row.prompt_tokens, row.completion_tokens, row.cost_usd) == (7, 3, 0.5)
    assert episode.sources[0].native_id == "hello__abc"


def test_a_job_folder_is_read_trial_by_trial(load, write, tmp_path):
    write(trial(), "job/t1/result.json")
    write(document(USER, step(2)), "job/t1/agent/trajectory.json")
    crashed = {"exception_info": {"exception_type": "DockerError"}, "verifier_result": None}
    write(trial(trial_name="hello__def", **crashed), "job/t2/result.json")
    write({"id": "j", "n_total_trials": 2, "stats": {}}, "job/result.json")
    result = load(*find_files([tmp_path / "job"]))
    assert sorted(e.trajectory.fault or e.trajectory.outcome for e in result.episodes) == [
        "crash",
        "success",
    ]
    assert result.refusals == ()
    assert sum(report.is_passed_over for report in result.reports) == 1


def test_rows_of_the_training_export_supersede_their_beginnings(load, write):
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "ls"}]
    more = [*turns, {"role": "user", "content": "out"}, {"role": "assistant", "content": "done"}]
    row = {
        "conversations": turns,
        "agent": "terminus",
        "task": "hello",
        "trial_name": "t",
        "result": 1.0,
    }
    other = {**row, "trial_name": "u", "result": "AgentTimeoutError"}
    result = load(write([row, {**row, "conversations": more}, other]))
    assert result.reports[0].row.superseded == 1
    found = [
        (e.trajectory.steps, e.trajectory.outcome, e.trajectory.termination)
        for e in result.episodes
    ]
    assert found == [(2, "success", "unknown"), (1, "unknown", "timeout")]


def test_a_document_without_its_agent_is_read_and_said_to_lack_it(load, write):
    lacking = document(USER, step(2))
    del lacking["agent"]
    result = load(write(lacking))
    assert result.episodes[0].trajectory.model == "unknown"
    assert "does not name its `agent`" in result.reports[0].row.notes


def test_recorded_documents_are_read(load, shared):
    folder = shared / "harbor-atif" / "terminus_2"
    result = load(*sorted(folder.glob("*.json")))
    by_name = {e.sources[0].source_file: e for e in result.episodes}
    main = by_name["hello-world-context-summarization.trajectory.json"]
    answers = by_name["hello-world-context-summarization.trajectory.summarization-1-answers.json"]
    assert (main.trajectory.steps, len(main.calls)) == (7, 7)
    assert (answers.trajectory.steps, sum(s.copied for s in answers.steps)) == (1, 7)
    assert answers.trajectory.prompt_tokens == 700
    assert answers.sources[0].parent_native_id == "NORMALIZED_SESSION_ID"
    assert result.refusals == ()


def test_a_folder_of_many_documents_is_not_read_for_each_of_them(load, write, tmp_path):
    for number in range(150):
        steps = [step(1, "user", f"Say {number}."), step(2)]
        write(document(*steps, session_id=f"run {number}"), f"many/run{number}.json")
    write(document(USER, step(2), continued_trajectory_ref="run3.json"), "many/other.json")
    after = document(step(1, "user", "More."), step(2), session_id="after")
    write(after, "many/run5.cont-1.json")
    first = document(USER, step(2), continued_trajectory_ref="run5.cont-1.json")
    write(first, "many/run5.json")
    result = load(*find_files([tmp_path / "many"]))
    assert len(result.episodes) == 151
    joined = next(e for e in result.episodes if e.sources[0].source_file == "run5.json")
    assert joined.trajectory.steps == 2
