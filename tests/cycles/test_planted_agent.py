"""The coding-agent editor against the planted faults; the agent is scripted, not a model.

It asks in SQL which runs failed, writes one cure for each layer with those runs as evidence, and
hands in what the harness does not hold yet.
"""

import json

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

QUESTION = (
    "SELECT family, list(trajectory_id ORDER BY trajectory_id)[1:8] AS runs FROM trajectories "
    "WHERE outcome = 'failure' GROUP BY family ORDER BY family"
)
CONTRACT = """## Handing in

`report` takes `values`, a JSON list of bare values such as ["42"], never a sentence.
"""
SKILL = """---
name: shelve-goods
description: Shelve a parcel that holds goods where such goods belong.
trigger: {any: ["shelve it where"]}
---

1. Call `find_bay` with the goods.
2. Call `place` with the parcel and the bay it named.
3. Call `report`.
"""
RESCUE = '''
def rule_make_written_call(action, context):
    """Makes a call that was written as text."""
    import json
    import re

    text = action["raw_text"] or ""
    for tool in context["tools"]:
        function = tool.get("function", tool)
        name = function["name"]
        keys = list(function.get("parameters", {}).get("properties", {}))
        if not re.search(r"\\b" + name + r"\\b", text):
            continue
        given = {}
        inside = re.search(name + r"\\((.*)\\)", text, re.S)
        block = re.search(r"\\{.*\\}", text, re.S)
        try:
            if inside:
                value = r'("(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\])'
                for key, raw in re.findall(r"(\\w+)=" + value, inside.group(1)):
                    given[key] = json.loads(raw)
                if not given:
                    given = dict(zip(keys, json.loads("[" + inside.group(1) + "]")))
            elif block:
                found = json.loads(block.group(0))
                given = found.get("arguments", found)
        except ValueError:
            continue
        if set(given) == set(keys):
            return {"kind": "rescue", "tool": name, "arguments": given}
    return None
'''
HINT = '''
def rule_same_call_again(history, context):
    """Says when the last five calls were the same."""
    made = [(one["action"]["tool"], one["action"]["arguments"]) for one in history[-5:]]
    if len(made) == 5 and made[0][0] and all(one == made[0] for one in made):
        return {"kind": "hint", "message": "You made the same call again. Take the next step."}
    return None
'''
CURES = (
    ("contract", "weigh", "Handing in", "contract.md", CONTRACT),
    ("skills", "shelve", "shelve-goods", "skills/shelve-goods/SKILL.md", SKILL),
    ("actions", "scan", "rule_make_written_call", "actions.py", RESCUE),
    ("regulation", "trace", "rule_same_call_again", "regulation.py", HINT),
)


def cure(layer, path, text, runs):
    """Calls that write one cure and hand it in."""
    manifest = {
        "title": f"Cure in {layer}",
        "layer": layer,
        "evidence": [{"trajectory_id": run, "step": None} for run in runs],
        "root_cause": "seen in the runs named",
        "predicted_fixes": [],
        "predicted_risks": [],
        "token_increase": 0.5,
        "why_safe": "states what the tools say themselves",
        "watch": "longer prompts",
    }
    return [("write_file", {"path": path, "text": text}), ("submit", manifest)]


def next_calls(messages):
    """What the scripted agent does next."""
    last = messages[-1]
    if last["role"] == "user":
        return (
            [("finish", {})] if "was refused" in last["content"] else [("query", {"sql": QUESTION})]
        )
    rows = [json.loads(line) for line in last["content"].splitlines()[1:-1]]
    failed = dict(rows)
    opening = messages[1]["content"]
    artifacts = opening[opening.index("Artifacts now:") : opening.index("Files now:")]
    calls = [
        call
        for layer, family, name, path, text in CURES
        if family in failed and name not in artifacts
        for call in cure(layer, path, text, failed[family])
    ]
    return [*calls, ("finish", {})]


def test_a_scripted_coding_agent_finds_three_of_four_cures(
    make_command_line, server, planted, scripted_endpoint
):
    settings = scripted_endpoint(lambda body: next_calls(body["messages"]))
    settings["PYTHONPATH"] = str(planted)
    command = make_command_line("planted_agent", server | settings)
    arguments = ("cycle", "--environment", "depot", "--model", "simulated:weak", "--rounds", "6")
    summary = command(*arguments, "--editor", "openai:scripted", "--json", timeout=900).json
    found = summary["edits"]["by_layer"]
    assert len(found) >= 3, command.sql(
        "SELECT e.round, e.layer, g.stage, g.verdict, g.reason, g.wins, g.losses, g.findings "
        "FROM edits e JOIN gate_decisions g USING (edit_id) ORDER BY round, ordinal"
    )
    assert summary["final"]["sealed"] - summary["baseline"]["sealed"] >= 0.3
