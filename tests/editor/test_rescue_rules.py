"""Calls written as text are read when they are unambiguous, in the sandbox that runs them."""

import json

import pytest

from tasks.editor.rule_text import render_rule
from tasks.editor.ruleset import rescue

QUERY = {"tool": "run_query", "arguments": {"statement": "SELECT 1"}}
JSON_RULE = render_rule(rescue.rule_rescue_json, "r", {})
INVOCATION = render_rule(rescue.rule_rescue_invocation, "r", {})
LINES = render_rule(rescue.rule_rescue_action_lines, "r", {})
BLOCK = render_rule(
    rescue.rule_rescue_block,
    "r",
    {"tool": "run_query", "argument": "statement", "starts": ("SELECT", "UPDATE")},
)
COMMAND = render_rule(rescue.rule_rescue_command, "r", {"tool": "act", "argument": "command"})
ANSWER = render_rule(
    rescue.rule_rescue_answer, "r", {"tool": "hand_in", "argument": "values", "is_list": True}
)


@pytest.mark.parametrize(
    "text",
    [
        'I will do it: {"name": "run_query", "arguments": {"statement": "SELECT 1"}}',
        '```json\n{"tool": "run_query", "parameters": {"statement": "SELECT 1"}}\n```',
        '{"function": {"name": "run_query", "arguments": {"statement": "SELECT 1"}}}',
        '{"run_query": {"statement": "SELECT 1"}}',
        'run_query {"statement": "SELECT 1"}',
    ],
)
def test_a_json_call_in_text_is_read(run_action_rule, text):
    result = run_action_rule(JSON_RULE, {"raw_text": text})
    assert result == {"kind": "rescue", **QUERY}


def test_a_written_call_with_words_behind_it_is_read(run_action_rule):
    text = '{"tool": "run_query", "arguments": {"statement": "SELECT 1"}}\nThis gives the rows.'
    broken = {"tool": "run_query", "arguments": None, "raw_text": text}
    result = run_action_rule(JSON_RULE, broken, raw='{"statement": "SELECT 1"}}\nThis gives …')
    assert result == {"kind": "rescue", **QUERY}


def test_a_written_call_that_breaks_off_is_not_completed(run_action_rule):
    text = '{"tool": "run_query", "arguments": {"statement": "SELECT'
    broken = {"tool": "run_query", "arguments": None, "raw_text": text}
    assert run_action_rule(JSON_RULE, broken, raw='{"statement": "SELECT') is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I think I am done.",
        '{"note": "nothing"}',
        '{"name": "no_such_tool", "arguments": {"statement": "SELECT 1"}}',
        '{"run_query": {"statement": "SELECT 1"}} or {"run_query": {"statement": "SELECT 2"}}',
        "{" * 3000,
        '{"name": "run_query", "arguments": "SELECT 1"}',
    ],
)
def test_text_without_one_clear_json_call_is_left_alone(run_action_rule, text):
    assert run_action_rule(JSON_RULE, {"raw_text": text}) is None


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ('run_query(statement="SELECT 1")', "SELECT 1"),
        ("Next: `run_query('SELECT 1')`.", "SELECT 1"),
        ('run_query({"statement": "SELECT 1"})', "SELECT 1"),
        ('run_query(statement="SELECT "Unit Price" FROM t")', 'SELECT "Unit Price" FROM t'),
        ("run_query(SELECT COUNT(*) FROM t)", "SELECT COUNT(*) FROM t"),
        ("run_query[SELECT 1]", "SELECT 1"),
        ("Action: run_query[SELECT 1]", "SELECT 1"),
    ],
)
def test_an_invocation_in_text_is_read(run_action_rule, text, statement):
    result = run_action_rule(INVOCATION, {"raw_text": text})
    assert result is not None
    assert result["tool"] == "run_query"
    assert result["arguments"] == {"statement": statement}


def test_an_invocation_with_a_list_keeps_the_list(run_action_rule):
    result = run_action_rule(INVOCATION, {"raw_text": 'hand_in(values=["a, b", "c"])'})
    assert result["arguments"] == {"values": ["a, b", "c"]}


def test_two_different_invocations_are_ambiguous(run_action_rule):
    text = 'run_query("SELECT 1") and then run_query("SELECT 2")\n'
    assert run_action_rule(INVOCATION, {"raw_text": text}) is None


def test_a_name_without_parentheses_is_no_invocation(run_action_rule):
    assert run_action_rule(INVOCATION, {"raw_text": "I would use run_query here."}) is None


