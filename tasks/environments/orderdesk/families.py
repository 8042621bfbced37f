"""Six families of problems: what the customer says and knows, and what is right to do."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tasks.agent.protocols import Call
from tasks.environments.orderdesk.desk import REASONS
from tasks.environments.orderdesk.shop import RETURN_DAYS, Shop, draw_shop


@dataclass(frozen=True)
class Wish:
    """What the customer tells when asked.

    Attributes:
        email: address the account is under.
        order: what the customer knows of the order.
        details: what is wanted, in full.
        reason: why.
        payment: with what to pay, or where a refund goes.
    """

    email: str
    order: str
    details: str
    reason: str
    payment: str


@dataclass(frozen=True)
class Draft:
    """What a family draws; the fields are those of `Problem`."""

    text: str
    shop: Shop
    wish: Wish
    kind: Literal["answer", "change", "refuse"]
    orders: tuple[str, ...]
    call: Call | None = None
    guess: Call | None = None
    wrong: Call | None = None
    answer: str = ""
    product_id: str = ""
    needs_account: bool = False


_WITH_CARD = "Use the credit card I paid with."
_NO_REASON = "I have my reasons."
_OTHERS = ("pending", "shipped", "delivered")


def _greet(shop: Shop, text: str) -> str:
    return f"Hello, this is {shop.customer['name']}. {text}"


def _known(order_id: str) -> str:
    return f"The order number is {order_id}."


def _wish(shop: Shop, order: str, details: str, **more: str) -> Wish:
    known = {"reason": _NO_REASON, "payment": _WITH_CARD} | more
    return Wish(shop.customer["email"], order, details, **known)


def _orders(rng: random.Random, *statuses: str) -> list[str]:
    """Statuses of a customer's orders: those needed, and one more, in any order."""
    mixed = [*statuses, rng.choice(_OTHERS)]
    rng.shuffle(mixed)
    return mixed


def _of_status(rng: random.Random, shop: Shop, status: str) -> str:
    fitting = [key for key, order in shop.books["orders"].items() if order["status"] == status]
    return rng.choice(fitting)


def _item_of(rng: random.Random, shop: Shop, order_id: str) -> dict[str, Any]:
    return rng.choice(shop.order(order_id)["items"])


def _other_version(rng: random.Random, shop: Shop, item: dict[str, Any]) -> str:
    """A version that costs more than the item."""
    versions = shop.versions(item["product_id"])
    return rng.choice([key for key in versions if versions[key]["price"] > item["price"] + 3])


def _track(rng: random.Random) -> Draft:
    shop = draw_shop(rng, _orders(rng, "shipped", "shipped"))
    order_id = _of_status(rng, shop, "shipped")
    ask = rng.choice(
        (
            "I would like to track a parcel. What is its tracking number?",
            "Could you give me the tracking number of my parcel?",
            "My parcel has not come yet; I need its tracking number.",
        )
    )
    others = [one["tracking"] for key, one in shop.books["orders"].items() if key != order_id]
    return Draft(
        text=_greet(shop, ask),
        shop=shop,
        wish=_wish(shop, _known(order_id), "I want the tracking number of that order."),
        kind="answer",
        orders=(order_id,),
        wrong=Call("respond", {"message": f"The tracking number is {rng.choice(others)}."}),
        answer=shop.order(order_id)["tracking"],
    )


def _exchange_listed(rng: random.Random) -> Draft:
    shop = draw_shop(rng, _orders(rng, "delivered", "pending"))
    order_id = _of_status(rng, shop, "delivered")
    items = rng.sample(shop.order(order_id)["items"], 2)
    old = [item["item_id"] for item in items]
    new = [_other_version(rng, shop, item) for item in items]
    pairs = ", and ".join(f"item {a} for item {b}" for a, b in zip(old, new, strict=True))
    ask = rng.choice(
        (
            "I want to swap two things I got for others; I have looked up the item numbers.",
            "Two items should be swapped, I can give you all their numbers.",
        )
    )
    paid = {"order_id": order_id, "payment_id": shop.payment("credit_card")}
    call = Call("exchange_items", {**paid, "item_ids": old, "new_item_ids": new})
    return Draft(
        text=_greet(shop, ask),
        shop=shop,
        wish=_wish(
            shop,
            _known(order_id),
            f"I want to exchange {pairs}.",
            payment="Take any payment method on my account that can pay for it.",
        ),
        kind="change",
        orders=(order_id,),
        call=call,
        wrong=_with_item(rng, shop, call),
        needs_account=True,
    )


def _with_item(rng: random.Random, shop: Shop, call: Call) -> Call:
    """The exchange with another version of its first item."""
    old, new = call.arguments["item_ids"], call.arguments["new_item_ids"]
    items = shop.order(call.arguments["order_id"])["items"]
    item = next(one for one in items if one["item_id"] == old[0])
    others = [key for key in shop.versions(item["product_id"]) if key not in (old[0], new[0])]
    return Call(call.tool, {**call.arguments, "new_item_ids": [rng.choice(others), *new[1:]]})


