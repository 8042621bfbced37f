"""Langfuse and LangSmith exports, known from their SDKs alone: rows become conversations."""

import json

import pytest

ASKED = [{"role": "user", "content": "Weather?"}]
CALL = {"id": "c1", "type": "function", "function": {"name": "get", "arguments": '{"at": "Paris"}'}}
CALLED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "rain"}


def observation(number, kind="GENERATION", **changes):
    row = {
        "id": f"o{number}",
        "trace_id": "t1",
        "parent_observation_id": None,
        "type": kind,
        "name": "ask",
        "start_time": f"2025-01-01 10:00:0{number}.000000",
        "level": "DEFAULT",
        "model": "gpt-x" if kind == "GENERATION" else None,
        "trace_name": "Desk Agent",
        "usage_details": {"input": 10, "output": 2, "total": 12},
        "total_cost": "0.5",
    }
    return {**row, **changes}


def two_steps():
    said = {"role": "assistant", "content": "Rain."}
    return [
        observation(2, input=[*ASKED, CALLED, ANSWERED], output=said),
        observation(1, input=json.dumps({"messages": ASKED}), output=CALLED),
    ]


def lines(rows):
    return "\n".join(map(json.dumps, rows))


def check(episode):
    assert [step.role for step in episode.steps] == ["user", "assistant", "tool", "assistant"]
    (call,) = episode.calls
    assert (call.arguments_raw, call.result) == ('{"at": "Paris"}', "rain")
    assert episode.trajectory.outcome == "unknown"


def test_observations_are_sorted_and_their_history_taken_once(load, write):
    (episode,) = load(write(lines(two_steps()), "observations_v2/a.jsonl")).episodes
    check(episode)
    row = episode.trajectory
    assert (row.family, row.model, row.cost_usd) == ("unknown", "gpt-x", 1.0)
    assert (row.prompt_tokens, row.completion_tokens) == (20, 4)
    assert episode.sources[0].native_id == "t1"


def test_camel_case_of_the_api_is_the_same_trajectory(load, write):
    def camel(name):
        head, *rest = name.split("_")
        return head + "".join(part.title() for part in rest)

    rows = [{camel(name): value for name, value in row.items()} for row in two_steps()]
    page = {"data": rows, "meta": {"page": 1}}
    result = load(write(lines(two_steps()), "a.jsonl"), write(page, "b.json"))
    assert (len(result.episodes), len(result.duplicates)) == (1, 1)


@pytest.mark.parametrize("wrap", [lambda trace: trace, lambda trace: [trace]])
def test_a_trace_holds_its_observations_and_scores(load, write, wrap):
    rows = [{k: v for k, v in row.items() if k != "trace_name"} for row in two_steps()]
    scores = [{"name": "right", "value": 1, "dataType": "NUMERIC"}]
    trace = {"id": "t1", "name": "Desk Agent", "observations": rows, "scores": scores}
    (episode,) = load(write(wrap(trace)), verdict_field="scores.right").episodes
    assert (episode.trajectory.outcome, episode.trajectory.reward) == ("success", 1.0)


def test_scores_of_the_folder_beside_are_joined_and_decide_nothing_unasked(load, write):
    score = {"id": "s", "trace_id": "t1", "name": "right", "value": 0.0, "data_type": "NUMERIC"}
    scores = write(lines([score, score]), "scores/a.jsonl")
    path = write(lines(two_steps()), "observations_v2/a.jsonl")
    row = load(path).episodes[0].trajectory
    assert (row.outcome, json.loads(row.reward_parts)) == ("unknown", {"scores": {"right": 0.0}})
    assert load(path, verdict_field="scores.right").episodes[0].trajectory.outcome == "failure"
    alone = load(scores).reports[0].row
    assert (alone.source_format, alone.imported, alone.refused) == ("langfuse", 0, 0)


def test_tool_observations_and_failed_models(load, write):
    rows = [
        observation(1, input=ASKED, output=CALLED),
        observation(2, "TOOL", name="get", input={"at": "Paris"}, output="rain"),
        observation(3, input="Go on", output=None, level="ERROR", status_message="RateLimitError"),
    ]
    (episode,) = load(write(lines(rows), "a.jsonl")).episodes
    assert episode.calls[0].result == "rain"
    assert episode.trajectory.fault == "api_error"


def run(number, kind, inputs, outputs, **changes):
    row = {
        "id": f"r{number}",
        "trace_id": "r0",
        "parent_run_id": "r0" if number else None,
        "dotted_order": f"2025.r0.{number}",
        "run_type": kind,
        "name": "get" if kind == "tool" else "Desk",
        "inputs": inputs,
        "outputs": outputs,
        "error": None,
        "prompt_tokens": 10 if kind == "llm" else None,
        "completion_tokens": 2 if kind == "llm" else None,
        "extra": {"metadata": {"ls_model_name": "gpt-x"}},
    }
    return {**row, **changes}


def constructor(kind, **kwargs):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", kind], "kwargs": kwargs}


HUMAN = constructor("HumanMessage", content="Weather?")
RAW = {"tool_calls": [CALL]}
PARSED = [{"name": "get", "args": {"at": "Paris"}, "id": "c1"}]
AI = constructor("AIMessage", content="", additional_kwargs=RAW, tool_calls=PARSED)
TOOL = constructor("ToolMessage", content="rain", tool_call_id="c1")
LAST = constructor("AIMessage", content="Rain.")


def smith_runs():
    return [
        run(3, "llm", {"messages": [[HUMAN, AI, TOOL]]}, {"generations": [[{"message": LAST}]]}),
        run(0, "chain", {}, {}, reference_example_id="ex 1", feedback_stats={"ok": {"avg": 1.0}}),
        run(1, "llm", {"messages": [[HUMAN]]}, {"generations": [[{"message": AI}]]}),
        run(2, "tool", {"input": '{"at": "Paris"}'}, {"output": TOOL}),
    ]


def test_runs_become_a_conversation_in_their_dotted_order(load, write):
    (episode,) = load(write(lines(smith_runs()), "runs.jsonl")).episodes
    check(episode)
    row = episode.trajectory
    assert (row.environment, row.model, row.prompt_tokens) == ("langsmith", "gpt-x", 20)
    assert row.task_id == "langsmith/desk/ex 1"
    assert json.loads(row.reward_parts)["scores"] == {"ok": 1.0}


def test_nested_runs_are_the_same(load, write):
    root, *others = sorted(smith_runs(), key=lambda row: row["dotted_order"])
    result = load(write(lines(smith_runs()), "a.jsonl"), write([{**root, "child_runs": others}]))
    assert (len(result.episodes), len(result.duplicates)) == (1, 1)


def test_calls_that_could_not_be_parsed_keep_text_and_error(load, write):
    invalid = [{"name": "get", "args": '{"at": ', "id": "c9", "error": "bad JSON"}]
    ai = {"type": "ai", "data": {"content": "", "invalid_tool_calls": invalid}}
    human = {"type": "human", "data": {"content": "Weather?"}}
    rows = [run(0, "llm", {"messages": [human]}, {"messages": [ai]})]
    (episode,) = load(write(rows)).episodes
    (call,) = episode.calls
    assert (call.arguments_raw, call.arguments, call.arguments_error) == (
        '{"at": ',
        None,
        "bad JSON",
    )
    assert call.executed is False


def test_a_row_that_is_no_run_is_refused_alone(load, write):
    result = load(write(lines([*smith_runs(), {"id": 1}, 7]), "runs.jsonl"))
    assert (len(result.episodes), len(result.refusals)) == (1, 2)
