"""Cues are facts: paraphrases are read, near-misses are not, wrong facts are read as wrong."""

import importlib
from collections import Counter
from pathlib import Path

import pytest

WORLDS = ("orderdesk", "sqldesk", "webshop")
"""Household has sentences about three treatments at once, and reads them beside its world."""


def load(world):
    """Sentences of a world as (world, kind, group, source, text)."""
    cases = []
    for path in sorted((Path(__file__).parent / world / "cue_sentences").glob("*.txt")):
        group, source = "", "system"
        for line in path.read_text().splitlines():
            if line.startswith("source: "):
                source = line.removeprefix("source: ")
            elif line.startswith("= "):
                group = line.removeprefix("= ")
            else:
                cases.append((world, path.stem, group, source, line.replace("\\n", "\n")))
    return cases


def cues(world):
    return importlib.import_module(f"tasks.environments.{world}.{world}_cues").CUES


def curable(world):
    kinds = importlib.import_module(f"tasks.environments.{world}.fault_kinds").KINDS
    return sorted(kind.name for kind in kinds if kind.weights and kind.name != "prose_call")


CASES = [case for world in WORLDS for case in load(world)]
CURABLE = [(world, kind) for world in WORLDS for kind in curable(world)]


@pytest.mark.parametrize(("world", "kind"), CURABLE)
def test_every_cure_has_twenty_paraphrases_and_twenty_near_misses(world, kind):
    groups = Counter(group for place, name, group, *_ in CASES if (place, name) == (world, kind))
    assert groups["right"] >= 20
    assert groups["near miss"] >= 20
    assert groups["wrong"] >= 5


@pytest.mark.parametrize(("world", "kind", "group", "source", "text"), CASES)
def test_a_sentence_is_read_as_what_it_says(world, kind, group, source, text):
    found = cues(world).read(text, source)
    verdicts = {cue.is_right for cue in found if cue.kind == kind}
    read = {True: "right", False: "wrong", None: "near miss"}
    assert read[verdicts.pop() if verdicts else None] == group
    others = [cue for cue in found if cue.kind != kind and not cue.is_right]
    assert group == "wrong" or others == []
