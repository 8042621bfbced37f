"""A coding agent over the wire: one edit is accepted, one is refused and revised twice.

The agent is scripted: an endpoint on loopback that always makes the same tool calls.
"""

import re

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

CONTRACT = """Work on the task with the tools you are given, one call at a time.

## Answers

`commit_final_answer` takes `answers`, a JSON list of bare values such as ["42"], never a sentence.
`execute_sql` takes one statement a call.
"""
IMPURE = '''
def rule_note(action, context):
    """Reads what it must not read."""
    import os

    return {"kind": "block", "message": "No."} if os.getcwd() == "nowhere" else None
'''
PURE = '''
def rule_note(action, context):
    """Refuses a call without a tool."""
    return {"kind": "block", "message": "Name a tool."} if action["tool"] == "no_tool" else None
'''


def scripted_calls(body):
    opening, last = body["messages"][1]["content"], str(body["messages"][-1].get("content"))
    run = re.findall(r"case of pat_\w+: (traj_\w+) step", opening)[0]
    manifest = {
        "title": "scripted edit",
        "layer": "actions",
        "evidence": [{"trajectory_id": run, "step": 0}],
        "root_cause": "seen in train runs",
        "predicted_fixes": [],
        "predicted_risks": [],
        "why_safe": "facts only",
        "watch": "longer prompts",
    }
    if "was refused" in last:
        return [("write_file", {"path": "actions.py", "text": PURE}), ("submit", manifest)]
    return [
        ("write_file", {"path": "contract.md", "text": CONTRACT}),
        ("submit", manifest | {"layer": "contract", "token_increase": 0.5}),
        (
            "query",
            {"sql": "SELECT outcome, count(*) FROM trajectories GROUP BY outcome ORDER BY 1"},
        ),
        ("write_file", {"path": "actions.py", "text": IMPURE}),
        ("check", {}),
        ("submit", manifest),
        ("finish", {}),
    ]


def test_one_edit_is_accepted_and_one_refused_and_revised(
    make_command_line, server, scripted_endpoint
):
    command = make_command_line("agent", server | scripted_endpoint(scripted_calls))
    arguments = ("cycle", "--editor", "openai:scripted", "--rounds", "1", "--slots", "2", "--json")
    summary = command(*arguments, timeout=900).json
    assert summary["editor"] == "openai:scripted"
    assert summary["edits"]["accepted"] == 1
    rows = command.sql(
        "SELECT layer, revision, stage, verdict FROM edits JOIN gate_decisions USING (edit_id) "
        "ORDER BY ordinal"
    )
    assert [(row["layer"], row["revision"]) for row in rows] == [
        ("contract", 0),
        ("actions", 0),
        ("actions", 1),
        ("actions", 2),
    ]
    assert (rows[0]["verdict"], rows[1]["verdict"]) == ("accepted", "rejected")
    assert rows[1]["stage"] == "static"
    assert rows[2]["stage"] == "replay"
    said = command.sql(
        "SELECT tool, content FROM editor_messages JOIN editor_sessions USING (session_id) "
        "WHERE purpose = 'propose' AND role = 'tool' AND tool IN ('query', 'check') "
        "ORDER BY message_index"
    )
    assert '"failure"' in said[0]["content"]
    assert "imports os" in said[1]["content"]
    sessions = command.sql(
        "SELECT purpose, stop, proposals, prompt_tokens, cost_usd FROM editor_sessions "
        "ORDER BY ordinal"
    )
    assert sessions[0] == {
        "purpose": "propose",
        "stop": "finished",
        "proposals": 2,
        "prompt_tokens": 900,
        "cost_usd": None,
    }
