"""Rewrites change the form and never the meaning; blocks refuse only what cannot succeed."""

import pytest

from tasks.agent.commands import CLEAR, NEAR
from tasks.editor.rule_text import render_rule
from tasks.editor.ruleset import block, rewrite

SCHEMA = render_rule(rewrite.rule_match_schema, "r", {})
KNOWN = render_rule(rewrite.rule_known_tool, "r", {"aliases": {"sql": "run_query"}})
QUOTE = render_rule(
    rewrite.rule_quote_names, "r", {"tool": "run_query", "argument": "statement", "quote": '""'}
)
NEAREST = render_rule(
    rewrite.rule_nearest_command,
    "r",
    {"tool": "act", "argument": "command", "verbs": {"grab": "take"}, "near": (NEAR, CLEAR)},
)
FAILED = render_rule(block.rule_block_known_failure, "r", {"non_progress": ("Nothing",)})
ORDER = render_rule(
    block.rule_block_before_required, "r", {"tool": "hand_in", "required": ("run_query",)}
)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"values": "a"}, {"values": ["a"]}),
        ({"values": '["a", "b"]'}, {"values": ["a", "b"]}),
        ({"values": [42]}, {"values": ["42"]}),
        ({"answer": ["a"]}, {"values": ["a"]}),
        ({"arguments": {"values": ["a"]}}, {"values": ["a"]}),
    ],
)
def test_arguments_are_brought_into_the_form_of_the_schema(run_action_rule, given, wanted):
    result = run_action_rule(SCHEMA, {"tool": "hand_in", "arguments": given})
    assert result == {"kind": "rewrite", "tool": "hand_in", "arguments": wanted}


@pytest.mark.parametrize(
    "given", [{"values": ["a"]}, {"values": None}, {"a": 1, "b": 2}, {"values": {"x": 1}}]
)
def test_arguments_that_fit_or_cannot_be_understood_stay(run_action_rule, given):
    assert run_action_rule(SCHEMA, {"tool": "hand_in", "arguments": given}) is None


def test_numbers_truth_values_and_objects_are_read_from_text(run_action_rule, make_tool):
    tools = [make_tool("book", seats="integer", price="number", window="boolean", who="object")]
    given = {"seats": "3", "price": "1.5", "window": "true", "who": '{"name": "Ada"}'}
    result = run_action_rule(SCHEMA, {"tool": "book", "arguments": given}, tools=tools)
    assert result["arguments"] == {
        "seats": 3,
        "price": 1.5,
        "window": True,
        "who": {"name": "Ada"},
    }


def test_a_text_that_is_no_number_stays(run_action_rule, make_tool):
    tools = [make_tool("book", seats="integer")]
    given = {"seats": "three"}
    assert run_action_rule(SCHEMA, {"tool": "book", "arguments": given}, tools=tools) is None


@pytest.mark.parametrize("name", ["RunQuery", "run-query", "sql", "ask_database"])
def test_an_unknown_tool_becomes_the_one_it_can_mean(run_action_rule, name):
    result = run_action_rule(KNOWN, {"tool": name, "arguments": {"statement": "SELECT 1"}})
    assert result["tool"] == "run_query"


def test_an_unknown_tool_with_foreign_arguments_stays(run_action_rule):
    assert run_action_rule(KNOWN, {"tool": "fly", "arguments": {"to": "home"}}) is None


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("SELECT Unit Price FROM t", 'SELECT "Unit Price" FROM t'),
        ("SELECT unit price FROM t WHERE Due Date = '1'", None),
        (
            "SELECT Unit Price FROM t WHERE Item = 'Unit Price'",
            "SELECT \"Unit Price\" FROM t WHERE Item = 'Unit Price'",
        ),
        ("SELECT MAX(Unit Price) FROM t", 'SELECT MAX("Unit Price") FROM t'),
    ],
)
def test_bare_names_of_several_words_are_quoted(run_action_rule, statement, wanted):
    task = "Table t has columns: Item, Unit Price, Due Date. What is dear?"
    action = {"tool": "run_query", "arguments": {"statement": statement}}
    result = run_action_rule(QUOTE, action, task_text=task)
    quoted = result["arguments"]["statement"]
    assert quoted == (wanted or 'SELECT "Unit Price" FROM t WHERE "Due Date" = \'1\'')


@pytest.mark.parametrize(
    "statement",
    [
        'SELECT "Unit Price" FROM t',
        "SELECT `Unit Price` FROM t",
        "SELECT Item FROM t WHERE Item = 'Unit Price'",
        "SELECT Item FROM t",
        "",
    ],
)
def test_quoted_names_and_values_stay(run_action_rule, statement):
    task = "Table t has columns: Item, Unit Price, Due Date."
    action = {"tool": "run_query", "arguments": {"statement": statement}}
    assert run_action_rule(QUOTE, action, task_text=task) is None


