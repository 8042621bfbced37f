import pytest

from tasks.gate.contradiction import contradicts
from tasks.gate.directives import read_directives
from tasks.harness import Call
from tasks.harness.replay import RecordedStep

TOOLS = ("look", "hand_in")


def run_of(*calls):
    return [
        RecordedStep(
            name=tool, raw_arguments=None, observation="ok", executed=Call(tool, arguments)
        )
        for tool, arguments in calls
    ]


PASSED = run_of(("look", {"query": 'SELECT "a b"'}), ("hand_in", {"answers": ["42"]}))


@pytest.mark.parametrize(
    "text",
    [
        "Do not call `hand_in`.",
        "Never use the tool hand_in; say it in words.",
        "Call `hand_in` first, before any call of `look`.",
        "Use `look` only after you have called `hand_in`.",
        "Call hand_in at once.",
        "1. Call `hand_in` with your guess.\n2. Then call `look`.",
        'Pass the answer as text: {"answers": "42"}.',
        "In `look` never use quotes.",
        "Do not call `look` before `hand_in`.",
    ],
)
def test_a_text_that_asks_for_something_else_contradicts_the_run(text):
    assert contradicts(text, PASSED)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Take the time that the work needs.",
        "Call `look` before `hand_in`: use only what it has returned.",
        "Do not call `hand_in` before `look`.",
        "Do not call `hand_in` twice.",
        "Never end a task without calling `hand_in`.",
        'Saying that you are done is not enough: call `hand_in`, such as {"answers": ["x"]}.',
        "1. Call `look`. Do not skip this: do it before step 2.\n2. Call `hand_in`.",
        "In `look` put names in double quotes.",
        "Do not call `other`.",
        "Do not call `look`. Do not call `hand_in`.",
        "`hand_in` window cellar `look` attic.",
        "{" * 3000,
        "\0\ud800 never call",
    ],
)
def test_a_text_that_the_run_follows_or_that_asks_nothing_contradicts_nothing(text):
    assert not contradicts(text, PASSED)


def test_a_hint_is_held_against_what_came_after_it():
    hint = "The task is finished. Call `hand_in` now, whatever you have."
    looked_twice = [PASSED[0], *PASSED]
    assert contradicts(hint, looked_twice, start=1)
    assert not contradicts(hint, looked_twice, start=2)
    assert not contradicts(hint, PASSED, start=2)


def test_names_are_whole_words():
    assert read_directives("Do not call hand_in_all.", TOOLS).forbidden == frozenset()
    assert read_directives("DO NOT CALL Hand_In!", TOOLS).forbidden == {"hand_in"}


def test_long_texts_are_read_in_bounded_time():
    text = "do not call " * 4000 + "look before " * 4000
    assert read_directives(text, [f"tool_{n}" for n in range(20)]).forbidden == frozenset()
