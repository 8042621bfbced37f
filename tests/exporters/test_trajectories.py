"""Trajectories written in other tools' formats and read back: calls, results and verdicts stay."""

import json
from collections import Counter

import pytest

from schemas.errors import ConfigError, DataContractError
from schemas.forms import CollectForm
from schemas.trajectory_forms import ImportForm, TrajectoryExportForm
from tasks.collection import collect_split
from tasks.importing import import_trajectories
from tasks.trajectory_exporting import export_trajectories
from tasks.workbench import Workbench

pytestmark = pytest.mark.gx
CALLS = """
SELECT c.tool, c.arguments, c.arguments_raw, coalesce(c.observation, c.result), c.requestor
FROM tool_calls c
"""
FORMATS = {"chat": "success", "atif": "", "inspect": ""}
BROKEN = {
    "messages": [
        {"role": "user", "content": "Find order 7."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "", "function": {"name": "find", "arguments": '{"order": 7'}},
                {"id": "", "function": {"name": "find", "arguments": '{"order": 7}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "", "content": "not JSON"},
        {"role": "tool", "tool_call_id": "", "content": "order 7 \U0001f600"},
        {"role": "assistant", "content": "Done."},
    ],
    "reward": 0.25,
}


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    def go(name):
        monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / name))

    go("first")
    return go


def stored(sql):
    with Workbench.open().warehouse.read() as reader:
        return Counter(map(tuple, reader.frame(sql).rows()))


def outcomes():
    return stored("SELECT outcome, termination = 'fault' FROM trajectories")


def there_and_back(name, at_home, tmp_path):
    out = tmp_path / "out"
    told = export_trajectories(TrajectoryExportForm(format=name, out=str(out)))
    at_home("second")
    import_trajectories(ImportForm(paths=[str(out)], verdict_field=FORMATS[name]))
    return told


@pytest.mark.parametrize("name", FORMATS)
def test_rollouts_keep_calls_results_and_verdicts(name, at_home, tmp_path):
    collect_split(CollectForm(environment="sqldesk", model="simulated:weak", tasks=9))
    written = "WHERE c.arguments IS NOT NULL"
    before, judged = stored(CALLS + written), outcomes()
    told = there_and_back(name, at_home, tmp_path)
    assert told["rows"] == judged.total() == 9
    assert outcomes() == judged
    after = stored(CALLS + written)
    plain = [
        Counter((tool, args, seen) for tool, args, _, seen, _ in one.elements())
        for one in (before, after)
    ]
    assert plain[0] == plain[1]


@pytest.mark.parametrize("name", FORMATS)
def test_recorded_episodes_keep_calls_results_and_verdicts(name, recorded, at_home, tmp_path):
    files = (
        "tau-bench/gpt-4o-airline.trials0-3.task07.json",
        "tau2-bench/gpt-4o_telecom_1trial.sims00-09.json",
    )
    import_trajectories(ImportForm(paths=[str(recorded / file) for file in files]))
    mine = "" if name != "inspect" else "WHERE requestor = 'assistant'"
    keep = [(CALLS + mine), "SELECT outcome, steps FROM trajectories"]
    before = [stored(sql) for sql in keep]
    there_and_back(name, at_home, tmp_path)
    after = [stored(sql) for sql in keep]
    plain = [
        Counter((tool, args, seen, by) for tool, args, _, seen, by in one[0].elements())
        for one in (before, after)
    ]
    assert plain[0] == plain[1]
    assert before[1] == after[1]


@pytest.mark.parametrize("name", ["chat", "atif"])
def test_arguments_that_are_no_json_stay_as_they_were_written(name, at_home, tmp_path):
    file = tmp_path / "broken.jsonl"
    file.write_text(json.dumps(BROKEN) + "\n")
    import_trajectories(ImportForm(paths=[str(file)], verdict_field="reward"))
    there_and_back(name, at_home, tmp_path)
    ((tool, arguments, raw, seen, _),) = stored(CALLS + "WHERE c.arguments IS NULL")
    assert (tool, arguments, raw, seen) == ("find", None, '{"order": 7', "not JSON")
    assert stored("SELECT outcome, reward FROM trajectories") == Counter(
        {("failure", _reward(name)): 1}
    )


def _reward(name):
    return 0.0 if name == "chat" else 0.25


def test_a_row_that_holds_a_secret_is_not_written(at_home, tmp_path):
    key = "sk-proj-" + "a1B2c3D4" * 4
    lines = [
        {"messages": [{"role": "user", "content": text}], "id": text[:3]} for text in ("abc", key)
    ]
    lines[0]["messages"].append({"role": "assistant", "content": "fine"})
    lines[1]["messages"].append({"role": "assistant", "content": "leaks"})
    file = tmp_path / "two.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_trajectories(ImportForm(paths=[str(file)], redact=False))
    out = tmp_path / "out"
    told = export_trajectories(TrajectoryExportForm(format="chat", out=str(out)))
    assert (told["rows"], told["refused"]) == (1, 1)
    assert key not in (out / "trajectories.jsonl").read_text()


def test_a_folder_of_the_user_is_not_touched_and_nothing_is_no_export(at_home, tmp_path):
    with pytest.raises(DataContractError, match="no trajectory"):
        export_trajectories(TrajectoryExportForm(format="atif"))
    collect_split(CollectForm(environment="sqldesk", model="simulated:weak", tasks=3))
    (tmp_path / "mine").mkdir()
    with pytest.raises(ConfigError, match="is there already"):
        export_trajectories(TrajectoryExportForm(format="atif", out=str(tmp_path / "mine")))
    export_trajectories(TrajectoryExportForm(format="atif"))
    told = export_trajectories(TrajectoryExportForm(format="atif"))
    assert len(list((tmp_path / "first" / "exports").glob("*/*/result.json"))) == told["rows"] == 3
