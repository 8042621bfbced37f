"""Draws problems of six families: the books, what the customer wants, what is right."""

from dataclasses import dataclass
from typing import Literal

from schemas.fields import Split
from schemas.ids import canonical_json
from tasks.agent.protocols import Call, Task
from tasks.environments.embedded.splits import generator
from tasks.environments.orderdesk.desk import WRITES
from tasks.environments.orderdesk.families import FAMILIES, Wish
from tasks.environments.orderdesk.shop import Books

NAME = "orderdesk"
GENERATOR_VERSION = 1


@dataclass(frozen=True)
class Problem:
    """A task with everything its world, customer, checker and expert need.

    Attributes:
        books: the books at the beginning.
        gold: canonical JSON of the books as they should be at the end.
        call: the change that makes them so; null when nothing is to be changed.
        guess: the same change by somebody who has not looked at the versions.
        wrong: a change that looks right and is not.
        answer: what the customer wants to know; empty when nothing.
        orders: orders to be read, in the order in which they are looked through.
        product_id: product to be looked at; empty when none.
    """

    task: Task
    wish: Wish
    books: Books
    kind: Literal["answer", "change", "refuse"]
    gold: str
    call: Call | None
    guess: Call | None
    wrong: Call | None
    answer: str
    orders: tuple[str, ...]
    product_id: str
    needs_account: bool

    @property
    def order_id(self) -> str:
        """The order it is about."""
        return self.orders[-1]

    @property
    def customer_id(self) -> str:
        """The customer it is about."""
        return next(iter(self.books["customers"]))


def draw_problem(split: Split, family: str, number: int) -> Problem:
    """Draw one problem."""
    rng = generator(NAME, GENERATOR_VERSION, split, family, number)
    draft = FAMILIES[family](rng)
    task = Task(f"{NAME}/{family}/{number:04d}", NAME, family, split, draft.text)
    return Problem(
        task=task,
        wish=draft.wish,
        books=draft.shop.books,
        kind=draft.kind,
        gold=gold_books(draft.shop.books, draft.call),
        call=draft.call,
        guess=draft.guess,
        wrong=draft.wrong,
        answer=draft.answer,
        orders=draft.orders,
        product_id=draft.product_id,
        needs_account=draft.needs_account,
    )


def gold_books(books: Books, call: Call | None) -> str:
    """The books after the right change, as canonical JSON.

    Raises:
        AssertionError: the desk refuses it, which is a fault of the family.
    """
    if call is None:
        return canonical_json(books)
    changed, refusal = WRITES[call.tool](books, **call.arguments)
    assert not refusal, refusal
    return canonical_json(changed)
