"""Cues are facts: paraphrases are read, near-misses are not, wrong facts are read as wrong."""

from collections import Counter
from pathlib import Path

import pytest

from tasks.environments.orderdesk.fault_kinds import KINDS
from tasks.environments.orderdesk.orderdesk_cues import CUES

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


@pytest.mark.parametrize(("kind", "group", "source", "text"), CASES)
def test_a_true_sentence_is_wrong_about_nothing_else(kind, group, source, text):
    others = [cue for cue in CUES.read(text, source) if cue.kind != kind and not cue.is_right]
    assert group == "wrong" or others == []
