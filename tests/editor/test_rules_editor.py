"""Patterns and train episodes become layer-local edits that name what the episodes show."""

import asyncio
import json

import pytest

from tasks.agent.text_mode import read_call
from tasks.editor.protocols import Brief, Proposal, RejectedEdit
from tasks.editor.rules_editor import RulesEditor
from tasks.harness.bundle import changes

LOOK = "SELECT DISTINCT"
CHANGE = "UPDATE"
SELECT = "SELECT \"Unit Price\" FROM parts WHERE Item = 'a'"


def propose(brief: Brief) -> dict[str, Proposal]:
    return {one.artifact: one for one in asyncio.run(RulesEditor().propose(brief))}


def body(proposal: Proposal) -> str:
    return proposal.child.artifact(proposal.layer, proposal.artifact).body


@pytest.fixture
def won(make_episode, turn):
    """Six successes: a look, sometimes a change, then the final call."""
    looks = [
        make_episode(
            n,
            [
                turn("run_query", {"statement": SELECT}, "[(1,)]"),
                turn("hand_in", {"values": ["7"]}),
            ],
            won=True,
            text=f"What is the unit price of part {n}?",
        )
        for n in range(3)
    ]
    changes_made = [
        make_episode(
            n,
            [
                turn("run_query", {"statement": f"{LOOK} c{n} FROM t{n}"}, "[('x',)]"),
                turn("run_query", {"statement": f"{CHANGE} t{n} SET c{n} = 'x'"}, "1 row"),
                turn("hand_in", {"values": ["done"]}),
            ],
            won=True,
            family="change",
            text=f"Change the kind of part {n} to x.",
        )
        for n in range(10, 15)
    ]
    return [*looks, *changes_made]


def test_a_call_written_as_text_becomes_a_rescue_rule(
    won, make_episode, make_pattern, make_brief, said
):
    text = 'run_query(statement="SELECT 1")'
    lost = [make_episode(n, [said(text)] * 3, won=False) for n in range(20, 23)]
    pattern = make_pattern(lost, {"kind": "call_in_text", "form": "function", "tool": "run_query"})
    found = propose(make_brief([*won, *lost], [pattern]))
    rule = found["rule_rescue_invocation"]
    assert rule.layer == "actions"
    assert rule.pattern_id == pattern.pattern_id
    assert set(rule.manifest.predicted_fixes) == {one.trajectory.task_id for one in lost}
    assert "rule_rescue_json" not in found


def test_mistyped_arguments_become_a_rewrite_and_a_sentence_with_an_example(
    won, make_episode, make_pattern, make_brief, turn
):
    bad = turn("hand_in", {"values": "7"}, "'7' is not an array", error=True)
    look = turn("run_query", {"statement": SELECT}, "[(7,)]")
    lost = [make_episode(n, [look, bad, bad], won=False) for n in range(20, 23)]
    signature = {"kind": "argument_type", "tool": "hand_in", "argument": "values"}
    found = propose(make_brief([*won, *lost], [make_pattern(lost, signature, bullet="AR2")]))
    assert found["rule_match_schema"].layer == "actions"
    sentence = body(found["Arguments of hand_in"])
    assert "`hand_in`" in sentence
    assert '{"values": ["first value", "second value"]}' in sentence


def test_bare_names_become_a_quoting_rewrite_and_a_sentence_with_real_names(
    won, make_episode, make_pattern, make_brief, turn
):
    bare = turn(
        "run_query", {"statement": "SELECT Unit Price FROM parts"}, "near Price", error=True
    )
    text = "Table parts has columns: Item, Unit Price, Kind."
    lost = [make_episode(n, [bare] * 2, won=False, text=text) for n in range(20, 23)]
    signature = {"kind": "sql_error", "tool": "run_query", "argument": "statement"}
    found = propose(make_brief([*won, *lost], [make_pattern(lost, signature, bullet="AR3")]))
    assert found["rule_quote_names"].layer == "actions"
    assert '"Unit Price"' in body(found["Names with spaces"])


def test_a_missing_final_call_becomes_a_sentence_and_a_regulation_rule(
    won, make_episode, make_pattern, make_brief, turn, said
):
    change = turn("run_query", {"statement": "UPDATE t SET Kind = 'x'"}, "1 row")
    turns = [change, said("All done."), said("All done."), said("All done.")]
    lost = [make_episode(n, turns, won=False, family="change") for n in range(20, 23)]
    signature = {"kind": "required_tool_missing", "tool": "hand_in", "after": "run_query:update"}
    found = propose(make_brief([*won, *lost], [make_pattern(lost, signature, bullet="EC1")]))
    sentence = body(found["Final call"])
    assert "`hand_in`" in sentence
    assert "UPDATE" in sentence
    assert '{"values": ["done"]}' in sentence
    assert {found["rule_hint_next_tool"].layer, found["rule_force_next_tool"].layer} == {
        "regulation"
    }


