"""A problem under other names: other items of the same homes, and other numbers.

Items go by names that no task of any split uses. Their homes, uses and look-alikes stay, so the
same steps solve it; numbers of places of a kind and of items are dealt anew.
"""

import random
import re
from dataclasses import replace

from tasks.environments.household.problems import NAME, Problem
from tasks.environments.household.things import SKINS, kind_of, plural, with_article


def reskin_problem(problem: Problem, skin: int) -> Problem:
    """The same problem under the names of a skin; an item's name is never kept."""
    rng = random.Random(f"{NAME}/skin/{skin}/{problem.task.task_id}")
    places = _dealt(problem.places, rng)
    items = tuple((item, places[place]) for item, place in problem.items)
    renumbered = _dealt(tuple(item for item, _ in items), rng)
    goal = replace(problem.goal, item=SKINS[problem.goal.item])
    return replace(
        problem,
        task=replace(problem.task, text=_reword(problem), skin=skin),
        goal=goal,
        items=tuple((_renamed(renumbered[item]), place) for item, place in items),
        lamp_place=places.get(problem.lamp_place, ""),
    )


def _dealt(things: tuple[str, ...], rng: random.Random) -> dict[str, str]:
    """Each thing with another of its kind, or itself where it is the only one."""
    dealt: dict[str, str] = {}
    for kind in dict.fromkeys(map(kind_of, things)):
        members = [thing for thing in things if kind_of(thing) == kind]
        start = rng.randrange(1, len(members)) if len(members) > 1 else 0
        dealt.update(zip(members, members[start:] + members[:start], strict=True))
    return dealt


def _renamed(item: str) -> str:
    kind, number = item.rsplit(" ", 1)
    return f"{SKINS[kind]} {number}"


def _reword(problem: Problem) -> str:
    """The text with the item's name replaced; only the item and its article change."""
    old, new = problem.goal.item, SKINS[problem.goal.item]
    text = re.sub(rf"\b{re.escape(plural(old))}\b", plural(new), problem.task.text)
    text = re.sub(rf"\ban? {re.escape(old)}\b", with_article(new), text)
    return re.sub(rf"\b{re.escape(old)}\b", new, text)
