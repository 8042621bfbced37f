"""Draws problems of six families: a room, what lies where, and what is wanted."""

import random
from dataclasses import dataclass

from schemas.fields import Split
from tasks.agent.protocols import Task
from tasks.environments.embedded.splits import generator
from tasks.environments.household.things import (
    APPLIANCES,
    ITEM_KINDS,
    KITCHEN,
    KITCHEN_ITEMS,
    STUDY,
    STUDY_ITEMS,
    ItemKind,
    Room,
    Treatment,
    kind_of,
    plural,
    preposition,
    with_article,
)

NAME = "household"
GENERATOR_VERSION = 1
FAMILIES: tuple[str, ...] = (
    "pick_and_place",
    "two_objects",
    "clean_and_place",
    "heat_and_place",
    "cool_and_place",
    "look_under_lamp",
)
LAMP = "lamp 1"
_TREATMENT: dict[str, Treatment] = {
    "clean_and_place": "clean",
    "heat_and_place": "heat",
    "cool_and_place": "cool",
}
_CLUTTER = (4, 6)
_LIKELIEST = 0.6
_TOGETHER = 0.85


@dataclass(frozen=True)
class Goal:
    """What is wanted.

    Attributes:
        item: kind of item.
        place: kind of place it is to lie in; empty when it is to be looked at under the lamp.
        count: how many of the kind.
        treatment: what must have been done to it.
    """

    item: str
    place: str
    count: int = 1
    treatment: Treatment = ""


@dataclass(frozen=True)
class Problem:
    """A task with the room it begins in.

    Attributes:
        places: all places, in the order in which they are told.
        items: items with the place they lie in at first.
        lamp_place: place the lamp stands on; empty without a lamp.
    """

    task: Task
    goal: Goal
    places: tuple[str, ...]
    items: tuple[tuple[str, str], ...]
    lamp_place: str = ""

    @property
    def wanted(self) -> tuple[tuple[str, str], ...]:
        """Items of the wanted kind with their first places."""
        return tuple(pair for pair in self.items if kind_of(pair[0]) == self.goal.item)


def draw_problem(split: Split, family: str, number: int) -> Problem:
    """Draw one problem: a room, what lies where, and what is wanted."""
    rng = generator(NAME, GENERATOR_VERSION, split, family, number)
    room, kinds = _room(family, rng)
    places = _places(room, rng)
    treatment = _TREATMENT.get(family, "")
    item = rng.choice([kind for kind in kinds if not treatment or treatment in kind.treatments])
    goal = _goal(family, item, treatment, rng)
    items = _lay(goal, item, kinds, places, rng)
    lamp = _lamp_place(item, places, rng) if family == "look_under_lamp" else ""
    task = Task(f"{NAME}/{family}/{number:04d}", NAME, family, split, _word(family, goal, rng))
    return Problem(task, goal, places, items, lamp)


def _room(family: str, rng: random.Random) -> tuple[Room, tuple[ItemKind, ...]]:
    if family in _TREATMENT:
        return KITCHEN, KITCHEN_ITEMS
    if family == "look_under_lamp":
        return STUDY, STUDY_ITEMS
    return rng.choice(((KITCHEN, KITCHEN_ITEMS), (STUDY, STUDY_ITEMS)))


def _places(room: Room, rng: random.Random) -> tuple[str, ...]:
    places = [
        f"{kind} {number}"
        for kind, least, most in room.places
        for number in range(1, rng.randint(least, most) + 1)
    ]
    return tuple(places)


def _goal(family: str, item: ItemKind, treatment: Treatment, rng: random.Random) -> Goal:
    if family == "look_under_lamp":
        return Goal(item.name, "")
    avoid = {*item.homes, APPLIANCES.get(treatment, "")}
    place = rng.choice([kind for kind in item.goals if kind not in avoid])
    return Goal(item.name, place, 2 if family == "two_objects" else 1, treatment)


def _lay(
    goal: Goal,
    item: ItemKind,
    kinds: tuple[ItemKind, ...],
    places: tuple[str, ...],
    rng: random.Random,
) -> tuple[tuple[str, str], ...]:
    """Lay the wanted items with a look-alike beside each, and clutter elsewhere."""
    home = _home(item, places, rng)
    laid = [(item.name, home)]
    if goal.count == 2:
        is_together = rng.random() < _TOGETHER
        laid.append((item.name, home if is_together else _home(item, places, rng)))
    laid.append((item.twin, home))
    others = [kind for kind in kinds if kind.name not in {item.name, item.twin}]
    for kind in rng.sample(others, rng.randint(*_CLUTTER)):
        laid.append((kind.name, rng.choice(_homes(kind, places))))
    rng.shuffle(laid)
    counts: dict[str, int] = {}
    numbered: list[tuple[str, str]] = []
    for name, place in laid:
        counts[name] = counts.get(name, 0) + 1
        numbered.append((f"{name} {counts[name]}", place))
    return tuple(numbered)


def _homes(item: ItemKind, places: tuple[str, ...]) -> list[str]:
    return [place for home in item.homes for place in places if kind_of(place) == home]


def _home(item: ItemKind, places: tuple[str, ...], rng: random.Random) -> str:
    wanted = item.homes[0] if rng.random() < _LIKELIEST else rng.choice(item.homes[1:])
    return rng.choice([place for place in places if kind_of(place) == wanted])


def _lamp_place(item: ItemKind, places: tuple[str, ...], rng: random.Random) -> str:
    free = [place for place in places if kind_of(place) in {"desk", "bench", "stool"}]
    return rng.choice([place for place in free if kind_of(place) not in item.homes])


_DONE: dict[Treatment, str] = {"clean": "clean", "heat": "hot", "cool": "cold"}
_TEXTS: dict[str, tuple[str, ...]] = {
    "pick_and_place": (
        "Put {one} {where}.",
        "Bring {one} to its place {where}.",
        "Someone is looking for {one}. It should be {where}.",
    ),
    "two_objects": (
        "Put two {many} {where}.",
        "Find two {many} and put them {where}.",
        "There should be two {many} {where}.",
    ),
    "look_under_lamp": (
        "Look at {one} under the lamp.",
        "Hold {one} in the light of the lamp.",
        "Inspect {one} by lamp light.",
    ),
}
_TREATED: tuple[str, ...] = (
    "Put a {state} {item} {where}.",
    "{Verb} {one} and put it {where}.",
    "Someone wants a {state} {item} {where}.",
)


def _word(family: str, goal: Goal, rng: random.Random) -> str:
    text = rng.choice(_TREATED if goal.treatment else _TEXTS[family])
    return text.format(
        one=with_article(goal.item),
        many=plural(goal.item),
        item=goal.item,
        where=f"{preposition(goal.place)} {with_article(goal.place)}" if goal.place else "",
        state=_DONE.get(goal.treatment, ""),
        Verb=goal.treatment.capitalize(),
    )


def likely_places(goal: Goal, places: tuple[str, ...]) -> list[str]:
    """Places where an item of the wanted kind may lie, the likeliest first, then all others."""
    likely = _homes(ITEM_KINDS[goal.item], places)
    return likely + [place for place in places if place not in likely]
