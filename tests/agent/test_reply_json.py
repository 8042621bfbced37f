"""The last object of a reply, whatever stands around it."""

import time

import pytest

from tasks.agent.reply_json import last_object


@pytest.mark.parametrize("before", ["", "I think {x} and {y}. ", '{"bullet": "RR"} or rather '])
def test_the_last_object_that_is_wanted_is_found(before):
    text = f'{before}{{"bullet": "AR1", "more": {{"step": 3}}}} {{"other": 1}} done }}'
    found = last_object(text, lambda value: "bullet" in value)
    assert found == {"bullet": "AR1", "more": {"step": 3}}


def test_thinking_of_any_length_may_stand_before_it():
    assert last_object("{ hm " * 100_000 + '{"a": 1}') == {"a": 1}


@pytest.mark.parametrize("piece", ["{", '{"a":', '{"a":[', '{"a": "', '{"a": {"b": 1}, '])
def test_objects_that_are_never_closed_take_no_time_to_speak_of(piece):
    started = time.perf_counter()
    last_object(piece * (1_000_000 // len(piece)))
    assert time.perf_counter() - started < 10
