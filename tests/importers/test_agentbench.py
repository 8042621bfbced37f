"""AgentBench: agent and task from the path, retries superseded, text actions read by task rules."""

import json

import pytest

PLACE = "outputs/run1/gpt-x/os-std/"


def line(index, *turns, status="completed", result=None, **changes):
    history = [{"role": role, "content": text} for role, text in turns]
    output = {"index": index, "status": status, "result": result, "history": history}
    time = {"timestamp": 1, "str": "2025-01-01"}
    return {"index": index, "error": None, "info": None, "output": output, "time": time, **changes}


def error(index, kind="NETWORK_ERROR"):
    return {"index": index, "error": kind, "info": "x", "output": None, "time": {}}


def jsonl(*values):
    return "\n".join(json.dumps(value) for value in values)


TURNS = (
    ("user", "How many files are in /tmp?"),
    ("agent", "Think: look.\n\nAct: bash\n\n```bash\nls /tmp | wc -l\n```"),
    ("user", "The output of the OS:\n7"),
    ("agent", "Think: done.\n\nAct: answer(7)"),
)


def test_agent_and_task_come_from_the_path(load, write):
    path = write(jsonl(line(3, *TURNS, result={"result": True})), PLACE + "runs.jsonl")
    (episode,) = load(path).episodes
    row = episode.trajectory
    assert (row.environment, row.task_id, row.model) == (
        "agentbench_os",
        "agentbench_os/os/3",
        "gpt-x",
    )
    assert episode.sources[0].native_id == "3"


def test_text_stays_and_the_rules_of_the_task_add_the_calls(load, write):
    (episode,) = load(write(jsonl(line(1, *TURNS)), PLACE + "runs.jsonl")).episodes
    assert [step.text for step in episode.steps] == [text for _, text in TURNS]
    found = [(c.tool, json.loads(c.arguments), c.executed, c.result) for c in episode.calls]
    assert found == [
        ("bash", {"script": "ls /tmp | wc -l"}, True, TURNS[2][1]),
        ("answer", {"answer": "7"}, True, None),
    ]


@pytest.mark.parametrize(
    ("task", "text", "tool", "arguments"),
    [
        (
            "dbbench-std",
            "Action: Operation\n```sql\nSELECT 1\n```",
            "Operation",
            {"sql": "SELECT 1"},
        ),
        ("dbbench-dev", 'Action: Answer\nFinal Answer: ["a"]', "Answer", {"answer": '["a"]'}),
        (
            "alfworld-std",
            "THOUGHT: x\nACTION: go to desk 1",
            "take_action",
            {"action": "go to desk 1"},
        ),
        ("webshop", "Action:\nsearch[red shoes]", "search", {"argument": "red shoes"}),
        ("kg-std", "Thought: x\nAction: get_relations(#1)", "get_relations", {"argument": "#1"}),
        (
            "medagentbench-std",
            'POST http://x/fhir/Observation\n{"a": 1}',
            "POST",
            {"url": "http://x/fhir/Observation", "body": '{"a": 1}'},
        ),
    ],
)
def test_each_task_has_its_own_rules(load, write, task, text, tool, arguments):
    runs = jsonl(line(1, ("user", "Do it."), ("agent", text), ("user", "ok")))
    (call,) = load(write(runs, f"out/model/{task}/runs.jsonl")).episodes[0].calls
    assert (call.tool, json.loads(call.arguments)) == (tool, arguments)


def test_a_task_without_rules_keeps_its_texts_and_has_no_calls(load, write):
    runs = jsonl(line(1, ("user", "Go."), ("agent", "ACTION: go north"), ("user", "ok")))
    (episode,) = load(write(runs, "out/model/my-own-task/runs.jsonl")).episodes
    assert episode.calls == ()
    assert episode.trajectory.environment == "agentbench_my_own_task"


@pytest.mark.parametrize(
    ("task", "result", "outcome", "reward"),
    [
        ("alfworld-std", {"result": 0}, "failure", 0.0),
        ("alfworld-std", {"result": 1}, "success", 1.0),
        ("os-std", {"result": False}, "failure", 0.0),
        ("webshop-std", {"reward": 0.5}, "failure", 0.5),
        ("dbbench-std", {"answer": "a", "type": "SELECT"}, "unknown", None),
        ("medagentbench-std", "[1]", "unknown", None),
    ],
)
def test_completed_is_no_verdict(load, write, task, result, outcome, reward):
    runs = jsonl(line(1, ("user", "Go."), ("agent", "x"), result=result))
    row = load(write(runs, f"out/model/{task}/runs.jsonl")).episodes[0].trajectory
    assert (row.outcome, row.reward, row.termination) == (outcome, reward, "finished")


