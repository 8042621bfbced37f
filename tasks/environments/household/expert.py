"""Solves every task by an honest search; plans from the present state of the world.

It uses what the agent has been told, and knows where things of a kind are likely to lie.
"""

from tasks.environments.household.checker import is_treated
from tasks.environments.household.problems import LAMP, likely_places
from tasks.environments.household.things import APPLIANCES, kind_of
from tasks.environments.household.world import HouseholdWorld


def next_command(world: HouseholdWorld) -> str:
    """Find what is wanted, treat it, bring it there."""
    problem, state = world.problem, world.state
    if state.hand and kind_of(state.hand) != problem.goal.item:
        return _put_back(world)
    if not state.hand:
        return _fetch(world)
    if not problem.goal.place:
        return light(world)
    if is_untreated(world):
        return use_appliance(world, appliance_of(world))
    return bring(world, target_of(world))


def bring(world: HouseholdWorld, place: str) -> str:
    """Next step on the way of the held item into a place."""
    move = f"move {world.state.hand} to {place}"
    return _reach(world, place) or _open(world, place) or move


def use_appliance(world: HouseholdWorld, place: str) -> str:
    """Next step on the way to the wanted treatment in a place."""
    treat = f"{world.problem.goal.treatment} {world.state.hand} with {place}"
    return _reach(world, place) or treat


def light(world: HouseholdWorld) -> str:
    """Next step on the way into the light of the lamp."""
    return _reach(world, world.problem.lamp_place) or f"use {LAMP}"


def is_untreated(world: HouseholdWorld) -> bool:
    """Whether the held item still lacks the treatment that is wanted."""
    return bool(world.state.hand) and not is_treated(world.state.hand, world.problem, world.state)


def appliance_of(world: HouseholdWorld) -> str:
    """Place in which the wanted treatment is done."""
    kind = APPLIANCES[world.problem.goal.treatment]
    return next(place for place in world.problem.places if kind_of(place) == kind)


def target_of(world: HouseholdWorld) -> str:
    """Place the items are brought to: the first of its kind."""
    kind = world.problem.goal.place
    return next(place for place in world.problem.places if kind_of(place) == kind)


def missing_items(world: HouseholdWorld) -> list[str]:
    """Items of the wanted kind that do not lie where and as they should."""
    goal, state = world.problem.goal, world.state
    return [
        item
        for item, place in state.where.items()
        if kind_of(item) == goal.item
        and not (kind_of(place) == goal.place and is_treated(item, world.problem, state))
    ]


def _fetch(world: HouseholdWorld) -> str:
    where, known = world.state.where, world.state.known
    seen = [item for item in missing_items(world) if where[item] in known]
    if seen:
        item = min(seen, key=lambda item: (where[item] != world.state.at, item))
        place = where[item]
        return _reach(world, place) or _open(world, place) or f"take {item} from {place}"
    places = likely_places(world.problem.goal, world.problem.places)
    place = next(place for place in places if place not in known)
    return _reach(world, place) or _open(world, place) or f"examine {place}"


def _put_back(world: HouseholdWorld) -> str:
    at = world.state.at
    return _open(world, at) or f"move {world.state.hand} to {at}"


def _reach(world: HouseholdWorld, place: str) -> str | None:
    return f"go to {place}" if world.state.at != place else None


def _open(world: HouseholdWorld, place: str) -> str | None:
    return None if world.is_reachable(place) else f"open {place}"
