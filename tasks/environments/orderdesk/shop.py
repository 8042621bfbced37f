"""The books of the shop for one task: a customer with payment methods, orders, products."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product as combinations
from typing import Any

from tasks.environments.orderdesk.goods import FIRST_NAMES, LAST_NAMES, PRODUCTS, Product

Book = dict[str, dict[str, Any]]
"""Records of one kind by their id."""
Books = dict[str, Book]
"""`customers`, `orders` and `products`: plain JSON values, so that they are the state as it is."""
MOST_VERSIONS = 5
RETURN_DAYS = 30
"""Days after delivery within which the policy takes items back."""


@dataclass(frozen=True)
class Shop:
    """Drawn books, with what the families need to know of them."""

    books: Books
    customer_id: str

    @property
    def customer(self) -> dict[str, Any]:
        """The customer of the task."""
        return self.books["customers"][self.customer_id]

    def payment(self, kind: str) -> str:
        """Id of the customer's credit card or gift card."""
        return next(one for one in self.customer["payment_methods"] if one.startswith(kind))

    def order(self, order_id: str) -> dict[str, Any]:
        """An order."""
        return self.books["orders"][order_id]

    def versions(self, product_id: str) -> dict[str, Any]:
        """Versions of a product by item id."""
        return self.books["products"][product_id]["versions"]


class Numbers:
    """Numbers that are given only once."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._given: set[int] = set()

    def draw(self, digits: int) -> int:
        """A number of some digits that nothing else has."""
        while (number := self._rng.randrange(10 ** (digits - 1), 10**digits)) in self._given:
            pass
        self._given.add(number)
        return number


def draw_shop(rng: random.Random, statuses: Iterable[str], days: int = 0) -> Shop:
    """Draw a customer with an order of each status; no product is ordered twice.

    `days` is how long ago orders were delivered; drawn within the time of returns when 0.
    """
    numbers = Numbers(rng)
    pool = rng.sample(PRODUCTS, len(PRODUCTS))
    books: Books = {"customers": {}, "orders": {}, "products": {}}
    customer_id = f"C{numbers.draw(5)}"
    name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
    gift, card = f"gift_card_{numbers.draw(6)}", f"credit_card_{numbers.draw(6)}"
    for status in statuses:
        items = [_item(books, pool.pop(), numbers, rng) for _ in range(rng.choice((2, 2, 3)))]
        order_id = f"#W{numbers.draw(7)}"
        books["orders"][order_id] = {
            "customer_id": customer_id,
            "status": status,
            "items": items,
            "payment_id": card,
            "tracking": f"TR{numbers.draw(8)}",
        }
        if status == "delivered":
            ago = days or rng.randint(2, RETURN_DAYS - 2)
            books["orders"][order_id]["delivered_days_ago"] = ago
    books["customers"][customer_id] = {
        "name": name,
        "email": f"{name.lower().replace(' ', '.')}{numbers.draw(3)}@mail.example",
        "payment_methods": {gift: {"balance": rng.randint(1, 3)}, card: {}},
        "orders": list(books["orders"]),
    }
    return Shop(books, customer_id)


def _item(books: Books, product: Product, numbers: Numbers, rng: random.Random) -> dict[str, Any]:
    """An item of an order; the product comes into the books with its versions."""
    product_id = f"P{numbers.draw(5)}"
    versions: Book = {}
    for options in _versions(product, rng):
        price = product.price + 4 * len(versions) + rng.randint(0, 3)
        versions[str(numbers.draw(8))] = {"options": options, "price": price}
    books["products"][product_id] = {"name": product.name, "versions": versions}
    item_id = next(iter(versions))
    return {"item_id": item_id, "product_id": product_id, "name": product.name, **versions[item_id]}


def _versions(product: Product, rng: random.Random) -> Iterator[dict[str, str]]:
    """Some combinations of the options, each once; the cheapest first."""
    names = list(product.options)
    every = list(combinations(*product.options.values()))
    for values in rng.sample(every, min(MOST_VERSIONS, len(every))):
        yield dict(zip(names, values, strict=True))


def find_item(order: dict[str, Any], item_id: str) -> dict[str, Any] | None:
    """An item of an order; null when the order does not have it."""
    return next((item for item in order["items"] if item["item_id"] == item_id), None)


def price_of(shop_books: Books, item_id: str) -> int | None:
    """Price of a version of any product; null when there is none."""
    for product in shop_books["products"].values():
        if item_id in product["versions"]:
            return product["versions"][item_id]["price"]
    return None