def test_a_final_call_without_its_predecessor_becomes_a_block(
    won, make_episode, make_pattern, make_brief, turn
):
    lost = [make_episode(n, [turn("hand_in", {"values": ["1"]})], won=False) for n in range(20, 23)]
    signature = {"kind": "order", "tool": "hand_in", "requires": "run_query"}
    found = propose(make_brief([*won, *lost], [make_pattern(lost, signature, bullet="EC2")]))
    assert "run_query" in body(found["rule_block_before_required_hand_in"])
    assert "`run_query` before `hand_in`" in body(found["Order of calls"])


def test_an_error_text_becomes_a_sentence_about_the_limit(
    won, make_episode, make_pattern, make_brief, turn
):
    two = turn("run_query", {"statement": "SELECT 1; SELECT 2"}, "Only one statement", error=True)
    lost = [make_episode(n, [two] * 2, won=False) for n in range(20, 23)]
    signature = {"kind": "statement_count", "tool": "run_query", "argument": "statement"}
    found = propose(make_brief([*won, *lost], [make_pattern(lost, signature, bullet="AR3")]))
    assert "exactly one statement" in body(found["Limits of run_query"])


def test_a_loop_becomes_hints_and_a_block_of_what_failed(
    won, make_episode, make_pattern, make_brief, turn
):
    same = turn("run_query", {"statement": "SELECT x"}, "no such column", error=True)
    lost = [make_episode(n, [same] * 6, won=False) for n in range(20, 23)]
    signature = {"kind": "repetition", "form": "same_action", "tool": "run_query"}
    found = propose(make_brief([*won, *lost], [make_pattern(lost, signature, bullet="TD1")]))
    assert {"rule_hint_repeat", "rule_hint_stall"} <= set(found)
    assert {found["rule_hint_repeat"].layer} == {"regulation"}


def test_a_skipped_look_up_becomes_a_skill_of_the_family(
    won, make_episode, make_pattern, make_brief, turn
):
    turns = [
        turn("run_query", {"statement": "UPDATE t SET Kind = 'guess'"}, "1 row"),
        turn("hand_in", {"values": ["done"]}),
    ]
    lost = [
        make_episode(
            n, turns, won=False, family="change", text=f"Change the kind of part {n} to x."
        )
        for n in range(20, 23)
    ]
    signature = {"kind": "value_not_observed", "tool": "run_query", "verb": "update"}
    found = propose(make_brief([*won, *lost], [make_pattern(lost, signature, bullet="EC2")]))
    skill = found["change-steps"]
    assert skill.layer == "skills"
    assert "SELECT DISTINCT" in body(skill)
    assert "Do not skip" in body(skill)
    read = next(one for one in skill.child.skills if one.name == "change-steps")
    assert read.trigger.holds("Change the kind of part 99 to y.")
    assert not read.trigger.holds("What is the unit price of part 99?")
    assert read.checkpoints[0].matches("run_query", 'SELECT DISTINCT "a" FROM b')


def test_every_edit_touches_one_artifact_and_at_most_forty_lines(
    won, make_episode, make_pattern, make_brief, said
):
    lost = [make_episode(n, [said('run_query("SELECT 1")')] * 3, won=False) for n in range(20, 23)]
    pattern = make_pattern(lost, {"kind": "call_in_text", "form": "function", "tool": "run_query"})
    for proposal in propose(make_brief([*won, *lost], [pattern])).values():
        assert len(changes(proposal.parent, proposal.child)) == 1
        assert len(body(proposal).rstrip("\n").split("\n")) + 2 <= 40
        assert json.loads(proposal.manifest.to_json())["evidence"]


def test_what_the_harness_has_or_the_gate_refused_is_not_proposed_again(
    won, make_episode, make_pattern, make_brief, said
):
    lost = [make_episode(n, [said('run_query("SELECT 1")')] * 3, won=False) for n in range(20, 23)]
    pattern = make_pattern(lost, {"kind": "call_in_text", "form": "function", "tool": "run_query"})
    first = propose(make_brief([*won, *lost], [pattern]))["rule_rescue_invocation"]
    accepted = make_brief([*won, *lost], [pattern], harness=first.child)
    assert "rule_rescue_invocation" not in propose(accepted)
    refused = RejectedEdit(
        first.child.harness_id, first.layer, first.artifact, body(first), "false_fire"
    )
    rejected = make_brief([*won, *lost], [pattern], rejected=(refused,))
    assert "rule_rescue_invocation" not in propose(rejected)


