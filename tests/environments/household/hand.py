"""What a hand-written harness of the household says and does, and what its tests know of it."""

import json
import re

from tasks.agent.protocols import RawCall, Task

CONTRACT = """
## Commands

Bring an item somewhere with `move <item> to <place>` and get it with `take <item> from <place>`.
Things have numbers that belong to their names, as in `go to <place>`.

## Order

Open a closed place before you take something from it or move something into it.
Your hand holds one item: move it to its place before you take the next item.
"""
TREATMENTS = {"clean": "sink", "heat": "oven", "cool": "fridge"}
SKILLS = {
    f"{verb}-first": f"""
## Skill: {verb}-first

1. take the item from its place
2. {verb} it with the {place}
3. move it to its place
"""
    for verb, place in TREATMENTS.items()
}
DESCRIPTIONS = {
    f"{verb}-first": f"Steps to {verb} an item and then bring it to its place."
    for verb in TREATMENTS
}
WORDS = {"clean": "clean", "hot": "heat", "heat": "heat", "cold": "cool", "cool": "cool"}
VERBS = {"grab": "take", "get": "take", "put": "move", "place": "move", "drop": "move"}
OWN_FAMILY = {
    "contract": "two_objects",
    "skills": "clean_and_place",
    "actions": "pick_and_place",
    "regulation": "look_under_lamp",
}
"""The family that only this layer helps."""
UNCURED = "wrong_object"
LOADED = ("clean_and_place", "heat_and_place", "cool_and_place")
"""Families for which a skill fits."""
NOT_LOADED = "look_under_lamp"
SOME = ("two_objects", "look_under_lamp")
WRONG = {
    "wrong_move": (
        "The command is `put ITEM in PLACE`.",
        ("pick_and_place", "cool_and_place"),
    ),
    "wrong_take": (
        "Use `grab <object> from <place>` to get something.",
        ("pick_and_place", "heat_and_place"),
    ),
    "loose_command": (
        "Leave out the numbers of things.",
        ("pick_and_place", "heat_and_place"),
    ),
    "closed_place": (
        "There is no need to open closed places.",
        ("cool_and_place", "two_objects"),
    ),
    "second_item": ("Take both items before you move them.", ("two_objects",)),
    "prose_call": (
        "Write every command as plain text in a code block.",
        ("pick_and_place", "clean_and_place"),
    ),
}
"""Texts that name a wrong fact, by fault, with families that the fault can strike."""
WRONG_SKILLS = {
    "First move the item to its place, then clean it with the sink.": "clean_and_place",
    "Clean the item with the oven before you move it.": "clean_and_place",
}


def choose_skill(task: Task) -> str:
    """Name of the skill that fits the task; empty when none does."""
    words = re.findall(r"[a-z]+", task.text.lower())
    verb = next((WORDS[word] for word in words if word in WORDS), "")
    return f"{verb}-first"


def realize(task, world, raw: RawCall | None, text: str, history: list[str]) -> RawCall | None:
    """The command that is meant; null when there is none."""
    admissible = world.admissible()
    if raw is None:
        command = _rescue(text, admissible)
    else:
        command = _rewrite(json.loads(raw.arguments)["action"], admissible)
    return None if command is None else RawCall("take_action", json.dumps({"action": command}))


def hint(world, history: list[str], observation: str) -> str:
    """What is said behind a result."""
    said = [json.loads(one.partition(" ")[2])["action"] if one else "" for one in history]
    if len(said) > 1 and said[-1] and said[-1] == said[-2]:
        return "Hint: the same command was given before; try another action."
    last = said[-4:]
    if len(last) == 4 and len(set(last)) <= 2 and all(one.startswith("go to ") for one in last):
        fresh = [c for c in world.admissible() if c.startswith("go to ") and c not in said]
        return f"Hint: not visited yet: `{fresh[0]}`." if fresh else ""
    return ""


def _rescue(text: str, admissible: tuple[str, ...]) -> str | None:
    """The one admissible command that stands in the text."""
    words = f" {' '.join(re.findall('[a-z0-9]+', text.lower()))} "
    found = [command for command in admissible if f" {command} " in words]
    return found[0] if len(found) == 1 else None


def _rewrite(said: str, admissible: tuple[str, ...]) -> str:
    """The one admissible command about the same things, when what was said is none."""
    words = re.findall(r"[a-z0-9]+", said)
    if said in admissible or not words:
        return said
    if words[:1] == ["pick"]:
        words = ["take", *words[2:]]
    verb = VERBS.get(words[0], "go" if words[0] in {"goto", "walk"} else words[0])
    small = {"the", "to", "from", "in", "on"}
    things = {word for word in words[1:] if word not in small}
    fits = [
        command
        for command in admissible
        if command.split()[0] == verb and things <= set(command.split()[1:])
    ]
    return fits[0] if len(fits) == 1 else said