@pytest.mark.parametrize(
    ("status", "termination"),
    [
        ("agent context limit", "context_overflow"),
        ("agent validation failed", "agent_error"),
        ("agent invalid action", "agent_error"),
        ("task limit reached", "budget"),
        ("something new", "unknown"),
    ],
)
def test_a_status_says_how_it_ended(load, write, status, termination):
    runs = jsonl(line(1, ("user", "Go."), ("agent", "x"), status=status))
    row = load(write(runs, PLACE + "runs.jsonl")).episodes[0].trajectory
    assert (row.termination, row.termination_raw, row.fault) == (termination, status, None)
    assert row.outcome == "unknown"


def test_a_failed_try_is_superseded_by_the_finished_run_beside_it(load, write):
    runs = write(jsonl(line(1, *TURNS, result={"result": True})), PLACE + "runs.jsonl")
    errors = write(jsonl(error(1), error(2), error(2)), PLACE + "error.jsonl")
    result = load(runs, errors)
    report = result.reports[1].row
    assert (report.episodes, report.superseded, report.imported) == (3, 2, 1)
    assert [e.trajectory.fault for e in result.episodes] == [None, "api_error"]
    assert "messages" in json.loads(result.episodes[1].trajectory.lost_evidence)


def test_of_two_lines_with_one_index_the_later_counts(load, write):
    first = line(1, *TURNS, result={"result": False})
    second = line(1, *TURNS[:2], result={"result": True})
    result = load(write(jsonl(first, second), PLACE + "runs.jsonl"))
    assert [e.trajectory.outcome for e in result.episodes] == ["success"]
    assert result.reports[0].row.superseded == 1


def test_an_example_that_every_run_begins_with_is_not_the_agents(load, write):
    example = (("user", "You are a tool user. List /."), ("agent", "Act: bash\n```bash\nls /\n```"))
    runs = [line(n, *example, ("user", f"Task {n}"), ("agent", "Act: finish")) for n in range(3)]
    result = load(write(jsonl(*runs), PLACE + "runs.jsonl"))
    for number, episode in enumerate(result.episodes):
        assert [step.copied for step in episode.steps] == [True, True, False, False]
        assert episode.trajectory.steps == 1
        assert episode.task_text == f"Task {number}"
        assert [call.tool for call in episode.calls] == ["finish"]
    assert "6 copied or demonstrated messages" in result.reports[0].row.notes


def test_turns_of_agents_that_merely_begin_alike_are_their_own(load, write):
    runs = [line(n, ("user", "Go."), ("agent", "ACTION: look"), ("user", f"{n}")) for n in range(2)]
    runs[1]["output"]["history"][1]["content"] = "ACTION: wait"
    result = load(write(jsonl(*runs), "o/m/alfworld-std/runs.jsonl"))
    assert [e.trajectory.steps for e in result.episodes] == [1, 1]


def test_calls_and_rewards_of_the_newer_controller_are_read(load, write, call):
    run = line(1, ("user", "Go."))
    run["output"]["history"] += [
        {"role": "agent", "content": "", "tool_calls": [call("take_action", {"action": "look"})]},
        {"role": "tool", "tool_call_id": "c1", "content": "a desk"},
        {"reward": 1},
    ]
    (episode,) = load(write(jsonl(run), "o/m/alfworld-std/runs.jsonl")).episodes
    assert (episode.calls[0].arguments_raw, episode.calls[0].result) == (
        '{"action": "look"}',
        "a desk",
    )
    assert episode.trajectory.outcome == "success"


def test_a_broken_line_costs_itself(load, write):
    text = jsonl(line(1, *TURNS)) + '\n{"index": 2, "out\n' + jsonl(line(3, *TURNS))
    result = load(write(text, PLACE + "runs.jsonl"))
    assert (len(result.episodes), result.refusals[0].place) == (2, "runs.jsonl#1 (line 2)")