def test_equal_briefs_give_equal_proposals(won, make_episode, make_pattern, make_brief, said):
    lost = [make_episode(n, [said('run_query("SELECT 1")')] * 3, won=False) for n in range(20, 23)]
    pattern = make_pattern(lost, {"kind": "call_in_text", "form": "function", "tool": "run_query"})
    one = propose(make_brief([*won, *lost], [pattern]))
    other = propose(make_brief([*reversed(lost), *reversed(won)], [pattern]))
    assert {key: item.child.harness_id for key, item in one.items()} == {
        key: item.child.harness_id for key, item in other.items()
    }


def test_without_recurring_patterns_nothing_is_proposed(won, make_brief):
    assert propose(make_brief(won)) == {}
    assert propose(make_brief([])) == {}


def test_odd_texts_and_unknown_signatures_do_no_harm(make_episode, make_pattern, make_brief, said):
    odd = [said("\ud800\x00" * 50), said("{" * 5000), said('[[[["' * 500)]
    lost = [make_episode(n, odd, won=False, text="\ud800") for n in range(3)]
    pattern = make_pattern(lost, {"kind": "never heard of"}, bullet="RR")
    found = propose(make_brief(lost, [pattern, pattern.model_copy(update={"members": "no"})]))
    assert set(found) <= {"rule_hint_stall"}


def test_tools_are_learned_from_use_when_no_definition_is_known(
    won, make_episode, make_pattern, make_brief, turn
):
    lost = [make_episode(n, [turn("hand_in", {"values": ["1"]})], won=False) for n in range(20, 23)]
    signature = {"kind": "order", "tool": "hand_in", "requires": "run_query"}
    brief = make_brief([*won, *lost], [make_pattern(lost, signature, bullet="EC2")], tools=())
    assert "rule_block_before_required_hand_in" in propose(brief)


@pytest.fixture
def wordy(make_episode, make_pattern, said):
    """Three failures that only talk, and their pattern."""
    lost = [make_episode(n, [said("I would look into it.")] * 3, won=False) for n in range(40, 43)]
    return lost, make_pattern(lost, {"kind": "call_in_text", "form": "prose", "tool": ""})


def test_a_model_that_writes_its_calls_is_shown_a_whole_reply(make_brief, wordy):
    lost, pattern = wordy
    found = propose(make_brief(lost, [pattern], calls_as_text=True))
    section = found["Form of a call"]
    assert section.layer == "contract"
    example = body(section).rsplit("\n\n", 1)[1]
    assert json.loads(example) == {"tool": "run_query", "arguments": {"statement": "value"}}
    assert read_call(example) is not None
    assert set(section.manifest.predicted_fixes) == {one.trajectory.task_id for one in lost}


def test_a_model_with_native_calls_is_shown_no_text_of_one(make_brief, wordy):
    lost, pattern = wordy
    assert "Form of a call" not in propose(make_brief(lost, [pattern]))


def test_the_example_is_of_a_command_that_the_world_offers(
    make_brief, make_tool, make_episode, make_pattern, said
):
    offered = [["go to shelf 1", "look"], ["go to shelf 2", "look"], ["go to shelf 3", "look"]]
    lost = [
        make_episode(n, [said("I walk.", admissible=offered[n % 3])] * 3, won=False)
        for n in range(50, 53)
    ]
    pattern = make_pattern(lost, {"kind": "command_in_text", "form": "prose", "tool": "act"})
    tools = (make_tool("act", command="string"),)
    brief = make_brief(lost, [pattern], calls_as_text=True, tools=tools)
    example = body(propose(brief)["Form of a call"]).rsplit("\n\n", 1)[1]
    assert json.loads(example) == {"tool": "act", "arguments": {"command": "look"}}


def test_runs_that_always_call_need_no_example(make_brief, make_episode, make_pattern, turn):
    calls = [turn("run_query", {"statement": "x"}, "bad", error=True)] * 3
    lost = [make_episode(n, calls, won=False) for n in range(60, 63)]
    pattern = make_pattern(lost, {"kind": "call_in_text", "form": "prose", "tool": ""})
    assert "Form of a call" not in propose(make_brief(lost, [pattern], calls_as_text=True))
