"""One running episode of the web shop: a page, what is chosen on it, what can be clicked."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from schemas.errors import EnvironmentFault
from schemas.ids import canonical_json
from tasks.agent.protocols import ActResult, Call, Verdict
from tasks.environments.embedded.narrowing import narrow_to
from tasks.environments.webshop.catalogue import Product, find
from tasks.environments.webshop.checker import judge
from tasks.environments.webshop.problems import NAME, Problem

SEARCH_TOOL, CLICK_TOOL = "search", "click"
QUERY, ELEMENT = "query", "element"
NOTHING_FOUND = "No products were found"
NO_ELEMENT = "There is nothing like that to click on this page."
BUY, BACK, START, NEXT = "buy now", "back to results", "back to search", "next page"
PER_PAGE = 4
MAX_TEXT = 300


@dataclass
class State:
    """Everything that changes.

    Attributes:
        query: what was searched last; empty on the search page.
        page: page of the results, from 0.
        item: number of the item whose page is open; 0 when none is.
        chosen: options chosen on that page.
        seen: numbers of items whose pages were opened.
        bought: number of the item that was bought; 0 while none is.
    """

    query: str = ""
    page: int = 0
    item: int = 0
    chosen: dict[str, str] = field(default_factory=dict[str, str])
    seen: list[int] = field(default_factory=list[int])
    bought: int = 0


class ShopWorld:
    """Holds the state of one episode."""

    opening = "You are on the search page of the shop."

    def __init__(self, problem: Problem, check: Callable[[Call], ActResult | None]) -> None:
        self.problem = problem
        self.state = State()
        self._check = check

    def act(self, call: Call) -> ActResult:
        """Execute a call; what is not on the page changes nothing."""
        if self.state.bought:
            return ActResult("The purchase is made.", True, "finished", True)
        refusal = self._check(call)
        if refusal is not None:
            return refusal
        if call.tool == SEARCH_TOOL:
            return self._search(call.arguments[QUERY])
        element = " ".join(call.arguments[ELEMENT].lower().split())
        if element not in self.admissible():
            return ActResult(NO_ELEMENT, True, "inadmissible")
        return self._click(element)

    def results(self) -> list[Product]:
        """What the last search has found."""
        return find(self.problem.catalogue, self.state.query)

    def on_page(self) -> list[Product]:
        """Items on the present page of the results."""
        first = self.state.page * PER_PAGE
        return self.results()[first : first + PER_PAGE]

    @property
    def product(self) -> Product | None:
        """The item whose page is open."""
        return self.problem.product(self.state.item) if self.state.item else None

    def admissible(self) -> tuple[str, ...]:
        """What can be clicked; nothing on the search page."""
        return tuple(self._elements())

    def _elements(self) -> Iterator[str]:
        product = self.product
        if product is not None:
            for name, values in product.options:
                yield from (f"choose {name} {value}" for value in values)
            yield from (BUY, BACK, START)
        elif self.state.query:
            yield from (f"open {one.name}" for one in self.on_page())
            if len(self.results()) > (self.state.page + 1) * PER_PAGE:
                yield NEXT
            yield START

    def _search(self, query: str) -> ActResult:
        if self.state.query:
            return ActResult("There is no search field on this page.", True, "no_field")
        if not find(self.problem.catalogue, query):
            return ActResult(f"{NOTHING_FOUND} for: {_clean(query)}", True, "nothing_found")
        self.state.query = _clean(query)
        return ActResult(self._tell_results())

    def _tell_results(self) -> str:
        lines = [f"Results, page {self.state.page + 1}:"]
        lines += [f"[open {one.name}] {one.title}, ${one.price}" for one in self.on_page()]
        further = [f"[{one}]" for one in self.admissible() if not one.startswith("open ")]
        return "\n".join([*lines, " ".join(further)])

    def _click(self, element: str) -> ActResult:
        verb, _, rest = element.partition(" ")
        state, product = self.state, self.product
        if element == BUY and product is not None:
            state.bought = product.number
            return ActResult("Thank you for your purchase.", done=True)
        if element == START:
            self.state = State(seen=state.seen)
            return ActResult(self.opening)
        if element == BACK:
            state.item, state.chosen = 0, {}
            return ActResult(self._tell_results())
        if element == NEXT:
            state.page += 1
            return ActResult(self._tell_results())
        if verb == "choose":
            name, _, value = rest.partition(" ")
            state.chosen = {**state.chosen, name: value}
        else:
            state.item = int(rest.removeprefix("item "))
            state.seen = sorted({*state.seen, state.item})
        return ActResult(self._tell_item())

    def _tell_item(self) -> str:
        product = self.product
        assert product is not None
        lines = [f"{product.title}, {product.name}, ${product.price}"]
        lines.append(f"Features: {', '.join(product.features)}")
        for name, values in product.options:
            offered = " ".join(f"[choose {name} {value}]" for value in values)
            lines.append(
                f"{name.capitalize()}: {offered} chosen: {self.state.chosen.get(name, '-')}"
            )
        return "\n".join([*lines, f"[{BUY}] [{BACK}] [{START}]"])

    def snapshot(self) -> bytes:
        """Task and state as canonical JSON."""
        return canonical_json([self.problem.task.task_id, vars(self.state)]).encode()

    def restore(self, state: bytes) -> None:
        """Return to a state of the same task."""
        task_id, loaded = json.loads(state)
        if task_id != self.problem.task.task_id:
            what = f"webshop: state of {task_id} given to {self.problem.task.task_id}"
            raise EnvironmentFault(what, hint="restore a state into a world of its own task")
        self.state = State(**loaded)

    def verdict(self) -> Verdict:
        """Judge the present state."""
        parts: dict[str, Any] = judge(self.problem, self.state)
        is_right = all(parts.values())
        return Verdict("success" if is_right else "failure", float(is_right), parts)


as_shop = narrow_to(NAME, ShopWorld)


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()[:MAX_TEXT]
