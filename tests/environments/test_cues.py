"""Cues are facts: paraphrases are read, near-misses are not, wrong facts are read as wrong."""

import importlib
from collections import Counter
from pathlib import Path

import pytest

from tasks.agent.protocols import ToolSpec
from tasks.agent.simulated_declared_cues import DeclaredCues

DECLARED = "declared_worlds"
WORLDS = ("household", "orderdesk", "sqldesk", "webshop")
WITHOUT_WRONG = {(DECLARED, "shape:fetch_box")}
"""No text can name a wrong shape: what is not in the schema is no argument."""


def load(world):
    """Sentences of a world as (world, kind, group, source, text).

    A file is named after its kind; with lines `for KIND: name=word` its sentences are said of each
    of these kinds, with `{name}` replaced.
    """
    cases = []
    for path in sorted((Path(__file__).parent / world / "cue_sentences").glob("*.txt")):
        group, source, words = "", "system", {}
        for line in path.read_text().splitlines():
            if line.startswith("source: "):
                source = line.removeprefix("source: ")
            elif line.startswith("= "):
                group = line.removeprefix("= ")
            elif line.startswith("for "):
                kind, _, given = line.removeprefix("for ").rpartition(":")
                words[kind] = dict(pair.split("=") for pair in given.split())
            else:
                text = line.replace("\\n", "\n")
                cases += [
                    (world, kind, group, source, fill(text, given))
                    for kind, given in (words or {path.stem: {}}).items()
                ]
    return cases


def fill(text, words):
    for name, word in words.items():
        text = text.replace("{" + name + "}", word)
    return text


def tool(name, **properties):
    return ToolSpec(name, "", {"type": "object", "properties": properties})


YARD = DeclaredCues(
    (
        tool("fetch_box", box_id={"type": "integer"}, labels={"type": "array"}),
        tool("weigh_box", box_id={"type": "integer"}),
        tool("hand_in", answer={"type": "string"}),
    ),
    frozenset({"hand_in"}),
    [("fetch_box", "weigh_box")],
)


def cues(world):
    if world == DECLARED:
        return YARD
    return importlib.import_module(f"tasks.environments.{world}.{world}_cues").CUES


def curable(world):
    if world == DECLARED:
        return ["again", "alias:fetch_box", "done_in_words", *EARLY_AND_SHAPE]
    kinds = importlib.import_module(f"tasks.environments.{world}.fault_kinds").KINDS
    return sorted(kind.name for kind in kinds if kind.weights and kind.name != "prose_call")


EARLY_AND_SHAPE = ("early:fetch_box:weigh_box", "shape:fetch_box")
CASES = [case for world in (*WORLDS, DECLARED) for case in load(world)]
CURABLE = [(world, kind) for world in (*WORLDS, DECLARED) for kind in curable(world)]


@pytest.mark.parametrize(("world", "kind"), CURABLE)
def test_every_cure_has_twenty_paraphrases_and_twenty_near_misses(world, kind):
    groups = Counter(group for place, name, group, *_ in CASES if (place, name) == (world, kind))
    assert groups["right"] >= 20
    assert groups["near miss"] >= 20
    assert groups["wrong"] >= 5 or (world, kind) in WITHOUT_WRONG


@pytest.mark.parametrize(("world", "kind", "group", "source", "text"), CASES)
def test_a_sentence_is_read_as_what_it_says(world, kind, group, source, text):
    found = cues(world).read(text, source)
    verdicts = {cue.is_right for cue in found if cue.kind == kind}
    read = {True: "right", False: "wrong", None: "near miss"}
    assert read[verdicts.pop() if verdicts else None] == group
    others = [cue for cue in found if cue.kind != kind and not cue.is_right]
    assert group == "wrong" or others == []


def test_a_treatment_is_read_for_its_own_verb_only():
    text = "Clean the item with the sink before you move it to its place."
    found = {cue.kind for cue in cues("household").read(text, "skill")}
    assert "skipped_clean" in found
    assert not found & {"skipped_heat", "skipped_cool"}
