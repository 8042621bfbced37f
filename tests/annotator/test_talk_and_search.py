"""Worlds in which a tool speaks to the user, refused changes, and searches that find nothing."""

import json
from dataclasses import replace

import pytest

from tasks.annotator.engine import annotate
from tasks.annotator.ordering import with_mined_order
from tasks.annotator.profile import EnvironmentProfile, profile_of_environment
from tasks.annotator.timeline import build_timeline
from tasks.environments.registry import resolve_environment


def tool(name, *required):
    properties = {argument: {"type": "string"} for argument in required}
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


DESK = EnvironmentProfile(
    environment="bookings",
    tools=(
        tool("tell", "words"),
        tool("show_booking", "booking"),
        tool("move_booking", "booking", "day"),
        tool("pass_on", "summary"),
        tool("search_rooms", "text"),
    ),
    is_tools_known=True,
    terminal_tools=frozenset({"pass_on"}),
    handover_tools=frozenset({"pass_on"}),
    write_tools=frozenset({"move_booking"}),
    talk_tools=frozenset({"tell"}),
    read_tools=frozenset({"show_booking", "search_rooms"}),
    non_progress=("Nothing was found",),
    is_consent_required=True,
)
SHALL_I = "Shall I move booking B7 to Friday?"


def tell(m, words, answer):
    return m.call("tell", answer, words=words)


def move_it(m, day="Friday"):
    return m.call("move_booking", "moved", booking="B7", day=day)


def refused(m, day, why):
    return m.failed("move_booking", why, booking="B7", day=day) | {"error_kind": "refused"}


def rules_of(make, moves, profile=DESK):
    found = annotate(make(moves, environment="bookings"), profile)
    return {hit.rule: json.loads(hit.signature) for hit in found.hits if hit.decisive}


def test_what_a_tool_says_is_said_and_its_result_is_heard(make, moves):
    episode = make([tell(moves, SHALL_I, "Yes."), move_it(moves)])
    told = build_timeline(episode, DESK.talk_tools)
    assert [turn.text for turn in told.turns] == [SHALL_I, ""]
    assert [turn.heard for turn in told.turns] == ["", "Yes."]
    assert told.has_user
    plain = build_timeline(episode)
    assert (plain.turns[0].text, plain.turns[1].heard, plain.has_user) == ("", "", False)


def test_a_change_before_the_yes_lacks_consent(make, moves):
    plant = [tell(moves, "Which booking?", "It is B7."), move_it(moves)]
    assert rules_of(make, plant)["consent_missing"] == {
        "kind": "consent_missing",
        "tool": "move_booking",
    }


def test_a_change_after_the_yes_has_consent(make, moves):
    plant = [tell(moves, SHALL_I, "Yes, go ahead."), move_it(moves)]
    assert "consent_missing" not in rules_of(make, plant)


def test_a_talk_that_broke_off_is_no_talk(make, moves):
    broken = moves.failed("tell", "words: not a text", words=SHALL_I)
    assert "consent_missing" in rules_of(make, [broken, move_it(moves)])


def test_speech_without_the_tool_is_read_as_meant_for_it(make, moves):
    found = rules_of(make, [moves.say("Which booking is it about?")])
    assert found["call_in_text"] == {
        "kind": "speech_in_text",
        "tool": "tell",
        "argument": "words",
    }


def test_a_call_in_text_is_no_speech(make, moves):
    found = rules_of(make, [moves.say('show_booking(booking="B7")')])
    assert found["call_in_text"]["kind"] == "call_in_text"


def test_where_nobody_is_spoken_to_by_a_tool_speech_is_none(make, moves):
    profile = replace(DESK, talk_tools=frozenset())
    assert "call_in_text" not in rules_of(make, [moves.say("Which booking is it?")], profile)


FULL = "the hotel is full on 'Friday'"


def test_a_refused_change_tells_why_without_its_values(make, moves):
    found = rules_of(make, [refused(moves, "Friday", FULL)])
    assert found["write_refused"] == {
        "kind": "write_refused",
        "tool": "move_booking",
        "error": "the hotel is full on <value>",
    }


def test_a_refusal_that_was_mended_is_none(make, moves):
    plant = [refused(moves, "Friday", FULL), move_it(moves, "Monday"), moves.say("Done?")]
    assert "write_refused" not in rules_of(make, plant)


def test_a_change_that_was_made_and_is_repeated_is_no_refused_one(make, moves):
    plant = [move_it(moves), refused(moves, "Friday", FULL)]
    assert "write_refused" not in rules_of(make, plant)


def test_a_change_that_does_not_fit_its_schema_is_no_refused_one(make, moves):
    plant = [moves.failed("move_booking", "'day' is a required property", booking="B7")]
    found = rules_of(make, plant)
    assert "write_refused" not in found
    assert "call_unreadable" in found


def test_a_blocked_change_is_not_the_environments_refusal(make, moves):
    blocked = moves.failed("move_booking", "ask first", booking="B7", day="Friday")
    assert "write_refused" not in rules_of(make, [blocked | {"error_kind": "blocked"}])


def test_a_refused_read_is_no_refused_change(make, moves):
    plant = [moves.failed("show_booking", "no booking B9", booking="B9")]
    assert "write_refused" not in rules_of(make, plant)


def test_a_hand_over_is_no_answer(make, moves):
    found = rules_of(make, [moves.call("pass_on", "ok", summary="The guest wants another day.")])
    assert "answer_shape" not in found
    assert "handover" in found


def searching(m, text, result):
    return m.call("search_rooms", result, text=text)


@pytest.mark.parametrize(
    ("text", "result", "constraint"),
    [
        ("double room under 90", "room 4", "price"),
        ("quiet double room", "Nothing was found for that.", "words"),
    ],
)
def test_a_search_that_holds_too_much_is_told_by_kind(make, moves, text, result, constraint):
    found = rules_of(make, [searching(moves, text, result) | {"is_error": True}])
    assert found["search_constraint"]["constraint"] == constraint
    assert found["search_constraint"]["argument"] == "text"


def test_a_search_that_finds_something_is_fine(make, moves):
    assert "search_constraint" not in rules_of(make, [searching(moves, "double room", "room 4")])


def test_a_tool_that_reads_takes_no_commands():
    profile = profile_of_environment(resolve_environment("webshop"))
    assert dict(profile.command_arguments) == {"click": "element"}
    profile = profile_of_environment(resolve_environment("household"))
    assert dict(profile.command_arguments) == {"take_action": "action"}


def test_a_desk_declares_what_the_profile_needs():
    profile = profile_of_environment(resolve_environment("orderdesk"))
    assert profile.talk_tools == {"respond"}
    assert profile.handover_tools == {"transfer_to_human"}
    assert profile.is_consent_required
    assert {(one.requires, one.tool) for one in profile.order} == {
        ("get_order", name) for name in profile.write_tools
    }
    assert with_mined_order(profile, ()).order == profile.order
