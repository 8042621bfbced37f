"""What the tools read and change in the books; a change that cannot be is refused with a reason.

Changes give new books and leave the old ones as they are.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

from tasks.environments.orderdesk.shop import Books, find_item, price_of

REASONS = ("no longer needed", "ordered by mistake")
Changed = tuple[Books, str]
"""Books and an empty text, or the old books and why the change is refused."""


def find_customer(books: Books, email: str) -> dict[str, Any] | str:
    """Id and name of the customer with an email address."""
    for customer_id, customer in books["customers"].items():
        if customer["email"] == email.strip().lower():
            return {"customer_id": customer_id, "name": customer["name"]}
    return f"no customer has the email {email!r}"


def get_customer(books: Books, customer_id: str) -> dict[str, Any] | str:
    """Account of a customer."""
    found = books["customers"].get(customer_id)
    return {"customer_id": customer_id, **found} if found else f"no customer {customer_id!r}"


def get_order(books: Books, order_id: str) -> dict[str, Any] | str:
    """An order."""
    found = books["orders"].get(order_id)
    return {"order_id": order_id, **found} if found else f"no order {order_id!r}"


def get_product(books: Books, product_id: str) -> dict[str, Any] | str:
    """Versions of a product."""
    found = books["products"].get(product_id)
    return {"product_id": product_id, **found} if found else f"no product {product_id!r}"


def cancel_order(books: Books, order_id: str, reason: str) -> Changed:
    """Cancel a pending order."""
    refusal = _wrong_status(books, order_id, "pending")
    if refusal:
        return books, refusal
    return _with(books, order_id, status="cancelled", reason=reason)


def return_items(books: Books, order_id: str, item_ids: Sequence[str], payment_id: str) -> Changed:
    """Take items of a delivered order back."""
    refusal = (
        _wrong_status(books, order_id, "delivered")
        or _strange_item(books, order_id, item_ids)
        or _strange_payment(books, order_id, payment_id)
    )
    if refusal:
        return books, refusal
    told = {"returned": sorted(item_ids), "refund_to": payment_id}
    return _with(books, order_id, status="return requested", **told)


def exchange_items(
    books: Books,
    order_id: str,
    item_ids: Sequence[str],
    new_item_ids: Sequence[str],
    payment_id: str,
) -> Changed:
    """Exchange items of a delivered order for other versions of the same products."""
    if len(item_ids) != len(new_item_ids):
        return books, "item_ids and new_item_ids must have the same number of items"
    pairs = list(zip(item_ids, new_item_ids, strict=True))
    refusal = (
        _wrong_status(books, order_id, "delivered")
        or _strange_item(books, order_id, item_ids)
        or _strange_version(books, order_id, pairs)
        or _strange_payment(books, order_id, payment_id)
        or _uncovered(books, order_id, payment_id, _difference(books, pairs))
    )
    if refusal:
        return books, refusal
    told = {"exchanged": sorted(map(list, pairs)), "paid_with": payment_id}
    return _with(books, order_id, status="exchange requested", **told)


def change_payment(books: Books, order_id: str, payment_id: str) -> Changed:
    """Pay a pending order with another method of the customer."""
    refusal = _wrong_status(books, order_id, "pending") or _strange_payment(
        books, order_id, payment_id
    )
    if not refusal:
        total = sum(item["price"] for item in books["orders"][order_id]["items"])
        refusal = _uncovered(books, order_id, payment_id, total)
    return (books, refusal) if refusal else _with(books, order_id, payment_id=payment_id)


READS: dict[str, Callable[..., dict[str, Any] | str]] = {
    "find_customer": find_customer,
    "get_customer": get_customer,
    "get_order": get_order,
    "get_product": get_product,
}
WRITES: dict[str, Callable[..., Changed]] = {
    "cancel_order": cancel_order,
    "return_items": return_items,
    "exchange_items": exchange_items,
    "change_payment": change_payment,
}


def _with(books: Books, order_id: str, **values: Any) -> Changed:
    changed = copy.copy(books)
    changed["orders"] = books["orders"] | {order_id: books["orders"][order_id] | values}
    return changed, ""


def _wrong_status(books: Books, order_id: str, wanted: str) -> str:
    order = books["orders"].get(order_id)
    if order is None:
        return f"no order {order_id!r}"
    status = order["status"]
    return "" if status == wanted else f"the order must be {wanted}, and its status is {status}"


def _strange_item(books: Books, order_id: str, item_ids: Sequence[str]) -> str:
    order = books["orders"][order_id]
    strange = [item_id for item_id in item_ids if find_item(order, item_id) is None]
    if len(set(item_ids)) < len(item_ids) or not item_ids:
        return "each item can be named once, and one must be"
    return f"the order has no item {strange[0]!r}" if strange else ""


def _strange_version(books: Books, order_id: str, pairs: Sequence[tuple[str, str]]) -> str:
    order = books["orders"][order_id]
    for old, new in pairs:
        item = find_item(order, old) or {}
        versions = books["products"][item["product_id"]]["versions"]
        if new not in versions or new == old:
            return f"item {new!r} is no other version of the {item['name']}"
    return ""


def _strange_payment(books: Books, order_id: str, payment_id: str) -> str:
    customer = books["customers"][books["orders"][order_id]["customer_id"]]
    is_own = payment_id in customer["payment_methods"]
    return "" if is_own else f"the customer has no payment method {payment_id!r}"


def _difference(books: Books, pairs: Sequence[tuple[str, str]]) -> int:
    return sum((price_of(books, new) or 0) - (price_of(books, old) or 0) for old, new in pairs)


def _uncovered(books: Books, order_id: str, payment_id: str, amount: int) -> str:
    customer = books["customers"][books["orders"][order_id]["customer_id"]]
    balance = customer["payment_methods"][payment_id].get("balance")
    if balance is None or balance >= amount:
        return ""
    return f"the balance of {payment_id!r} does not cover the difference of {amount} dollars"
