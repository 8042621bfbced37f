"""Edits for searches, early commitments, allowed values and worlds with a tool that speaks."""

import asyncio

import pytest

from tasks.editor.facts import mine
from tasks.editor.rules_editor import RulesEditor


def propose(brief):
    return {one.artifact: one for one in asyncio.run(RulesEditor().propose(brief))}


def body(proposal):
    return proposal.child.artifact(proposal.layer, proposal.artifact).body


@pytest.fixture
def library(make_tool):
    return (make_tool("search_titles", words="string"), make_tool("press", button="string"))


def finding(turn, words, *, found):
    result = f"1. {words} of the north" if found else "Nothing was found."
    return turn("search_titles", {"words": words}, result, error=not found)


@pytest.fixture
def lent(make_episode, turn):
    """Successes: a search by title, three pages looked at, the loan."""
    return [
        make_episode(
            n,
            [
                finding(turn, f"birds {n}", found=True),
                *(turn("press", {"button": f"open {place}"}, "a page") for place in range(3)),
                turn("press", {"button": "lend it"}, "lent"),
            ],
            won=True,
        )
        for n in range(5)
    ]


def test_searches_that_find_nothing_become_a_sentence_about_what_can_be_searched(
    lent, make_episode, make_pattern, make_brief, turn, library
):
    lost = [
        make_episode(n, [finding(turn, "birds under 20 euros", found=False)] * 3, won=False)
        for n in range(20, 23)
    ]
    signature = {"kind": "search_constraint", "tool": "search_titles", "argument": "words"}
    pattern = make_pattern(lost, signature | {"constraint": "price"}, bullet="EC2")
    found = propose(make_brief([*lent, *lost], [pattern], tools=library))
    text = body(found["What search_titles finds by"])
    assert "`search_titles` finds only what shows every word of `words`" in text
    assert "9 did" in text


def test_a_search_that_finds_what_it_does_not_show_gets_no_such_sentence(
    make_episode, make_pattern, make_brief, turn, library
):
    won = [
        make_episode(
            n,
            [turn("search_titles", {"words": "cheap"}, "1. birds"), turn("press", {"button": "x"})],
            won=True,
        )
        for n in range(5)
    ]
    lost = [
        make_episode(n, [finding(turn, "under 20", found=False)] * 3, won=False)
        for n in range(20, 23)
    ]
    signature = {"kind": "search_constraint", "tool": "search_titles", "argument": "words"}
    pattern = make_pattern(lost, signature | {"constraint": "price"}, bullet="EC2")
    found = propose(make_brief([*won, *lost], [pattern], tools=library))
    assert "What search_titles finds by" not in found


def test_an_early_commitment_becomes_a_sentence_about_the_check_before_it(
    lent, make_episode, make_pattern, make_brief, turn, library
):
    lost = [
        make_episode(n, [turn("press", {"button": "lend it"}, "lent")], won=False)
        for n in range(20, 23)
    ]
    signature = {"kind": "strategy", "form": "early_commit", "tool": "press"}
    pattern = make_pattern(lost, signature, bullet="TD2")
    text = body(propose(make_brief([*lent, *lost], [pattern], tools=library))["Before lend it"])
    assert "Before `press` with `lend it`, check" in text
    assert "3 things" in text


def test_another_wrong_strategy_gets_no_such_sentence(
    lent, make_episode, make_pattern, make_brief, turn, library
):
    lost = [
        make_episode(n, [turn("press", {"button": "lend it"}, "lent")], won=False)
        for n in range(20, 23)
    ]
    signature = {"kind": "strategy", "form": "revisits", "tool": "press"}
    pattern = make_pattern(lost, signature, bullet="TD2")
    found = propose(make_brief([*lent, *lost], [pattern], tools=library))
    assert not any(name.startswith("Before ") for name in found)


def test_a_value_that_is_not_allowed_becomes_a_sentence_with_those_that_are(
    make_episode, make_pattern, make_brief, make_tool, turn
):
    tools = (make_tool("paint", colour={"type": "string", "enum": ["sand", "moss"]}),)
    won = [make_episode(n, [turn("paint", {"colour": "moss"})], won=True) for n in range(4)]
    refused = turn("paint", {"colour": "green"}, "'green' is not one of ['sand', 'moss']", True)
    lost = [make_episode(n, [refused] * 3, won=False) for n in range(20, 23)]
    signature = {"kind": "argument_value", "tool": "paint", "argument": "colour"}
    pattern = make_pattern(lost, signature | {"constraint": "enum"}, bullet="AR2")
    text = body(propose(make_brief([*won, *lost], [pattern], tools=tools))["Arguments of paint"])
    assert '`colour` (one of "sand", "moss"): {"colour": "sand"}' in text


