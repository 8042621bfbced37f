"""Words of slips: commands that look right and are not, and claims that all is done."""

import re

DONE = (
    "The task is complete.",
    "Done. Everything is where it should be.",
    "I have finished, nothing else is needed.",
    "All set!",
)
_NUMBER = re.compile(r" \d+\b")
_SHAPES: dict[str, tuple[str, ...]] = {
    "take": (
        "grab {item} from {place}",
        "get {item} from {place}",
        "grab {item} from {place}",
        "pick up {item} from {place}",
    ),
    "move": (
        "put {item} in {place}",
        "put {item} in/on {place}",
        "place {item} on {place}",
        "put {item} on {place}",
        "drop {item} in {place}",
    ),
}
_PARTS = re.compile(r"^(?P<verb>\w+) (?P<item>.+) (?:from|to) (?P<place>.+)$")


def mistake_verb(command: str, roll: float, detail: str) -> str:
    """Say `take` or `move` with a verb that the world does not know."""
    match = _PARTS.match(command)
    if match is None:
        return command
    shapes = _SHAPES[match["verb"]]
    asked = [shape for shape in shapes if detail and shape.startswith(f"{detail} ")]
    shape = asked[0] if asked else shapes[int(roll * len(shapes))]
    return shape.format(item=match["item"], place=match["place"])


def loosen(command: str, roll: float, detail: str) -> str:
    """Say a command without its number, its source or its exact words."""
    verb, _, rest = command.partition(" ")
    if detail == "number":
        return _NUMBER.sub("", command)
    if verb == "go":
        place = rest.removeprefix("to ")
        shapes = (f"goto {place}", f"walk to {place}", f"go to the {_NUMBER.sub('', place)}")
    elif verb == "take":
        shapes = (f"take {rest.split(' from ')[0]}", _NUMBER.sub("", command))
    else:
        shapes = (f"{verb} the {rest}", f"{verb} {_NUMBER.sub('', rest)}")
    return shapes[int(roll * len(shapes))]
