"""Foreign text: nothing hidden, nothing endless."""

import time

import pytest

from tasks.presentation.cutting import as_facts, cut, on_one_line, plain, shown, visible

ESC = "\x1b[2J\x1b]0;owned\x07"


@pytest.mark.parametrize(
    "hidden",
    [
        "\x00",
        "\x1b",
        "\x7f",
        "\x9b",
        "\r",
        "\u200b",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\ud800",
        "\U000e0041",
    ],
)
def test_a_hidden_character_is_shown_as_what_it_is(hidden):
    seen = visible(f"a{hidden}b")
    assert hidden not in seen
    assert seen.startswith("a")
    assert seen.endswith("b")
    assert len(seen) > 2
    seen.encode("utf-8")


def test_line_breaks_tabs_and_letters_of_any_script_stay():
    text = "naïve\tΔ 漢字 🐎\nnext"
    assert visible(text) == text


def test_making_visible_twice_changes_nothing_more():
    assert visible(visible(ESC)) == visible(ESC)


def test_a_long_text_keeps_both_ends_and_says_what_is_left_out():
    text = "start" + "x" * 10_000 + "end"
    short = cut(text, 100)
    assert short.startswith("start")
    assert short.endswith("end")
    assert "9,908 characters left out" in short
    assert len(short) < 200


def test_a_text_at_the_limit_is_not_cut():
    assert cut("x" * 100, 100) == "x" * 100


def test_ten_megabytes_take_no_time():
    text = "\u202e<script>" * 1_000_000
    started = time.perf_counter()
    assert len(shown(text, 1000)) < 10_000
    assert len(on_one_line(text, 100)) < 2000
    assert len(as_facts(text, 100)) < 2000
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("text", ["", "not json", "[1,2]", "[" * 50_000, '{"a": NaN', "\ud800"])
def test_text_that_is_no_object_is_shown_as_it_is(text):
    as_facts(text, 50).encode("utf-8")


def test_an_object_becomes_a_line_for_each_value():
    assert as_facts('{"a": "b", "n": [1, null]}', 50) == "a: b\nn: [1,null]"


def test_a_value_without_canonical_form_is_still_shown():
    assert plain({1}, 20) == "{1}"
    assert "NaN" in plain(float("nan"), 20)