def test_a_refused_change_becomes_a_sentence_in_the_words_of_the_refusal(
    make_episode, make_pattern, make_brief, make_tool, turn
):
    tools = (make_tool("move_booking", booking="string"), make_tool("tell", words="string"))
    won = [make_episode(n, [turn("move_booking", {"booking": "B"})], won=True) for n in range(4)]
    why = "guests of the annex cannot be moved"
    refused = turn("move_booking", {"booking": "B7"}, why, True)
    lost = [make_episode(n, [refused] * 3, won=False) for n in range(20, 23)]
    signature = {"kind": "write_refused", "tool": "move_booking", "error": why}
    pattern = make_pattern(lost, signature, bullet="EC2")
    found = propose(make_brief([*won, *lost], [pattern], tools=tools))
    assert why in body(found["Limits of move_booking"])


def test_what_refuses_the_repetition_of_a_change_tells_no_limit(
    make_episode, make_pattern, make_brief, make_tool, turn
):
    tools = (make_tool("move_booking", booking="string"), make_tool("tell", words="string"))
    made = turn("move_booking", {"booking": "B7"})
    again = turn("move_booking", {"booking": "B7"}, "bookings are moved once only", True)
    lost = [make_episode(n, [made, again, again], won=False) for n in range(20, 23)]
    signature = {"kind": "write_refused", "tool": "move_booking", "error": "e"}
    pattern = make_pattern(lost, signature, bullet="EC2")
    assert "Limits of move_booking" not in propose(make_brief(lost, [pattern], tools=tools))


@pytest.fixture
def desk(make_tool):
    return (make_tool("tell", words="string"), make_tool("move_booking", booking="string"))


@pytest.fixture
def agreed(make_episode, turn):
    return [
        make_episode(
            n,
            [
                turn("tell", {"words": f"Shall I move booking {n}?"}, "Yes, go ahead."),
                turn("move_booking", {"booking": str(n)}),
                turn("tell", {"words": "It is moved."}, "Thanks."),
            ],
            won=True,
        )
        for n in range(6)
    ]


def test_a_change_without_a_yes_becomes_a_block_that_hears_the_tool(
    agreed, make_episode, make_pattern, make_brief, turn, desk
):
    lost = [
        make_episode(
            n,
            [
                turn("tell", {"words": "Which one?"}, "It is B7."),
                turn("move_booking", {"booking": "B7"}),
                turn("tell", {"words": "It is moved."}, "What?"),
            ],
            won=False,
        )
        for n in range(20, 23)
    ]
    pattern = make_pattern(lost, {"kind": "consent_missing", "tool": "move_booking"}, bullet="EC2")
    brief = make_brief([*agreed, *lost], [pattern], tools=desk, talk_tools=frozenset({"tell"}))
    rule = propose(brief)["rule_block_unconfirmed"]
    assert rule.layer == "actions"
    assert "talk = ('tell',)" in body(rule)


def test_speech_without_the_tool_becomes_a_rescue(
    agreed, make_episode, make_pattern, make_brief, said, desk
):
    lost = [
        make_episode(n, [said("Which booking is it about?")] * 3, won=False) for n in range(20, 23)
    ]
    signature = {"kind": "speech_in_text", "tool": "tell", "argument": "words"}
    pattern = make_pattern(lost, signature)
    brief = make_brief([*agreed, *lost], [pattern], tools=desk, talk_tools=frozenset({"tell"}))
    assert propose(brief)["rule_rescue_speech"].layer == "actions"
    assert "rule_rescue_speech" not in propose(make_brief([*agreed, *lost], [pattern], tools=desk))


def test_speech_is_no_statement(agreed, make_brief, desk):
    facts = mine(make_brief(agreed, tools=desk, talk_tools=frozenset({"tell"})))
    assert facts.statement_slots == {}
    assert facts.talk_slot == ("tell", "words")
