"""Plain sentences are read for facts, whatever the world."""

import re

import pytest

from tasks.agent.simulated_reading import (
    affirmed,
    denied,
    order_of,
    passages,
    sentences,
    step_order,
    steps,
)

CUP = re.compile(r"\bcup\b")
DOOR = re.compile(r"\bdoor\b")


@pytest.mark.parametrize(
    "text",
    [
        "Take the cup.",
        "Never leave without the cup.",
        "Don't forget the cup.",
        "The task is not over until you hold the cup.",
        "Do not take the plate, take the cup.",
        "Not the plate but the cup is wanted.",
        "Without the cup the task fails.",
        "Skip nothing; the cup is needed.",
        "Do not stop there: the cup comes next.",
    ],
)
def test_what_is_asked_for_is_affirmed(text):
    assert affirmed(text, CUP)
    assert not denied(text, CUP)


@pytest.mark.parametrize(
    "text",
    [
        "Do not take the cup.",
        "Never touch the cup.",
        "Take the plate instead of the cup.",
        "Go on without the cup.",
        "Wrong: take the cup.",
        "The cup is not needed.",
        "Avoid the cup, use the plate.",
    ],
)
def test_what_is_ruled_out_is_denied(text):
    assert denied(text, CUP)
    assert not affirmed(text, CUP)


def test_a_sentence_that_only_says_when_is_neither():
    text = "Do not take the cup before you have opened the door."
    assert not affirmed(text, CUP)
    assert not denied(text, CUP)


@pytest.mark.parametrize(
    "text",
    [
        "Open the door before you take the cup.",
        "Before you take the cup, open the door.",
        "After the door is open, take the cup.",
        "Take the cup after opening the door.",
        "Never take the cup before the door is open.",
        "Do not take the cup until the door is open.",
        "First the door, then the cup.",
        "door -> cup",
        "Taking the cup requires an open door.",
        "You cannot take the cup without opening the door.",
        "To take the cup, first open the door.",
        "For the cup, the door comes first.",
        "Once the door is open, take the cup.",
        "Taking the cup before the door is open is wrong.",
    ],
)
def test_the_door_comes_first(text):
    assert order_of(text, DOOR, CUP) == "ab"
    assert order_of(text, CUP, DOOR) == "ba"


@pytest.mark.parametrize(
    "text",
    [
        "The cup is behind the door.",
        "Take the cup.",
        "A door and a cup.",
        "",
        "Look at cup and door.",
        "The cup can be taken without opening the door.",
        "You can open the door before you take the cup.",
    ],
)
def test_no_order_is_read_where_none_is_told(text):
    assert order_of(text, DOOR, CUP) is None


@pytest.mark.parametrize(
    "text",
    [
        "You need not open the door first to take the cup.",
        "You need not open the door before you take the cup.",
        "You needn't open the door before taking the cup.",
        "There is no need to open the door before taking the cup.",
        "You don't have to open the door before you take the cup.",
        "You do not need to open the door first, then take the cup.",
        "It is not necessary to open the door before taking the cup.",
        "Opening the door before taking the cup is unnecessary.",
        "Opening the door before taking the cup is not required.",
        "Opening the door before you take the cup is optional.",
        "The door does not have to be open before you take the cup.",
        "The door need not be open before the cup is taken.",
        "Taking the cup does not require an open door.",
        "Taking the cup doesn't need an open door.",
        "It does not matter if you open the door before you take the cup.",
        "Whether the door or the cup comes first makes no difference.",
        "There is no point in opening the door before taking the cup.",
        "Never mind opening the door before you take the cup.",
        "You are free to take the cup before the door is open.",
        "You may take the cup before you open the door.",
        "The door is optional: take the cup first.",
    ],
)
def test_an_order_that_is_lifted_is_no_order(text):
    assert order_of(text, DOOR, CUP) is None
    assert order_of(text, CUP, DOOR) is None


@pytest.mark.parametrize(
    "text",
    [
        "Never forget to open the door before you take the cup.",
        "Do not skip opening the door before you take the cup.",
        "Do not hurry, open the door before you take the cup.",
        "It is not far: open the door before you take the cup.",
        "Never, under any circumstances, take the cup before opening the door.",
        "You may take the cup only after opening the door.",
        "You can take the cup once the door is open.",
        "Avoid taking the cup before the door is open.",
        "Taking the cup before opening the door fails.",
        "No cup may be taken before the door is open.",
    ],
)
def test_a_negation_counts_where_it_stands(text):
    assert order_of(text, DOOR, CUP) == "ab"
    assert order_of(text, CUP, DOOR) == "ba"


def test_the_order_of_numbered_steps_is_read():
    items = steps("Do this:\n1. Open the door.\n2. Take the cup.\n\nThat is all.")
    assert step_order(items, DOOR, CUP) == "ab"
    assert step_order(items, CUP, DOOR) == "ba"


def test_a_step_that_is_ruled_out_is_no_step():
    assert step_order(steps("1. Do not open the door.\n2. Take the cup."), DOOR, CUP) is None


def test_bullets_are_steps_only_when_the_text_says_so():
    bullets = "- Open the door.\n- Take the cup."
    assert steps(bullets) == ()
    assert steps("Steps:\n" + bullets) == ("Open the door.", "Take the cup.")


def test_wrapped_lines_are_one_sentence_and_bullets_are_not():
    text = "# Title\nTake the\ncup now.\n- One\n- Two, e.g. three. Four."
    assert sentences(text) == ("Title", "Take the cup now.", "One", "Two, eg three.", "Four.")


def test_a_sentence_that_goes_on_is_joined():
    assert passages("Open the door. Then take the cup.") == (
        "Open the door. then Then take the cup.",
    )


def test_long_text_without_an_end_is_cut():
    assert max(len(part) for part in sentences("word " * 50_000)) <= 500
