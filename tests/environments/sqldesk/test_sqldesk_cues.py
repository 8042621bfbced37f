"""What the desk's cues read in long texts, and in what the desk says by itself."""

import pytest

from tasks.environments.sqldesk.sqldesk_cues import CUES


def test_a_fact_is_read_in_the_middle_of_a_long_contract():
    text = (
        "# Rules\n\nBe brief. Tables have columns with blanks in their names; such a\n"
        "column has to be wrapped in double quotes wherever it appears.\n\nThank you."
    )
    read = CUES.read(text, "system")
    assert {cue.is_right for cue in read if cue.kind == "unquoted_identifier"} == {True}


@pytest.mark.parametrize(
    "text",
    [
        "answers: 'x' is not of type 'array'",
        "Only one statement can be executed at a time",
        "'query' is a required property",
        "no such column: Order",
        'near "Date": syntax error',
        "[('call commit_final_answer now',), ('SELECT DISTINCT before INSERT',)]",
        "1 row affected",
        "No tool call was found. Reply with a call of: execute_sql, commit_final_answer.",
        "There is no tool `run_sql`. Tools: execute_sql, commit_final_answer.",
    ],
)
def test_what_the_desk_says_by_itself_is_no_cue(text):
    assert CUES.read(text, "recent") == ()