@pytest.mark.parametrize(
    "text",
    [
        "Action: run_query\nAction Input: SELECT 1",
        'Action: run_query\nAction Input: {"statement": "SELECT 1"}',
    ],
)
def test_action_lines_are_read(run_action_rule, text):
    assert run_action_rule(LINES, {"raw_text": text}) == {"kind": "rescue", **QUERY}


def test_action_lines_without_what_the_tool_requires_are_left_alone(run_action_rule):
    assert run_action_rule(LINES, {"raw_text": "Action: run_query[SELECT 1]"}) is None


def test_action_lines_of_an_unknown_tool_are_left_alone(run_action_rule):
    assert run_action_rule(LINES, {"raw_text": "Action: fly\nAction Input: home"}) is None


@pytest.mark.parametrize(
    "text",
    ["```sql\nSELECT 1;\n```", "Let me look:\nSELECT 1;", "```\nSELECT 1\n```\nThen I answer."],
)
def test_a_statement_that_stands_alone_is_read(run_action_rule, text):
    assert run_action_rule(BLOCK, {"raw_text": text}) == {"kind": "rescue", **QUERY}


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)\n```",
        "I will select the rows.",
        "```\nSELECT 1\n```\n```\nSELECT 2\n```",
    ],
)
def test_other_blocks_are_left_alone(run_action_rule, text):
    assert run_action_rule(BLOCK, {"raw_text": text}) is None


def test_the_longest_admissible_command_in_the_text_is_read(run_action_rule, make_tool):
    offered = ["open box 1", "open box 12", "look"]
    text = "I will Open box 12 now."
    tools = [make_tool("act", command="string")]
    result = run_action_rule(COMMAND, {"raw_text": text}, admissible=offered, tools=tools)
    assert result["arguments"] == {"command": "open box 12"}


def test_a_quoted_command_is_meant_before_others_that_are_only_named(run_action_rule, make_tool):
    offered = ["open box 1", "open box 2", "look"]
    text = 'I look around. Box 1 is near: open box 1, or rather "Open box 2".'
    tools = [make_tool("act", command="string")]
    result = run_action_rule(COMMAND, {"raw_text": text}, admissible=offered, tools=tools)
    assert result["arguments"] == {"command": "open box 2"}


def test_two_quoted_commands_are_ambiguous(run_action_rule):
    offered = ["open box 1", "open box 2"]
    text = "`open box 1` or `open box 2`"
    assert run_action_rule(COMMAND, {"raw_text": text}, admissible=offered) is None


def test_two_admissible_commands_are_ambiguous(run_action_rule):
    offered = ["open box 1", "open box 2"]
    text = "open box 1 or open box 2"
    assert run_action_rule(COMMAND, {"raw_text": text}, admissible=offered) is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The answer is 42.", ["42"]),
        ('Final answer: ["a", "b"]', ["a", "b"]),
        ("**Answer:** Ada Dahl", ["Ada Dahl"]),
    ],
)
def test_a_said_answer_is_read(run_action_rule, text, values):
    result = run_action_rule(ANSWER, {"raw_text": text})
    assert result["arguments"] == {"values": values}


@pytest.mark.parametrize("text", ["I do not know.", "Is the answer 42?", "The answer is what?"])
def test_no_answer_is_invented(run_action_rule, text):
    assert run_action_rule(ANSWER, {"raw_text": text}) is None


SPEECH = render_rule(rescue.rule_rescue_speech, "r", {"tool": "tell", "argument": "words"})


@pytest.mark.parametrize(
    "text", ["Which booking is it?", "It is done; I have moved it to Friday.", "Hm."]
)
def test_plain_speech_is_told_to_the_user(run_action_rule, make_tool, text):
    tools = [make_tool("tell", words="string"), make_tool("show_booking", booking="string")]
    result = run_action_rule(SPEECH, {"raw_text": text}, tools=tools)
    assert result == {"kind": "rescue", "tool": "tell", "arguments": {"words": text}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        'tell("Which booking is it?")',
        "tell: Which booking is it?",
        'I use show_booking with {"booking": "B7"}',
        "Next comes show_booking of B7.",
        "Action: tell\nAction Input: hello",
        "```\nshow B7\n```",
        "<tool_call>B7</tool_call>",
    ],
)
def test_what_reads_like_a_call_is_no_speech(run_action_rule, make_tool, text):
    tools = [make_tool("tell", words="string"), make_tool("show_booking", booking="string")]
    assert run_action_rule(SPEECH, {"raw_text": text}, tools=tools) is None


def test_every_rendered_rule_is_short_enough_for_one_edit():
    for source in (JSON_RULE, INVOCATION, LINES, BLOCK, COMMAND, ANSWER):
        assert len(source.splitlines()) <= 38, source
        json.dumps(source)