OFFERED = ["take mug 1 from shelf 2", "take fork 1 from shelf 2", "go to shelf 1", "look"]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("take mug 1 off shelf 2", "take mug 1 from shelf 2"),
        ("Take Mug 1 from shelf 2", "take mug 1 from shelf 2"),
        ("grab mug 1 from shelf 2", "take mug 1 from shelf 2"),
    ],
)
def test_a_near_miss_becomes_the_admissible_command(run_action_rule, make_tool, said, wanted):
    action = {"tool": "act", "arguments": {"command": said}}
    tools = [make_tool("act", command="string")]
    result = run_action_rule(NEAREST, action, admissible=OFFERED, tools=tools)
    assert result["arguments"] == {"command": wanted}


@pytest.mark.parametrize("said", ["take thing", "clean mug 1", "look", "go to bed", ""])
def test_an_unclear_command_stays(run_action_rule, said):
    offered = [*OFFERED, "go to bath 1", "go to bench 1"]
    action = {"tool": "act", "arguments": {"command": said}}
    assert run_action_rule(NEAREST, action, admissible=offered) is None


CALL = {"tool": "run_query", "arguments": {"statement": "SELEC"}}


def test_a_call_that_has_just_failed_is_refused_with_its_error(run_action_rule):
    history = [{**CALL, "observation": "syntax error", "is_error": True}]
    result = run_action_rule(FAILED, CALL, history=history)
    assert result["kind"] == "block"
    assert "syntax error" in result["message"]
    assert "`hand_in`" in result["message"]


def test_a_refusal_is_not_refused_in_its_own_words(run_action_rule):
    history = [{**CALL, "observation": "syntax error", "is_error": True}]
    first = run_action_rule(FAILED, CALL, history=history)["message"]
    history.append({**CALL, "observation": first, "is_error": True})
    assert run_action_rule(FAILED, CALL, history=history)["message"] == first


def test_idle_observations_count_as_failures(run_action_rule):
    history = [{**CALL, "observation": "Nothing happens.", "is_error": False}]
    assert run_action_rule(FAILED, CALL, history=history) is not None


def test_a_call_may_be_tried_again_after_something_has_worked(run_action_rule):
    history = [
        {**CALL, "observation": "locked", "is_error": True},
        {"tool": "hand_in", "arguments": {"values": []}, "observation": "ok"},
    ]
    assert run_action_rule(FAILED, CALL, history=history) is None
    assert run_action_rule(FAILED, CALL, history=[]) is None


def test_a_tool_waits_for_the_tool_it_needs(run_action_rule):
    action = {"tool": "hand_in", "arguments": {"values": ["a"]}}
    result = run_action_rule(ORDER, action)
    assert result["kind"] == "block"
    assert "`run_query`" in result["message"]
    done = [{"tool": "run_query", "arguments": {"statement": "SELECT 1"}, "observation": "1"}]
    assert run_action_rule(ORDER, action, history=done) is None
    failed = [{**done[0], "is_error": True}]
    assert run_action_rule(ORDER, action, history=failed) is not None


UNCONFIRMED = render_rule(
    block.rule_block_unconfirmed,
    "r",
    {"tools": ("hand_in",), "words": ("yes", "proceed"), "talk": ()},
)


def test_a_change_waits_for_the_users_yes(run_action_rule):
    action = {"tool": "hand_in", "arguments": {"values": ["a"]}}
    refused = run_action_rule(UNCONFIRMED, action, heard=["What would it cost?"])
    assert refused["kind"] == "block"
    assert "`hand_in`" in refused["message"]
    assert run_action_rule(UNCONFIRMED, action, heard=["Hm.", "Yes, do it."]) is None
    assert run_action_rule(UNCONFIRMED, action) is None


BY_A_TOOL = render_rule(
    block.rule_block_unconfirmed,
    "r",
    {"tools": ("hand_in",), "words": ("yes", "proceed"), "talk": ("tell",)},
)


@pytest.mark.parametrize(
    ("answers", "is_refused"),
    [
        ((), True),
        (("Which one?",), True),
        (("Yes, do it.",), False),
        (("Yes.", "Wait, what would it cost?"), True),
    ],
)
def test_a_change_waits_for_the_yes_that_a_tool_brings(run_action_rule, answers, is_refused):
    action = {"tool": "hand_in", "arguments": {"values": ["a"]}}
    history = [
        {"tool": "tell", "arguments": {"words": "?"}, "observation": answer} for answer in answers
    ]
    result = run_action_rule(BY_A_TOOL, action, history=history, heard=["Yes, I am the user."])
    assert (result is not None) == is_refused
