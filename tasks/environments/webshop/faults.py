"""The fault side of the web shop: where faults can strike, and what they make of a call."""

import re

from tasks.agent.protocols import Call
from tasks.agent.simulated_prose import write_as_text
from tasks.agent.simulated_world import Slip, View
from tasks.environments.embedded.faults import (
    FaultTable,
    Opportunity,
    Spoil,
    always,
    call_slip,
    table_of,
)
from tasks.environments.webshop.expert import due_option
from tasks.environments.webshop.fault_kinds import KINDS
from tasks.environments.webshop.webshop_cues import CUES
from tasks.environments.webshop.world import (
    BACK,
    BUY,
    CLICK_TOOL,
    ELEMENT,
    QUERY,
    SEARCH_TOOL,
    ShopWorld,
    as_shop,
)

_WORD = re.compile(r"[a-z]{4,}")
_OTHER_VERBS = {
    "open": ("view", "select", "show"),
    "choose": ("pick", "select", "set"),
    "buy": ("purchase", "order", "checkout"),
}
"""Verbs that look right and are not."""


def skill_fit(name: str, description: str, view: View, world: ShopWorld) -> float:
    """Count the words a skill shares with the task and with what is to be done."""
    offered = set(_WORD.findall(f"{name} {description}".lower().replace("_", " ")))
    goal = world.problem.goal
    due = (
        {"option", "options", "choose", "colour", "size", "length"} if goal.options else set[str]()
    )
    task = set(_WORD.findall(view.task.text.lower())) - set(_WORD.findall(goal.query.lower()))
    return len(offered & due) + (0.3 * len(offered & task) if due else 0.0)


def _element(view: View) -> str:
    return str(view.expert.arguments.get(ELEMENT, ""))


def _after_other(view: View, world: ShopWorld) -> float | None:  # noqa: ARG001
    return 1.0 if view.last is not None and view.last != view.expert else None


def _known(world: ShopWorld) -> list[str]:
    """Commands that open items of the page that were opened before."""
    listed = [f"open {one.name}" for one in world.on_page() if one.number in world.state.seen]
    return listed[:1]


def _at_new_item(view: View, world: ShopWorld) -> float | None:
    if _element(view) == BACK:
        return 0.0
    return 1.0 if _element(view).startswith("open ") and _known(world) else None


def _at_search(view: View, world: ShopWorld) -> float | None:
    goal = world.problem.goal
    is_loadable = bool(goal.limit or goal.feature or goal.options)
    return 1.0 if view.expert.tool == SEARCH_TOOL and is_loadable else None


def _at_option(view: View, world: ShopWorld) -> float | None:  # noqa: ARG001
    return 1.0 if _element(view).startswith("choose ") else None


def _at_wrong_item(view: View, world: ShopWorld) -> float | None:  # noqa: ARG001
    return 1.0 if _element(view) == BACK else None


def _at_choice(view: View, world: ShopWorld) -> float | None:
    """The first click towards an item; while the twin's page is open there is a way to go on."""
    if world.state.item == world.problem.twin:
        return 0.0
    is_choice = _element(view) == f"open item {world.problem.target}"
    return 1.0 if is_choice and _twin_here(world) else None


def _twin_here(world: ShopWorld) -> str:
    """The command that opens the twin, else any other item; empty when none is listed."""
    others = [one for one in world.on_page() if one.number != world.problem.target]
    twins = [one for one in others if one.number == world.problem.twin]
    return f"open {(twins or others)[0].name}" if others else ""


def _at_click(view: View, world: ShopWorld) -> float | None:  # noqa: ARG001
    return 1.0 if _element(view).split(" ")[0] in _OTHER_VERBS else None


_OPPORTUNITIES: dict[str, Opportunity[ShopWorld]] = {
    "repetition": _after_other,
    "search_loop": _at_new_item,
    "loaded_search": _at_search,
    "skipped_option": _at_option,
    "early_purchase": _at_wrong_item,
    "wrong_choice": _at_choice,
    "misnamed_element": _at_click,
    "prose_call": always,
}


def _click(element: str) -> Slip:
    return call_slip(CLICK_TOOL, {ELEMENT: element})


def _repeat(view: View, world: ShopWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    last = view.last or view.expert
    return call_slip(last.tool, last.arguments)


def _go_back(view: View, world: ShopWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    known = _known(world)
    return _click(known[0] if known and _element(view) != BACK else _element(view))


def _load_search(view: View, world: ShopWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    goal = world.problem.goal
    query = goal.query
    if goal.feature:
        query = f"{goal.feature} {query}"
    if goal.options and roll < 0.5:
        query = " ".join([*(value for _, value in goal.options), query])
    if goal.limit and (roll < 0.7 or query == goal.query):
        query = f"{query} {('under', 'less than', 'below')[int(roll * 3)]} {goal.limit} dollars"
    return call_slip(SEARCH_TOOL, {QUERY: query if query != goal.query else f"{query} best offer"})


def _buy(view: View, world: ShopWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _click(BUY)


def _take_twin(view: View, world: ShopWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    if world.state.item:
        return _click(due_option(world) or BUY)
    return _click(_twin_here(world) or _element(view))


def _misname(view: View, world: ShopWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    verb, _, rest = _element(view).partition(" ")
    others = _OTHER_VERBS[verb]
    asked = [other for other in others if other == detail]
    return _click(f"{asked[0] if asked else others[int(roll * len(others))]} {rest}")


def _bracketed(call: Call) -> str:
    return f"{call.tool}[{next(iter(call.arguments.values()))}]"


def _announced(call: Call) -> str:
    return f"Action: {_bracketed(call)}"


def _in_prose(view: View, world: ShopWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return Slip(text=write_as_text(view.expert, roll, _bracketed, _bracketed, _announced))


_SPOILS: dict[str, Spoil[ShopWorld]] = {
    "repetition": _repeat,
    "search_loop": _go_back,
    "loaded_search": _load_search,
    "skipped_option": _buy,
    "early_purchase": _buy,
    "wrong_choice": _take_twin,
    "misnamed_element": _misname,
    "prose_call": _in_prose,
}
SIMULATION = FaultTable(table_of(KINDS, _OPPORTUNITIES, _SPOILS), CUES, as_shop, skill_fit)
