"""What a hand-written harness of the shop says and does, and what its tests know of the world."""

import json
import re

from tasks.agent.protocols import RawCall, Task

CONTRACT = """
## Searching

`search` finds by words of titles only; prices, features and options cannot be searched.

## Buying

Check the features and the price on the page before you buy.
"""
SKILLS = {
    "choose-options-first": """
## Skill: choose-options-first

1. open the item
2. choose the colour and every other option that is wanted
3. buy now
"""
}
DESCRIPTIONS = {"choose-options-first": "Steps when a colour, size or other option is wanted."}
OWN_FAMILY = {
    "contract": "price_limit",
    "skills": "with_options",
    "actions": "named_item",
    "regulation": "look_alikes",
}
"""The family that only this layer helps."""
UNCURED = "wrong_choice"
LOADED = ("with_options", "options_and_price")
"""Families for which a skill fits."""
NOT_LOADED = "look_alikes"
SOME = ("price_limit", "look_alikes")
WRONG = {
    "loaded_search": (
        "Put the price and all options into the search query.",
        ("price_limit", "options_and_price"),
    ),
    "early_purchase": (
        "Buy the first item right away.",
        ("feature_and_price", "look_alikes"),
    ),
    "misnamed_element": (
        "Elements are clicked as `view item NUMBER`.",
        ("named_item", "with_options"),
    ),
    "prose_call": (
        "Write every action as plain text in a code block.",
        ("named_item", "with_options"),
    ),
}
"""Texts that name a wrong fact, by fault, with families that the fault can strike."""
WRONG_SKILLS = {"First buy the item, then choose its options.": "with_options"}
VERBS = {
    **dict.fromkeys(("view", "select", "show"), "open"),
    **dict.fromkeys(("pick", "set"), "choose"),
    **dict.fromkeys(("purchase", "order", "checkout"), "buy"),
}


def choose_skill(task: Task) -> str:
    """Name of the skill that fits the task; empty when none does."""
    has_option = re.search(r"\b(?:colour|size|length)\b", task.text)
    return "choose-options-first" if has_option else ""


def realize(task, world, raw: RawCall | None, text: str, history: list[str]) -> RawCall | None:
    """The call that is meant; null when there is none."""
    raw = raw or _rescue(text)
    if raw is None or raw.name != "click":
        return raw
    said = json.loads(raw.arguments)["element"]
    verb, _, rest = said.partition(" ")
    meant = [said, f"{VERBS.get(verb, verb)} {rest}", f"choose {rest}"]
    fitting = [one for one in meant if one in world.admissible()]
    return RawCall("click", json.dumps({"element": fitting[0] if fitting else said}))


def hint(world, history: list[str], observation: str) -> str:
    """What is said behind a result."""
    made = [tuple(json.loads(one.partition(" ")[2]).values()) if one else () for one in history]
    if len(made) > 1 and made[-1] and made[-1] == made[-2]:
        return "Hint: the same call was made before; try another one."
    last = made[-4:]
    if len(last) == 4 and len(set(last)) <= 2 and all(last):
        return "Hint: you open the same items; open one that was not opened yet."
    return ""


def _rescue(text: str) -> RawCall | None:
    """Find a call in prose."""
    keys = {"search": "query", "click": "element"}
    if match := re.search(r'\{"name": "(\w+)", "arguments": (\{.*\})\}', text, re.S):
        return RawCall(match[1], match[2])
    if match := re.search(r"(search|click)\W+(?:with|Action Input:)?\s*(\{.*\})", text, re.S):
        return RawCall(match[1], match[2])
    if match := re.search(r'(search|click)\((?:\w+=)?"(.*)"\)', text):
        return RawCall(match[1], json.dumps({keys[match[1]]: match[2]}))
    if match := re.search(r"(search|click)\[(.*)\]", text):
        return RawCall(match[1], json.dumps({keys[match[1]]: match[2]}))
    return None
