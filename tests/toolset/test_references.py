"""Tools that a harness names are found in every layer, with how sure that is."""

import pytest

from tasks.harness import Harness
from tasks.toolset.references import find_references

SETTINGS = "api: 1\nname: sample\nenvironment: sqldesk\n"
TOOLS = ("execute_sql", "search", "getUser", "undo")
SKILL = """---
name: look
description: Look first.
checkpoints:
  - text: Read first.
    tool: execute_sql
---
Then search for it.
"""
ACTIONS = """ALIASES = ("undo",)


def rule_block(action, context):
    if action["tool"] != "execute_sql":
        return None
    return {"kind": "rewrite", "tool": "lost_tool", "arguments": {"q": "search"}}
"""
REGULATION = """def rule_force(history, context):
    if history and history[-1]["action"].get("tool") in ("getUser", "undo"):
        return {"kind": "hint", "message": "Use it once."}
"""


def harness(**files):
    names = {"contract": "contract.md", "actions": "actions.py", "regulation": "regulation.py"}
    texts = {names.get(name, name): text for name, text in files.items()}
    return Harness.from_files({"harness.yaml": SETTINGS} | texts)


def found(one):
    return {(ref.tool, ref.place, ref.certainty) for ref in find_references(one, TOOLS)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call execute_sql first.", {("execute_sql", "certain")}),
        ("Search, or search again.", {("search", "likely")}),
        ("Use `search` first.", {("search", "certain")}),
        ("Call search(q) first.", {("search", "certain")}),
        ("Ask getUser.", {("getUser", "certain")}),
        ("Do no research, re-search or execute_sql_twice.", set()),
    ],
)
def test_a_name_in_text_is_certain_unless_it_is_a_plain_word(text, expected):
    refs = find_references(harness(contract=f"## Order\n\n{text}\n"), TOOLS)
    assert {(ref.tool, ref.certainty) for ref in refs} == expected


def test_hints_name_their_tools_even_ones_that_nobody_knows():
    one = harness(contract="---\ntools:\n  old_tool: Careful.\n---\n")
    assert found(one) == {("old_tool", "contract.md, hint tool:old_tool", "certain")}


def test_skills_name_tools_in_checkpoints_and_in_text():
    one = harness(**{"skills/look/SKILL.md": SKILL})
    assert found(one) == {
        ("execute_sql", "skill look", "certain"),
        ("search", "skill look", "likely"),
    }


def test_rules_name_tools_in_results_comparisons_and_other_texts():
    assert found(harness(actions=ACTIONS, regulation=REGULATION)) == {
        ("execute_sql", "actions.py, rule_block", "certain"),
        ("lost_tool", "actions.py, rule_block", "certain"),
        ("search", "actions.py, rule_block", "likely"),
        ("undo", "actions.py", "likely"),
        ("getUser", "regulation.py, rule_force", "certain"),
        ("undo", "regulation.py, rule_force", "certain"),
    }


def test_a_layer_that_is_off_names_nothing():
    assert found(harness(actions=ACTIONS).without_layer("actions")) == set()


def test_certain_places_come_first():
    refs = find_references(harness(actions=ACTIONS), TOOLS)
    assert [ref.certainty for ref in refs] == sorted(ref.certainty for ref in refs)
