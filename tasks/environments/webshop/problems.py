"""Draws problems of six families: a catalogue of look-alikes, and what is wanted of it."""

import random
from dataclasses import dataclass

from schemas.fields import Split
from tasks.agent.protocols import Task
from tasks.environments.embedded.splits import generator
from tasks.environments.webshop.catalogue import Product
from tasks.environments.webshop.goods import BRANDS, KINDS, SERIES, Kind

NAME = "webshop"
GENERATOR_VERSION = 1
FAMILIES: tuple[str, ...] = (
    "named_item",
    "price_limit",
    "with_options",
    "look_alikes",
    "feature_and_price",
    "options_and_price",
)
_PRICED = frozenset({"price_limit", "feature_and_price", "options_and_price"})
_FEATURED = frozenset({"look_alikes", "feature_and_price"})
_OPTIONED = frozenset({"with_options", "options_and_price"})
_CLUTTER = (4, 7)


@dataclass(frozen=True)
class Goal:
    """What is wanted.

    Attributes:
        query: words of the titles to be found.
        feature: what the page must say; empty when anything may.
        limit: dollars it must cost less than; 0 without a limit.
        options: what is to be chosen, by name.
    """

    query: str
    feature: str = ""
    limit: int = 0
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Problem:
    """A task with its catalogue.

    Attributes:
        target: number of the only item that is right.
        twin: number of one that is right but for one thing.
    """

    task: Task
    goal: Goal
    catalogue: tuple[Product, ...]
    target: int
    twin: int

    def product(self, number: int) -> Product:
        """An item of the catalogue."""
        return next(one for one in self.catalogue if one.number == number)


def fits(goal: Goal, product: Product) -> bool:
    """Whether feature and price of a found product are as wanted."""
    is_cheap = not goal.limit or product.price < goal.limit
    return is_cheap and (not goal.feature or goal.feature in product.features)


def draw_problem(split: Split, family: str, number: int) -> Problem:
    """Draw one problem."""
    rng = generator(NAME, GENERATOR_VERSION, split, family, number)
    kind = rng.choice(KINDS)
    feature = rng.choice(kind.features) if family in _FEATURED else ""
    limit = kind.price - rng.randint(0, 3) if family in _PRICED else 0
    likes = _draw_likes(family, kind, feature, limit, rng)
    target, twin = likes[-1], likes[-2]
    rng.shuffle(likes)
    likes = _ordered(family, likes, target, rng)
    brand = target.title.split()[0]
    query = f"{brand} {kind.name}" if family in ("named_item", "with_options") else kind.name
    chosen = tuple((name, rng.choice(values)) for name, values in target.options)
    goal = Goal(query, feature, limit, chosen)
    catalogue = [*likes, *_clutter(kind, rng)]
    task = Task(f"{NAME}/{family}/{number:04d}", NAME, family, split, _word(family, goal, rng))
    return Problem(task, goal, tuple(catalogue), target.number, twin.number)


def _draw_likes(
    family: str, kind: Kind, feature: str, limit: int, rng: random.Random
) -> list[Product]:
    """Products of one kind: some that are wrong, then the twin, then the one that is right."""
    numbers = rng.sample(range(10_000, 100_000), 5)
    brands = rng.sample(BRANDS, 5)
    options = kind.options if family in _OPTIONED else ()

    def make(place: int, *, is_cheap: bool, has_feature: bool) -> Product:
        price = kind.price + rng.randint(-12, -5) if is_cheap else kind.price + rng.randint(1, 15)
        others = rng.sample([one for one in kind.features if one != feature], 2)
        features = [others[0], feature] if has_feature and feature else others
        rng.shuffle(features)
        title = f"{brands[place]} {rng.choice(SERIES)} {kind.name}"
        return Product(numbers[place], title, price, tuple(features), options)

    is_priced, is_featured = limit > 0, bool(feature)
    wrong = [
        make(place, is_cheap=is_featured or not is_priced, has_feature=not is_featured)
        for place in range(3)
    ]
    twin = make(3, is_cheap=not is_priced, has_feature=is_priced)
    return [*wrong, twin, make(4, is_cheap=True, has_feature=True)]


def _ordered(
    family: str, likes: list[Product], target: Product, rng: random.Random
) -> list[Product]:
    """Where features decide, the right one stands behind others; it has to be looked for."""
    if family not in _FEATURED:
        return likes
    others = [one for one in likes if one is not target]
    place = rng.choice((2, 3, 3)) if family == "look_alikes" else rng.choice((1, 2))
    return [*others[:place], target, *others[place:]]


def _clutter(kind: Kind, rng: random.Random) -> list[Product]:
    others = [one for one in KINDS if one is not kind]
    return [
        Product(
            number=100_000 + place,
            title=f"{rng.choice(BRANDS)} {rng.choice(SERIES)} {other.name}",
            price=other.price + rng.randint(-10, 15),
            features=tuple(rng.sample(other.features, 2)),
            options=other.options,
        )
        for place, other in enumerate(rng.sample(others, rng.randint(*_CLUTTER)))
    ]


_TEXTS: dict[str, tuple[str, ...]] = {
    "named_item": ("Buy the {query}.", "Order one {query}, please.", "I need the {query}."),
    "price_limit": (
        "Buy a {query} that costs less than {limit} dollars.",
        "Find me a {query} for under {limit} dollars and buy it.",
    ),
    "with_options": (
        "Buy the {query} in {options}.",
        "I would like the {query}, namely in {options}.",
    ),
    "look_alikes": (
        "Buy a {query} whose page says that it is {feature}.",
        "Get me a {query}; its page has to say {feature}.",
    ),
    "feature_and_price": (
        "Buy a {feature} {query} at a price below {limit} dollars.",
        "A {feature} {query} is wanted, at a price below {limit} dollars.",
    ),
    "options_and_price": (
        "Choose a {query} in {options}; it may cost up to {most} dollars.",
        "Buy a {query} for up to {most} dollars, in {options}.",
    ),
}


def _word(family: str, goal: Goal, rng: random.Random) -> str:
    return rng.choice(_TEXTS[family]).format(
        query=goal.query,
        limit=goal.limit,
        most=goal.limit - 1,
        feature=goal.feature,
        options=" and ".join(f"{name} {value}" for name, value in goal.options),
    )
