"""Solves every task by an honest look; plans from the present state of the world.

It opens only what the list of results does not rule out, and goes by what pages say.
"""

from tasks.agent.protocols import Call
from tasks.environments.webshop.catalogue import Product
from tasks.environments.webshop.problems import fits
from tasks.environments.webshop.world import (
    BACK,
    BUY,
    CLICK_TOOL,
    ELEMENT,
    NEXT,
    QUERY,
    SEARCH_TOOL,
    START,
    ShopWorld,
)


def next_call(world: ShopWorld) -> Call:
    """Search by title, open candidates, choose options, buy."""
    goal, state, product = world.problem.goal, world.state, world.product
    if product is not None:
        if product not in _all_right(world):
            return click(BACK)
        due = due_option(world)
        return click(due or BUY)
    if not state.query:
        return Call(SEARCH_TOOL, {QUERY: goal.query})
    candidates = [one for one in world.on_page() if _may_fit(world, one)]
    if candidates:
        return click(f"open {candidates[0].name}")
    return click(NEXT if NEXT in world.admissible() else START)


def click(element: str) -> Call:
    """Click something."""
    return Call(CLICK_TOOL, {ELEMENT: element})


def due_option(world: ShopWorld) -> str:
    """The next option to be chosen, as it is clicked; empty when all are chosen as wanted."""
    chosen, wanted = world.state.chosen, world.problem.goal.options
    due = [(name, value) for name, value in wanted if chosen.get(name) != value]
    return f"choose {due[0][0]} {due[0][1]}" if due else ""


def _all_right(world: ShopWorld) -> list[Product]:
    goal = world.problem.goal
    return [one for one in world.results() if fits(goal, one)]


def _may_fit(world: ShopWorld, product: Product) -> bool:
    """Whether the list does not rule a product out; what was opened is known by its page."""
    goal = world.problem.goal
    if product.number in world.state.seen:
        return fits(goal, product)
    return not goal.limit or product.price < goal.limit
