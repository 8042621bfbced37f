"""The gate of one client: it fails open, and whatever it does is in the log first."""

import asyncio
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.errors import ConfigError
from tasks.agent.mcp_upstream import read_upstream
from tasks.harness import Harness, Sandbox
from tasks.mcp_face.gate import Gate, Terms
from tasks.mcp_face.log import SessionLog, TrafficLog

SETTINGS = "api: 1\nenvironment: sqldesk\n"
BLOCK = 'def rule_all(action, context):\n    return {"kind": "block", "message": "No."}\n'
BROKEN = "def rule_all(action, context):\n    return 1 / 0\n"
SEEN = (
    "def rule_seen(action, context):\n"
    '    seen = [one["action"]["tool"] for one in context["history"]]\n'
    '    names = [one["function"]["name"] for one in context["tools"]]\n'
    '    if action["tool"] == "tell":\n'
    '        return {"kind": "block", "message": " ".join(seen) + "|" + " ".join(names)}\n'
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def gate_of(sandbox, stream, **files):
    harness = Harness.from_files({"harness.yaml": SETTINGS} | files)
    log = SessionLog(TrafficLog(stream, lambda: NOW), 1, "enforce")
    return Gate(Terms(harness, sandbox), log)


def events(stream):
    return [json.loads(line)["event"] for line in stream.getvalue().splitlines()]


async def one_call(gate):
    ruling = await gate.before("echo", {"a": None})
    return ruling, await gate.after(ruling, "done", is_error=False)


def test_a_dead_sandbox_changes_no_call_and_is_a_fault_each_time():
    async def play(stream):
        async with Sandbox(workers=1) as sandbox:
            gate = gate_of(sandbox, stream, **{"actions.py": BLOCK})
            assert (await gate.before("echo", {})).call is None
        return await one_call(gate)

    stream = io.StringIO()
    ruling, added = asyncio.run(play(stream))
    assert ruling.call is not None
    assert ruling.call.arguments == {"a": None}
    assert added == ""
    assert events(stream)[:2] == ["intervention", "fault"]


def test_a_rule_that_fails_changes_no_call_and_is_a_fault():
    async def play(stream):
        async with Sandbox(workers=1) as sandbox:
            return await one_call(gate_of(sandbox, stream, **{"actions.py": BROKEN}))

    stream = io.StringIO()
    ruling, added = asyncio.run(play(stream))
    assert (ruling.call and ruling.call.tool, added) == ("echo", "")
    line = json.loads(stream.getvalue())
    assert (line["event"], line["artifact"], line["kind"]) == ("fault", "rule_all", "error")


def test_a_log_that_cannot_be_written_changes_no_verdict(caplog):
    async def play(stream):
        async with Sandbox(workers=1) as sandbox:
            gate = gate_of(sandbox, stream, **{"actions.py": BLOCK})
            return [await gate.before("echo", {}) for _ in range(2)]

    stream = io.StringIO()
    stream.close()
    first, second = asyncio.run(play(stream))
    assert (first.message, second.message) == ("No.", "No.")
    assert len([one for one in caplog.records if "cannot be written" in one.message]) == 1


def test_calls_that_overlap_are_finished_when_their_results_come():
    async def play(stream):
        async with Sandbox(workers=1) as sandbox:
            gate = gate_of(sandbox, stream, **{"actions.py": SEEN})
            one, two = await gate.before("one", {}), await gate.before("two", {})
            early = await gate.before("tell", {})
            await gate.after(two, "second", is_error=False)
            await gate.after(one, "first", is_error=False)
            gate.learn_tools([{"type": "function", "function": {"name": "late"}}])
            return early.message, (await gate.before("tell", {})).message

    early, late = asyncio.run(play(io.StringIO()))
    assert early == "|"
    assert late == "tell two one|late"


def test_arguments_no_rule_can_be_shown_are_for_the_upstream_to_judge():
    deep: dict[str, Any] = {"a": 1}
    for _ in range(100):
        deep = {"a": deep}

    async def play(stream):
        async with Sandbox(workers=1) as sandbox:
            return await gate_of(sandbox, stream, **{"actions.py": SEEN}).before("echo", deep)

    ruling = asyncio.run(play(io.StringIO()))
    assert ruling.call is not None
    assert ruling.call.arguments == deep


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("ftp://host/mcp", "starts with http:// or https://"),
        ("file:///etc/passwd", "starts with http:// or https://"),
        ("http:///mcp", "names a host"),
        ("no-such-program --flag", "no program 'no-such-program'"),
        ("", "no program ''"),
        ("'open", "cannot be read"),
    ],
)
def test_an_upstream_that_cannot_be_used_is_one_clear_line(word, said):
    with pytest.raises(ConfigError, match=said):
        read_upstream(word, environ={"PATH": "/usr/bin"}, headers={})


def test_what_is_told_of_an_upstream_holds_no_key():
    url = "https://me:secret@host.example:8443/mcp?key=secret"
    shown = read_upstream(url, environ={}, headers={"Authorization": "secret"})
    assert shown.shown == "https://host.example:8443/mcp"
    assert "secret" not in repr(shown).replace(url, "")
    command = read_upstream("env KEY=secret true", environ={"PATH": "/usr/bin"}, headers={})
    assert command.shown == "env"
