"""Labels of commands in a world of invented words: slips, unmet preconditions, plain sentences."""

import random

import pytest

from tasks.annotator.engine import annotate

VERBS = {"dax": "from", "wug": "into", "fep": "with"}
THINGS = ("bliff 1", "bliff 2", "tove 1", "gorp 1", "gorp 2")
PLACES = ("mome 1", "rath 1", "rath 2")
NOTHING = "Nothing happens."
RUNS = 60


def commands():
    return [
        f"{verb} {thing} {preposition} {place}"
        for verb, preposition in VERBS.items()
        for thing in THINGS
        for place in PLACES
    ]


@pytest.fixture
def bullets(make, moves, command_profile):
    """Bullets and evidence of the first hit in an episode that ends with one refused turn."""

    def of(offered, *, said="", text=""):
        works = moves.call("do", "It is done.", action=offered[0]) | {"admissible": offered}
        refused = (moves.say(text) if text else moves.call("do", NOTHING, action=said)) | {
            "admissible": offered
        }
        made = annotate(make([works, refused, refused]), command_profile)
        return {hit.bullet: hit for hit in made.hits}

    return of


def rounds():
    draw = random.Random("unseen commands")
    for _ in range(RUNS):
        offered = draw.sample(commands(), 12)
        rest = [one for one in commands() if one not in offered]
        yield draw, offered, draw.choice(rest)


def test_a_slip_in_words_is_labelled_with_its_similarity(bullets):
    for draw, offered, _ in rounds():
        verb, thing, number, preposition, *place = draw.choice(offered).split()
        said = " ".join([verb, "the", thing, number, preposition, "the", *place])
        hit = bullets(offered, said=said)["AR2"]
        assert '"form":"near_miss"' in hit.signature
        assert '"similarity":0.' in hit.evidence
        assert '"similarity_needed":0.55' in hit.evidence


def test_a_command_that_cannot_be_done_yet_is_hardly_ever_called_a_slip(bullets):
    taken = 0
    for _, offered, said in rounds():
        found = bullets(offered, said=said)
        taken += "AR2" in found
        assert found.keys() & {"AR2", "EC2"}
    assert taken <= 0.05 * RUNS


@pytest.mark.parametrize(
    "rest",
    [
        "is what I would do.",
        "did not work, so I stop.",
        "means nothing to me.",
    ],
)
def test_a_sentence_that_begins_with_a_verb_is_hardly_ever_called_a_command(bullets, rest):
    taken = sum("AR1" in bullets(offered, text=f"Dax {rest}") for _, offered, _ in rounds())
    assert taken <= 0.05 * RUNS


def test_a_command_written_as_text_is_still_found(bullets):
    for draw, offered, _ in rounds():
        verb, thing, number, *rest = draw.choice(offered).split()
        said = " ".join([verb, "the", thing, number, *rest])
        assert "AR1" in bullets(offered, text=said)
