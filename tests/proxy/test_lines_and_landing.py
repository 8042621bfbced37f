"""Requests as journal lines, and conversations of them as rows."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from schemas.redaction import Redactor
from tasks.proxy.lines import line_of, read_line, write_line
from tasks.proxy.paths import longest_path
from tasks.traffic import conversation_rows, land_traffic

ASK = {"role": "user", "content": "How many rows?"}
CALL = [("execute_sql", json.dumps({"sql": "SELECT 1"}))]
DROP = [("execute_sql", json.dumps({"sql": "DROP TABLE t"}))]
RULES = {
    "actions": "def rule_no_drop(action, context):\n"
    '    if "DROP" in action["arguments"].get("sql", ""):\n'
    '        return {"kind": "block", "message": "Never drop."}\n',
    "regulation": "def rule_empty(history, context):\n"
    '    if history[-1]["observation"] == "[]":\n'
    '        return {"kind": "hint", "message": "Quote the names."}\n',
}


@pytest.fixture
def kept(make, open_desk, run, tools):
    """Requests of one conversation: a blocked call, a result with a hint, a last word."""

    def go(turns=(DROP, CALL, "None."), **options):
        desk = open_desk(make(**RULES), list(turns), **options)
        messages = [ASK]
        while True:
            body = {"model": "m", "messages": messages, "tools": tools}
            reply = run(desk.post(body, **{"X-Session-Id": "s1"}))["choices"][0]["message"]
            messages.append({k: v for k, v in reply.items() if v is not None})
            if not reply.get("tool_calls"):
                return desk.kept
            for call in reply["tool_calls"]:
                came = {"role": "tool", "tool_call_id": call["id"], "content": "[]"}
                messages.append(came)

    return go


def lines(kept):
    start = datetime(2030, 1, 1, tzinfo=UTC)
    made = [line_of(one) for one in kept]
    return [replace(one, at=start + timedelta(seconds=n)) for n, one in enumerate(made)]


def test_a_line_reads_back_as_it_was(kept):
    for line in lines(kept()):
        assert read_line(write_line(line, Redactor())) == line


def test_a_secret_never_reaches_the_journal(kept):
    said = [("execute_sql", json.dumps({"sql": "x", "api_key": "sk-abcdefghij0123456789"}))]
    text = b"".join(write_line(line, Redactor()) for line in lines(kept([said, "Done."])))
    assert b"abcdefghij0123456789" not in text


def test_half_a_line_is_none(kept):
    text = write_line(lines(kept())[0], Redactor())
    assert read_line(text[: len(text) // 2]) is None


def test_a_conversation_becomes_a_trajectory_with_what_the_client_never_saw(kept):
    episode, session, task = conversation_rows(lines(kept()))
    assert [(s.step_index, s.text, s.observation) for s in episode.steps] == [
        (0, "", "Never drop."),
        (1, "", "[]\n\nHint: Quote the names."),
        (2, "None.", ""),
    ]
    assert [(c.step_index, c.executed, c.result, c.error_kind) for c in episode.calls] == [
        (0, False, None, "blocked"),
        (1, True, "[]", None),
    ]
    assert [(i.step_index, i.kind, i.suppressed) for i in episode.interventions] == [
        (0, "block", False),
        (1, "hint", False),
    ]
    assert (episode.trajectory.origin, episode.trajectory.termination) == ("traffic", "finished")
    assert (session.session, session.arm, session.mode) == ("s1", "treatment", "enforce")
    assert task.text == "How many rows?"


def test_what_a_harness_only_watched_stands_under_the_one_that_acted(kept):
    episode, session, _ = conversation_rows(lines(kept([DROP, "None."], mode="shadow")))
    assert {row.suppressed for row in episode.interventions} == {True}
    assert episode.trajectory.harness_id != session.treatment_harness_id
    assert episode.calls[0].executed


def test_a_request_that_was_repeated_counts_once(kept):
    told = lines(kept())
    again = replace(told[0], at=told[0].at + timedelta(milliseconds=1))
    assert longest_path([told[0], again, *told[1:]])[-1] == told[-1]
    assert len(longest_path([told[0], again, *told[1:]])) == len(told)


@pytest.fixture
def land(tmp_path, monkeypatch):
    """Land lines that proxies of a new data folder have left."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path))

    def go(*files):
        folder = tmp_path / "traffic"
        folder.mkdir(exist_ok=True)
        for number, told in enumerate(files):
            text = b"".join(write_line(line, Redactor()) for line in told)
            (folder / f"proxy-{number}.jsonl").write_bytes(text)
        return land_traffic(everything=True), folder

    return go


@pytest.mark.gx
def test_a_proxy_that_was_started_again_goes_on_with_the_conversation(kept, land):
    told = lines(kept())
    again = [replace(line, conversation="conv_other") for line in told[1:]]
    landed, folder = land(told[:1], again)
    assert (landed["conversations"], landed["unreadable"]) == (1, 0)
    assert list(folder.glob("proxy-*")) == []


@pytest.mark.gx
def test_a_line_that_makes_no_row_holds_up_no_other(kept, land):
    told = lines(kept())
    bad = [replace(line, conversation="conv_bad", propensity=7.0) for line in told]
    landed, folder = land(bad, told)
    assert (landed["conversations"], landed["unreadable"]) == (2, len(bad))
    assert [file.name for file in folder.glob("proxy-*.jsonl")] == ["proxy-0.jsonl"]
