"""What rooms hold: kinds of places, kinds of items, and where an item is likely to lie."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

Treatment = Literal["", "clean", "heat", "cool"]
APPLIANCES: dict[Treatment, str] = {"clean": "sink", "heat": "oven", "cool": "fridge"}
CLOSABLE = frozenset({"cupboard", "drawer", "hatch", "fridge", "oven", "chest", "wardrobe"})
INSIDE = CLOSABLE | {"sink", "bin", "basket"}
"""Places things are in; at the others they are on."""


@dataclass(frozen=True)
class Room:
    """A kind of room: its places with their least and most number."""

    name: str
    places: tuple[tuple[str, int, int], ...]


KITCHEN = Room(
    "kitchen",
    (
        ("worktop", 1, 1),
        ("table", 1, 1),
        ("cupboard", 1, 2),
        ("drawer", 1, 2),
        ("shelf", 1, 1),
        ("rack", 1, 1),
        ("trolley", 1, 1),
        ("hatch", 1, 1),
        ("fridge", 1, 1),
        ("oven", 1, 1),
        ("sink", 1, 1),
        ("bin", 1, 1),
    ),
)
STUDY = Room(
    "study",
    (
        ("desk", 1, 1),
        ("bench", 1, 1),
        ("shelf", 2, 3),
        ("drawer", 2, 3),
        ("chest", 1, 1),
        ("wardrobe", 1, 1),
        ("basket", 1, 1),
        ("stool", 1, 1),
    ),
)


@dataclass(frozen=True)
class ItemKind:
    """A kind of item.

    Attributes:
        name: its name.
        twin: kind that is easily taken for it.
        homes: kinds of places it lies in, the likeliest first.
        goals: kinds of places a task may want it in.
        treatments: what can be done to it.
    """

    name: str
    twin: str
    homes: tuple[str, ...]
    goals: tuple[str, ...]
    treatments: tuple[Treatment, ...] = ()


_DISH_GOALS = ("table", "shelf", "cupboard", "drawer", "rack", "trolley", "hatch", "worktop")
_FOOD_GOALS = ("table", "worktop", "bin", "cupboard", "shelf", "trolley", "hatch", "rack")

KITCHEN_ITEMS: tuple[ItemKind, ...] = (
    ItemKind("mug", "beaker", ("cupboard", "rack"), _DISH_GOALS, ("clean", "heat", "cool")),
    ItemKind("beaker", "mug", ("rack", "trolley"), _DISH_GOALS, ("clean", "cool")),
    ItemKind("bowl", "plate", ("shelf", "table"), _DISH_GOALS, ("clean", "cool", "heat")),
    ItemKind("plate", "bowl", ("hatch", "cupboard"), _DISH_GOALS, ("clean", "heat", "cool")),
    ItemKind("ladle", "spatula", ("drawer", "worktop"), _DISH_GOALS, ("clean",)),
    ItemKind("spatula", "ladle", ("worktop", "drawer"), _DISH_GOALS, ("clean",)),
    ItemKind("fork", "spoon", ("drawer", "trolley"), _DISH_GOALS, ("clean",)),
    ItemKind("spoon", "fork", ("table", "drawer"), _DISH_GOALS, ("clean",)),
    ItemKind("apple", "peach", ("trolley", "cupboard"), _FOOD_GOALS, ("clean", "heat", "cool")),
    ItemKind("peach", "apple", ("hatch", "table"), _FOOD_GOALS, ("clean", "cool")),
    ItemKind("potato", "turnip", ("cupboard", "bin"), _FOOD_GOALS, ("clean", "heat", "cool")),
    ItemKind("turnip", "potato", ("bin", "worktop"), _FOOD_GOALS, ("clean", "heat")),
    ItemKind("loaf", "muffin", ("worktop", "cupboard"), _FOOD_GOALS, ("heat", "cool")),
    ItemKind("muffin", "loaf", ("cupboard", "shelf"), _FOOD_GOALS, ("heat", "cool")),
)
_STUDY_GOALS = ("bench", "desk", "chest", "wardrobe", "basket", "stool")
STUDY_ITEMS: tuple[ItemKind, ...] = (
    ItemKind("novel", "atlas", ("shelf", "desk"), _STUDY_GOALS),
    ItemKind("atlas", "novel", ("shelf", "chest"), _STUDY_GOALS),
    ItemKind("candle", "matchbox", ("drawer", "shelf"), _STUDY_GOALS),
    ItemKind("matchbox", "candle", ("drawer", "bench"), _STUDY_GOALS),
    ItemKind("scarf", "shawl", ("wardrobe", "bench"), _STUDY_GOALS),
    ItemKind("shawl", "scarf", ("chest", "wardrobe"), _STUDY_GOALS),
    ItemKind("watch", "compass", ("drawer", "stool"), _STUDY_GOALS),
    ItemKind("compass", "watch", ("drawer", "shelf"), _STUDY_GOALS),
    ItemKind("letter", "postcard", ("drawer", "shelf"), _STUDY_GOALS),
    ItemKind("postcard", "letter", ("shelf", "drawer"), _STUDY_GOALS),
)
_KITCHEN_SKINS = ("goblet", "flask", "tureen", "saucer", "skimmer", "turner", "skewer", "scoop")
_FOOD_SKINS = ("quince", "plum", "parsnip", "beet", "bun", "scone")
_STUDY_SKINS = (
    *("almanac", "ledger", "lantern", "lighter", "bonnet"),
    *("cape", "locket", "sextant", "telegram", "leaflet"),
)
_OTHER_NAMES = (*_KITCHEN_SKINS, *_FOOD_SKINS, *_STUDY_SKINS)
SKINS: dict[str, str] = {
    item.name: other
    for item, other in zip((*KITCHEN_ITEMS, *STUDY_ITEMS), _OTHER_NAMES, strict=True)
}
"""Other names of all items, for tasks whose entities are renamed; no task draws them."""


def _skinned(item: ItemKind) -> ItemKind:
    return replace(item, name=SKINS[item.name], twin=SKINS[item.twin])


ITEM_KINDS: dict[str, ItemKind] = {
    kind.name: kind for item in (*KITCHEN_ITEMS, *STUDY_ITEMS) for kind in (item, _skinned(item))
}


@lru_cache(maxsize=4096)
def kind_of(name: str) -> str:
    """Kind of a numbered thing: `mug` of `mug 2`."""
    return name.rsplit(" ", 1)[0]


def preposition(place: str) -> str:
    """Whether things are in a place or on it."""
    return "in" if kind_of(place) in INSIDE else "on"


def with_article(noun: str) -> str:
    """A noun with `a` or `an`."""
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def plural(kind: str) -> str:
    """More than one of a kind, as a task text says it."""
    if kind.endswith("f"):
        return f"{kind[:-1]}ves"
    if kind == "potato":
        return f"{kind}es"
    return f"{kind}es" if kind.endswith(("ch", "x", "s")) else f"{kind}s"
