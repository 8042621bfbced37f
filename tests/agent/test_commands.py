"""Near misses of commands in worlds nobody has seen: found when meant, silent otherwise."""

import random
from dataclasses import dataclass

import pytest

from tasks.agent.commands import near_misses, similarity, the_one, things_of, verb_of

SOUNDS = ("ba", "ke", "lo", "mi", "nu", "pra", "sto", "tri", "ven", "zu", "dol", "fen")
PREPOSITIONS = ("from", "to", "in", "on", "with", "at", "into", "under")
WORLDS = 16


@dataclass(frozen=True)
class World:
    """Invented verbs, things and places; commands are verb, thing, preposition, place."""

    verbs: dict[str, str]
    things: list[str]
    places: list[str]

    def commands(self) -> list[str]:
        return [
            f"{verb} {thing} {preposition} {place}"
            for verb, preposition in self.verbs.items()
            for thing in self.things
            for place in self.places
        ]


def name(draw) -> str:
    return "".join(draw.choices(SOUNDS, k=draw.randint(1, 3)))


def invent(seed: int) -> World:
    draw = random.Random(f"commands/{seed}")
    is_numbered = seed % 4 != 0
    kinds = [name(draw) for _ in range(6)]
    numbered = [f"{kind} {n}" for kind in kinds for n in (1, 2)]
    plain = list(dict.fromkeys(kinds))
    verbs = {name(draw): draw.choice(PREPOSITIONS) for _ in range(4)}
    places = list(dict.fromkeys(name(draw) for _ in range(4)))
    return World(
        verbs,
        list(dict.fromkeys(numbered)) if is_numbered else plain,
        [f"{place} {n}" for place in places for n in (1, 2)] if is_numbered else places,
    )


def slips_of(command: str, draw) -> list[str]:
    """Ways to say a command in words that are not quite its own."""
    verb, *rest = command.split()
    at = next(i for i, word in enumerate(rest) if word in PREPOSITIONS)
    thing, preposition, place = rest[:at], rest[at], rest[at + 1 :]
    other = draw.choice([one for one in PREPOSITIONS if one != preposition])
    return [
        " ".join([verb, "the", *thing, preposition, *place]),
        " ".join([verb, "the", *thing, preposition, "the", *place]),
        " ".join([verb, *thing, *place]),
        " ".join([verb, *thing, other, *place]),
        f"{command}.".upper(),
    ]


def moments():
    for seed in range(WORLDS):
        draw = random.Random(f"moments/{seed}")
        every = invent(seed).commands()
        for _ in range(5):
            offered = draw.sample(every, min(len(every), 12))
            yield draw, every, offered


def share_of_slips_found() -> tuple[float, float]:
    found = right = total = 0
    for draw, _, offered in moments():
        for command in offered:
            for said in slips_of(command, draw):
                near = the_one(near_misses(said, offered))
                total += 1
                found += near is not None
                right += near is not None and near.command == command
    return right / total, (found - right) / total


def share_of_others_taken() -> float:
    """Well-formed commands that cannot be done now, and yet are taken for a slip."""
    taken = total = 0
    for _, every, offered in moments():
        for said in every:
            if said not in offered:
                total += 1
                taken += bool(near_misses(said, offered))
    return taken / total


def test_slips_in_words_are_found_and_none_is_taken_for_another_command():
    right, wrong = share_of_slips_found()
    assert right >= 0.9
    assert wrong <= 0.01


def test_a_command_that_cannot_be_done_now_is_no_slip():
    assert share_of_others_taken() <= 0.05


SENTENCES = (
    "I have now looked everywhere and cannot see it.",
    "Let me think about what to do with the result.",
    "Done, everything has been put where it should be.",
    "Now I know enough to go on with the task.",
)


def test_a_sentence_that_begins_with_a_verb_of_the_world_is_no_command():
    taken = total = 0
    for draw, _, offered in moments():
        verb = verb_of(draw.choice(offered))
        for sentence in SENTENCES:
            said = f"{verb} {sentence}"
            total += 1
            taken += any(similarity(said, one) >= 0.55 for one in offered if verb_of(one) == verb)
    assert taken / total <= 0.02


@pytest.mark.parametrize(
    ("command", "things"),
    [
        ("take mug 1 from shelf 2", {"mug 1", "shelf 2"}),
        ("take cup from box", {"cup", "box"}),
        ("open the red door with the key", {"red", "door", "key"}),
        ("look", set()),
        ("", set()),
        ("  `GO to Desk 3`. ", {"desk 3"}),
    ],
)
def test_things_are_read_from_a_command(command, things):
    assert things_of(command) == things


def test_a_name_without_its_number_is_meant_only_where_one_number_fits():
    offered = ["take mug 1 from shelf 1", "take pan 1 from shelf 1"]
    found = the_one(near_misses("take mug from shelf", offered))
    assert found is not None
    assert found.command == offered[0]
    two = [*offered, "take mug 2 from shelf 1"]
    assert len(near_misses("take mug from shelf", two)) == 2
    assert the_one(near_misses("take mug from shelf", two)) is None
    assert near_misses("take mug 3 from shelf 1", two) == []