def _exchange_described(rng: random.Random) -> Draft:
    shop = draw_shop(rng, _orders(rng, "delivered", "pending"))
    order_id = _of_status(rng, shop, "delivered")
    item = _item_of(rng, shop, order_id)
    new = _other_version(rng, shop, item)
    options = shop.versions(item["product_id"])[new]["options"]
    told = " and ".join(f"{name} {value}" for name, value in options.items())
    ask = rng.choice(
        (
            f"The {item['name']} I got is not to my taste; I would rather have another version.",
            f"I would prefer another version of the {item['name']} that came.",
        )
    )
    paid = {"order_id": order_id, "payment_id": shop.payment("credit_card")}
    call = Call("exchange_items", {**paid, "item_ids": [item["item_id"]], "new_item_ids": [new]})
    return Draft(
        text=_greet(shop, ask),
        shop=shop,
        wish=_wish(shop, _known(order_id), f"I want the {item['name']} with {told}."),
        kind="change",
        orders=(order_id,),
        call=call,
        guess=_with_item(rng, shop, call),
        wrong=_with_item(rng, shop, call),
        product_id=item["product_id"],
    )


def _find(rng: random.Random) -> Draft:
    shop = draw_shop(rng, ["delivered"] * 4)
    listed = list(shop.books["orders"])
    place = rng.choice((1, 2, 2, 3))
    order_id = listed[place]
    item = _item_of(rng, shop, order_id)
    ask = rng.choice(
        (
            f"I want to give back the {item['name']}, but I have lost the order number.",
            f"The {item['name']} can go back; I have lost the number of the order.",
        )
    )
    given = {"order_id": order_id, "payment_id": shop.payment("credit_card")}
    others = [one["item_id"] for one in shop.order(order_id)["items"] if one is not item]
    return Draft(
        text=_greet(shop, ask),
        shop=shop,
        wish=_wish(
            shop,
            f"I have lost the order number; it is the one with the {item['name']}.",
            f"I want to return the {item['name']}.",
        ),
        kind="change",
        orders=tuple(listed[: place + 1]),
        call=Call("return_items", {**given, "item_ids": [item["item_id"]]}),
        wrong=Call("return_items", {**given, "item_ids": others[:1]}),
        needs_account=True,
    )


_WHY = {REASONS[0]: "I have no need for it any longer.", REASONS[1]: "It was a mistake of mine."}


def _cancel(rng: random.Random) -> Draft:
    shop = draw_shop(rng, _orders(rng, "pending", "pending"))
    order_id = _of_status(rng, shop, "pending")
    reason = rng.choice(REASONS)
    ask = rng.choice(("I want to cancel an order.", "One of my orders should be cancelled."))
    other = next(
        key
        for key, order in shop.books["orders"].items()
        if order["status"] == "pending" and key != order_id
    )
    return Draft(
        text=_greet(shop, ask),
        shop=shop,
        wish=_wish(shop, _known(order_id), "I want to cancel that order.", reason=_WHY[reason]),
        kind="change",
        orders=(order_id,),
        call=Call("cancel_order", {"order_id": order_id, "reason": reason}),
        wrong=Call("cancel_order", {"order_id": other, "reason": reason}),
    )


def _refuse(rng: random.Random) -> Draft:
    return _refuse_return(rng) if rng.random() < 0.5 else _refuse_cancelling(rng)


def _refuse_return(rng: random.Random) -> Draft:
    days = rng.randint(RETURN_DAYS + 5, RETURN_DAYS + 60)
    shop = draw_shop(rng, _orders(rng, "delivered"), days)
    order_id = _of_status(rng, shop, "delivered")
    item = _item_of(rng, shop, order_id)
    ask = rng.choice(
        (
            f"After some time I have changed my mind about the {item['name']}: take it back.",
            f"I have changed my mind about the {item['name']} and want my money.",
        )
    )
    given = {"order_id": order_id, "payment_id": shop.payment("credit_card")}
    return Draft(
        text=_greet(shop, ask),
        shop=shop,
        wish=_wish(shop, _known(order_id), f"I want to return the {item['name']}."),
        kind="refuse",
        orders=(order_id,),
        wrong=Call("return_items", {**given, "item_ids": [item["item_id"]]}),
    )


def _refuse_cancelling(rng: random.Random) -> Draft:
    shop = draw_shop(rng, _orders(rng, "shipped", "pending"))
    order_id = _of_status(rng, shop, "shipped")
    other = _of_status(rng, shop, "pending")
    ask = rng.choice(
        (
            "I have changed my mind about what I ordered and do not want it sent.",
            "I have changed my mind: do not send what I ordered.",
        )
    )
    return Draft(
        text=_greet(shop, ask),
        shop=shop,
        wish=_wish(shop, _known(order_id), "I want to cancel that order.", reason=_WHY[REASONS[0]]),
        kind="refuse",
        orders=(order_id,),
        wrong=Call("cancel_order", {"order_id": other, "reason": REASONS[0]}),
    )


FAMILIES: dict[str, Callable[[random.Random], Draft]] = {
    "track_order": _track,
    "exchange_listed": _exchange_listed,
    "exchange_described": _exchange_described,
    "find_order": _find,
    "cancel_order": _cancel,
    "refuse_change": _refuse,
}
