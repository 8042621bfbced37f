"""Cues are facts: paraphrases are read, near-misses are not, wrong facts are read as wrong."""

from collections import Counter
from pathlib import Path

import pytest

from tasks.environments.sqldesk.fault_kinds import KINDS
from tasks.environments.sqldesk.sqldesk_cues import CUES

FOLDER = Path(__file__).parent / "cue_sentences"
CURABLE = sorted(kind.name for kind in KINDS if kind.weights and kind.name != "prose_call")


def load():
    """Lines as (kind, group, source, text)."""
    cases = []
    for path in sorted(FOLDER.glob("*.txt")):
        group, source = "", "system"
        for line in path.read_text().splitlines():
            if line.startswith("source: "):
                source = line.removeprefix("source: ")
            elif line.startswith("= "):
                group = line.removeprefix("= ")
            else:
                cases.append((path.stem, group, source, line.replace("\\n", "\n")))
    return cases


CASES = load()


def read(kind, source, text):
    verdicts = {cue.is_right for cue in CUES.read(text, source) if cue.kind == kind}
    return {True: "right", False: "wrong", None: "near miss"}[verdicts.pop() if verdicts else None]


@pytest.mark.parametrize("kind", CURABLE)
def test_every_cure_has_twenty_paraphrases_and_twenty_near_misses(kind):
    groups = Counter(group for name, group, _, _ in CASES if name == kind)
    assert groups["right"] >= 20
    assert groups["near miss"] >= 20
    assert groups["wrong"] >= 5


@pytest.mark.parametrize(("kind", "group", "source", "text"), CASES)
def test_a_sentence_is_read_as_what_it_says(kind, group, source, text):
    assert read(kind, source, text) == group


@pytest.mark.parametrize("kind", CURABLE)
def test_true_sentences_are_wrong_about_nothing_else(kind):
    told = {
        text: [cue for cue in CUES.read(text, source) if cue.kind != kind and not cue.is_right]
        for name, group, source, text in CASES
        if name == kind and group != "wrong"
    }
    assert {text: cues for text, cues in told.items() if cues} == {}


def test_a_fact_is_read_in_the_middle_of_a_long_contract():
    text = (
        "# Rules\n\nBe brief. Tables have columns with blanks in their names; such a\n"
        "column has to be wrapped in double quotes wherever it appears.\n\nThank you."
    )
    assert read("unquoted_identifier", "system", text) == "right"


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
