"""Cues are facts: paraphrases are read, near-misses are not, wrong facts are read as wrong."""

from collections import Counter
from pathlib import Path

import pytest

from tasks.environments.household.fault_kinds import KINDS
from tasks.environments.household.household_cues import CUES

FOLDER = Path(__file__).parent / "cue_sentences"
CURABLE = sorted(kind.name for kind in KINDS if kind.weights and kind.name != "prose_call")
TREATMENTS = (("clean", "sink", "oven"), ("heat", "oven", "fridge"), ("cool", "fridge", "sink"))


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
                cases += spread(path.stem, group, source, line.replace("\\n", "\n"))
    return cases


def spread(kind, group, source, text):
    """One case; sentences about treatments are said of all three."""
    if kind != "skipped_treatment":
        return [(kind, group, source, text)]
    return [
        (f"skipped_{verb}", group, source, fill(text, verb, place, other))
        for verb, place, other in TREATMENTS
    ]


def fill(text, verb, place, other):
    parts = {"verb": verb, "Verb": verb.capitalize(), "place": place, "other": other}
    for name, value in parts.items():
        text = text.replace("{" + name + "}", value)
    return text


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


@pytest.mark.parametrize(("kind", "group", "source", "text"), CASES)
def test_a_true_sentence_is_wrong_about_nothing_else(kind, group, source, text):
    others = [cue for cue in CUES.read(text, source) if cue.kind != kind and not cue.is_right]
    assert group == "wrong" or others == []


def test_a_treatment_is_read_for_its_own_verb_only():
    text = "Clean the item with the sink before you move it to its place."
    assert {cue.kind for cue in CUES.read(text, "skill")} >= {"skipped_clean"}
    assert not {cue.kind for cue in CUES.read(text, "skill")} & {"skipped_heat", "skipped_cool"}


def test_a_treatment_at_the_wrong_place_names_that_place():
    cues = CUES.read("Heat the item with the sink before you move it.", "skill")
    assert [(c.is_right, c.detail) for c in cues if c.kind == "skipped_heat"] == [(False, "sink")]


@pytest.mark.parametrize(
    "text",
    [
        "Nothing happens.",
        "You walk to the drawer 1. The drawer 1 is closed.",
        "The fridge 1 is open now. In it you see a mug 1, a bowl 2.",
        "You now hold the mug 1 from the shelf 1.",
        "The mug 1 is now on the table 1.",
        "The mug 1 is clean now, thanks to the sink 1.",
        "The lamp 1 shines on the desk 1.",
        "You stand in the middle of the room. You can see: desk 1, shelf 1. "
        "There is a lamp 1 on the desk 1.",
        "action: 3 is not of type 'string'",
        "'action' is a required property",
        "No tool call was found. Reply with a call of: take_action.",
        "The task is over.",
    ],
)
def test_what_the_household_says_by_itself_is_no_cue(text):
    assert CUES.read(text, "recent") == ()
