"""No secret of a file reaches a row."""

import json

import pytest

from tasks.importers.finding import find_files

SECRET = "SECRET-VALUE-123456"


def _all_text(result):
    rows = [
        row
        for episode in result.episodes
        for row in (
            episode.trajectory,
            *episode.steps,
            *episode.calls,
            *episode.sources,
            *episode.prompts.values(),
        )
    ]
    return " ".join(row.model_dump_json() for row in (*rows, *result.tasks, *result.refusals))


def test_an_api_key_in_the_head_is_redacted_everywhere(load, write, tau2_file, simulation):
    content = tau2_file(simulation())
    content["info"]["agent_info"]["llm_args"] = {"api_key": SECRET, "base_url": "https://x.y"}
    content["simulations"][0]["messages"][4]["content"] = f"failed with key {SECRET}"
    result = load(write(content))
    assert SECRET not in _all_text(result)
    assert result.reports[0].row.redactions == 2


def test_a_redacted_copy_is_the_same_trajectory(load, write, tau2_file, simulation):
    content, redacted = tau2_file(simulation()), tau2_file(simulation())
    content["info"]["agent_info"]["llm_args"] = {"api_key": SECRET}
    redacted["info"]["agent_info"]["llm_args"] = {"api_key": "[REDACTED]"}
    result = load(write(content, "a.json"), write(redacted, "b.json"))
    assert (len(result.episodes), len(result.duplicates)) == (1, 1)
    assert [report.row.redactions for report in result.reports] == [1, 0]


@pytest.mark.parametrize("secret", ["sk-proj-abcdefghijklmnop1234", "ghp_abcdefghijklmnop1234"])
def test_secrets_in_messages_and_arguments_are_redacted(load, write, tau_episode, call, secret):
    episode = tau_episode()
    episode["traj"][1]["content"] = f"my key is {secret}"
    episode["traj"][2]["tool_calls"] = [call("login", {"token": SECRET, "note": secret})]
    result = load(write([episode]))
    text = _all_text(result)
    assert secret not in text
    assert SECRET not in text
    assert json.loads(result.episodes[0].calls[0].arguments)["token"] == "[REDACTED]"


def test_refused_content_is_redacted_too(load, write, tau_episode):
    broken = json.dumps({"task_id": 9, "api_key": SECRET, "traj": 5, "info": {}})
    text = f"[{json.dumps(tau_episode())}, {broken}, {broken[:-1]}"
    result = load(write(text))
    assert len(result.refusals) == 2
    assert SECRET not in _all_text(result)


KEY = "sk-proj-Ab3dEf6hIj9kLm2nOp5q"
CHAT = [{"role": "assistant", "content": "x", "agent": "primary", "action": "ls"}]
LINE = {
    "index": 1,
    "output": {"status": "completed", "history": [{"role": "agent", "content": "Act: finish"}]},
    "time": {},
}


@pytest.mark.parametrize(
    "name", [f"run-{KEY}.json", f"{KEY}/os-std/runs.jsonl", f"{KEY}__x__t-0.00/a.traj"]
)
@pytest.mark.parametrize("cut", [0, 1])
def test_secrets_in_names_of_files_and_folders_reach_no_row(load, write, name, cut):
    text = json.dumps(LINE if name.endswith("l") else {"messages": [], "history": CHAT})
    path = write(text[: len(text) - cut], name)
    found = find_files([path.parents[len(name.split("/")) - 1]])
    result = load(*found)
    assert len(result.episodes) == 1 - cut
    rows = _all_text(result) + "".join(one.row.model_dump_json() for one in result.reports)
    assert KEY not in rows
    assert "[REDACTED]" in rows
