"""What a hand-written harness of the desk says and does, and what its tests know of the world."""

import json
import re

from tasks.agent.protocols import RawCall, Task

CONTRACT = """
## Exchanges

`item_ids` and `new_item_ids` must have the same number of items: a new item for each old one.
`payment_id` must name a payment method whose balance covers the difference.

## Cancelling

The `reason` of `cancel_order` is 'no longer needed' or 'ordered by mistake', nothing else.

## Handing over

Use `transfer_to_human` only when the request is not about an order.
"""
SKILLS = {
    "exchange-for-a-version": """
## Skill: exchange-for-a-version

1. `get_order` with the order number
2. `get_product` of the item
3. `respond` with what you would change, and ask for a yes
4. `exchange_items` with the version that was described
""",
    "refuse-after-a-look": """
## Skill: refuse-after-a-look

1. `get_order` with the order number
2. `respond`: refuse what the policy rules out
""",
}
DESCRIPTIONS = {
    "exchange-for-a-version": "Steps when the customer would rather have another version.",
    "refuse-after-a-look": "Steps when the customer has changed their mind and you may refuse.",
}
OWN_FAMILY = {
    "contract": "exchange_listed",
    "skills": "exchange_described",
    "actions": "track_order",
    "regulation": "find_order",
}
"""The family that only this layer helps."""
UNCURED = "wrong_choice"
LOADED = ("exchange_described", "refuse_change")
"""Families for which a skill fits."""
NOT_LOADED = "track_order"
SOME = ("cancel_order", "track_order")
WRONG = {
    "uneven_lists": (
        "`new_item_ids` takes only one item, however many are exchanged.",
        ("exchange_listed",),
    ),
    "small_card": (
        "Always use the gift card as `payment_id`.",
        ("exchange_listed",),
    ),
    "unknown_reason": (
        "As `reason` of `cancel_order` give 'changed mind'.",
        ("cancel_order",),
    ),
    "needless_handover": (
        "Call `transfer_to_human` when a customer wants a change.",
        ("exchange_listed", "refuse_change"),
    ),
    "unasked_change": (
        "Call `cancel_order` before you ask the customer for a confirmation.",
        ("cancel_order",),
    ),
    "misnamed_argument": (
        "`get_order` takes one argument named `order_number`.",
        ("track_order", "cancel_order"),
    ),
    "prose_call": (
        "Write every tool call as plain text in a code block.",
        ("track_order", "cancel_order"),
    ),
}
"""Texts that name a wrong fact, by fault, with families that the fault can strike."""
WRONG_SKILLS = {
    "Call `exchange_items` before you look up the versions with `get_product`.": (
        "exchange_described"
    ),
    "First refuse, then look at the order with `get_order`.": "refuse_change",
}
WRITES = ("cancel_order", "return_items", "exchange_items", "change_payment")
SOLE = {
    "find_customer": "email",
    "get_customer": "customer_id",
    "get_order": "order_id",
    "get_product": "product_id",
    "respond": "message",
}


def choose_skill(task: Task) -> str:
    """Name of the skill that fits the task; empty when none does."""
    if "version" in task.text:
        return "exchange-for-a-version"
    return "refuse-after-a-look" if "changed my mind" in task.text else ""


def realize(task, world, raw: RawCall | None, text: str, history: list[str]):
    """The call that is meant, or why it is refused."""
    raw = raw or _rescue(text)
    name, arguments = raw.name, json.loads(raw.arguments)
    if name in SOLE and len(arguments) == 1:
        arguments = {SOLE[name]: next(iter(arguments.values()))}
    if name in WRITES and not world.is_agreed:
        return f"Ask the customer for a confirmation before you call `{name}`."
    return RawCall(name, json.dumps(arguments))


def hint(world, history: list[str], observation: str) -> str:
    """What is said behind a result."""
    made = [_read(one) for one in history]
    if made[-1] and made[-1] in made[:-1]:
        return "The same call was made before and gave the same result."
    return ""


def _read(made: str) -> tuple:
    name, _, arguments = made.partition(" ")
    return (name, json.loads(arguments)) if made else ()


def _rescue(text: str) -> RawCall:
    """Find a call in prose; what is none is speech."""
    if match := re.search(r'\{"name": "(\w+)", "arguments": (\{.*\})\}', text, re.S):
        return RawCall(match[1], match[2])
    names = "|".join([*SOLE, *WRITES, "transfer_to_human"])
    if match := re.search(rf"({names})\W+(?:with|Action Input:)?\s*(\{{.*\}})", text, re.S):
        return RawCall(match[1], match[2])
    if match := re.search(rf"({names})\((.*)\)", text, re.S):
        keys = re.findall(r"(\w+)=", match[2]) or [SOLE.get(match[1], "")]
        values = re.split(r"(?:^|, )\w+=", match[2])
        values = [value for value in values if value] or [match[2]]
        pairs = ", ".join(f'"{key}": {value}' for key, value in zip(keys, values, strict=False))
        try:
            json.loads(f"{{{pairs}}}")
        except ValueError:
            return RawCall("respond", json.dumps({"message": text}))
        return RawCall(match[1], f"{{{pairs}}}")
    return RawCall("respond", json.dumps({"message": text}))
