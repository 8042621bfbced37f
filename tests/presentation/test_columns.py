"""Tables fit the width they are given, whatever they hold, and lose nothing of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.presentation.columns import LONGEST_WORD, cell_width, fold, lay_out

ID = "harn_4129b8ac699124e3"
SENTENCE = "Say what a commit needs before it can be made, and name both tools."


def words_of(text):
    return "".join(text.split())


@pytest.mark.parametrize("width", [None, 200, 47])
def test_a_table_that_fits_is_not_touched(width):
    layout = lay_out(["name", "value"], [["a" * 20, "b" * 20]], width=width)
    assert layout.head == ("name                  value", "-" * 20 + "  " + "-" * 20)
    assert layout.body == ("a" * 20 + "  " + "b" * 20,)


def test_the_widest_column_is_wrapped_between_words_and_ids_stay_whole():
    layout = lay_out(["harness_id", "title"], [[ID, SENTENCE]], width=60)
    assert max(map(cell_width, str(layout).splitlines())) <= 60
    assert ID in str(layout)
    texts = [line[len(ID) :].strip() for line in layout.body]
    assert " ".join(texts) == SENTENCE


def test_numbers_stand_right_and_do_not_wrap():
    layout = lay_out(["title", "n"], [[SENTENCE, "1"], ["short", "1000"]], width=40, right={1})
    assert layout.body[0].endswith("     1")
    assert layout.body[-1].endswith("  1000")


def test_names_are_broken_after_a_mark_before_a_table_gives_up_its_rows_and_ids_are_not():
    row = [ID, "tau_bench_airline", "tau2/airline/some_family", "an_artifact_name_of_its_own"]
    layout = lay_out(["harness_id", "environment", "task", "artifact"], [row], width=64)
    assert layout.head
    assert max(map(len, layout.body)) <= 64
    assert ID in layout.body[0]
    assert "tau_bench_" in str(layout)
    assert "some_family" in str(layout)


def test_what_cannot_fit_becomes_one_block_a_row_with_every_value():
    columns = [f"column_{place}" for place in range(12)]
    rows = [[f"{ID}{row}{place}" for place in range(12)] for row in range(2)]
    layout = lay_out(columns, rows, width=80)
    assert layout.head == ()
    assert len(layout.body) == 25
    assert layout.body[0] == f"column_0   {ID}00"
    assert layout.body[12] == ""


def test_a_word_longer_than_any_id_is_broken_rather_than_pushed_over_the_edge():
    name = "x" * 200
    layout = lay_out(["artifact", "reason"], [[name, "evidence"]], width=50)
    assert max(map(len, str(layout).splitlines())) <= 50
    assert "".join(line.split("  ")[0].strip() for line in layout.body) == name


def test_wide_characters_count_twice():
    assert cell_width("漢字e\u0301") == 5
    layout = lay_out(["text", "n"], [["漢字 " * 30, "1"]], width=40)
    assert max(map(cell_width, str(layout).splitlines())) <= 40


def test_ids_are_words_of_ordinary_length():
    assert len(ID) <= LONGEST_WORD


@pytest.mark.parametrize("width", [20, 33, 80])
def test_a_folded_line_is_indented_and_says_the_same(width):
    lines = fold(f"edits     {SENTENCE}", width, indent=10).split("\n")
    assert max(map(len, lines)) <= width
    assert all(line.startswith(" " * 10) for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == f"edits {SENTENCE}"


def test_an_empty_table_is_its_head():
    assert str(lay_out(["name", "n"], [], width=20)) == "name  n\n----  -"


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(st.text("ab_c", min_size=1, max_size=30), min_size=n, max_size=n),
            st.lists(st.lists(st.text("ab 漢é/", max_size=60), min_size=n, max_size=n), max_size=4),
        )
    ),
    st.integers(20, 100),
)
def test_no_line_is_wider_than_asked_and_no_character_is_lost(table, width):
    columns, rows = table
    layout = lay_out(columns, rows, width=width)
    assert all(cell_width(line) <= width for line in str(layout).splitlines())
    shown = sorted(words_of("".join(layout.body)))
    repeated = columns * len(rows) if not layout.head else []
    assert shown == sorted(words_of("".join([*repeated, *(c for row in rows for c in row)])))
