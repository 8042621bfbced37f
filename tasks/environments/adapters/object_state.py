"""Python objects as JSON and back, exactly: shared parts stay shared, order and types are kept.

For worlds whose state is a graph of plain objects. What holds the time of day is left out: a state
must not depend on when it was reached.
"""

import datetime
import importlib
import json
import random
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Any

ATOMS = (type(None), bool, int, float, str)
FILLED: dict[str, Any] = {"list": list, "set": set, "dict": dict}
LONG_AGO = datetime.datetime(1970, 1, 1)  # noqa: DTZ001


class Writer:
    """Numbers the parts of a graph in the order in which they are reached."""

    def __init__(self, package: str, clocks: AbstractSet[str]) -> None:
        self.package, self.clocks = package, clocks
        self.nodes: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []

    def put(self, value: Any) -> Any:
        """A value as JSON: itself, or the number of a part."""
        if isinstance(value, ATOMS) and type(value) in ATOMS:
            return value
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.nodes)
            self.kept.append(value)
            self.nodes.append(None)
            self.nodes[self.numbers[id(value)]] = self.describe(value)
        return [self.numbers[id(value)]]

    def describe(self, value: Any) -> list[Any]:
        """Kind and content of a part."""
        kind = type(value)
        if kind in (list, tuple):
            return [kind.__name__, [self.put(item) for item in value]]
        if kind in (set, frozenset):
            return [kind.__name__, [self.put(item) for item in sorted(value, key=repr)]]
        if kind is dict:
            return ["dict", [[self.put(key), self.put(item)] for key, item in value.items()]]
        if kind is random.Random:
            version, numbers, gauss = value.getstate()
            return ["random", [version, list(numbers), gauss]]
        if kind in (datetime.datetime, datetime.date):
            return [kind.__name__, value.isoformat()]
        if isinstance(value, Enum):
            return ["enum", name_of(kind), value.name]
        if kind.__module__.startswith(self.package):
            content = [[name, self.keep(name, item)] for name, item in vars(value).items()]
            return ["object", name_of(kind), content]
        message = f"the state holds a {kind.__module__}.{kind.__qualname__}"
        raise TypeError(message)

    def keep(self, name: str, value: Any) -> Any:
        """An attribute; a clock always shows the same time."""
        return self.put(LONG_AGO if name in self.clocks else value)


class Reader:
    """Makes the parts of a graph again; what may hold itself is made before it is filled."""

    def __init__(self, package: str, nodes: list[Any]) -> None:
        self.package, self.nodes = package, nodes
        self.made: dict[int, Any] = {}

    def get(self, written: Any) -> Any:
        """The value that was written."""
        if not isinstance(written, list):
            return written
        number = written[0]
        if number not in self.made:
            self.make(number, self.nodes[number])
        return self.made[number]

    def make(self, number: int, node: list[Any]) -> None:
        """Make one part."""
        kind, content = node[0], node[1:]
        if kind in FILLED:
            self.fill(number, kind, content[0])
        elif kind == "random":
            version, numbers, gauss = content[0]
            self.made[number] = made = random.Random(0)
            made.setstate((version, tuple(numbers), gauss))
        elif kind in ("datetime", "date"):
            self.made[number] = getattr(datetime, kind).fromisoformat(content[0])
        elif kind == "enum":
            self.made[number] = self.kind(content[0])[content[1]]
        elif kind == "object":
            self.made[number] = made = blank(self.kind(content[0]))
            vars(made).update((name, self.get(item)) for name, item in content[1])
        else:
            of = tuple if kind == "tuple" else frozenset
            self.made[number] = of(self.get(item) for item in content[0])

    def fill(self, number: int, kind: str, content: list[Any]) -> None:
        """Make a list, a set or a dict, which may hold itself."""
        self.made[number] = made = FILLED[kind]()
        for item in content:
            if kind == "list":
                made.append(self.get(item))
            elif kind == "set":
                made.add(self.get(item))
            else:
                made[self.get(item[0])] = self.get(item[1])

    def kind(self, name: str) -> Any:
        """The class of a name."""
        module, _, path = name.partition(":")
        if not module.startswith(self.package):
            message = f"{name} is no part of this world"
            raise ValueError(message)
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
        return found


def name_of(kind: type) -> str:
    """Module and path of a class."""
    return f"{kind.__module__}:{kind.__qualname__}"


def blank(kind: Any) -> Any:
    """An object without its attributes; a pydantic model is given what it needs besides."""
    made = kind.__new__(kind)
    if hasattr(kind, "__pydantic_validator__"):
        for name, value in (
            ("fields_set", set(kind.model_fields)),
            ("extra", None),
            ("private", None),
        ):
            object.__setattr__(made, f"__pydantic_{name}__", value)
    return made


def write(value: Any, package: str, clocks: AbstractSet[str] = frozenset()) -> str:
    """JSON of a value with objects of one package; `clocks` name attributes that hold times."""
    writer = Writer(package, clocks)
    top = writer.put(value)
    return json.dumps([top, writer.nodes], separators=(",", ":"))


def read(text: str, package: str) -> Any:
    """The value that `write` gave the JSON of."""
    top, nodes = json.loads(text)
    return Reader(package, nodes).get(top)
