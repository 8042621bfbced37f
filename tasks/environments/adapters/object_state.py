"""Python objects as JSON and back, exactly: shared parts stay shared, order and types are kept.

For worlds whose state is a graph of plain objects. What holds the time of day is left out: a state
must not depend on when it was reached.
"""

import datetime
import enum
import importlib
import json
import random
from collections.abc import Set as AbstractSet
from typing import Any

ATOMS = (type(None), bool, int, float, str)
FILLED: dict[str, Any] = {"list": list, "set": set, "dict": dict}
GIVEN = "__pydantic_fields_set__"
EMPTY = ("__pydantic_extra__", "__pydantic_private__")
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
        if kind is datetime.datetime:
            return ["datetime", value.isoformat()]
        if kind.__module__.startswith(self.package):
            return self.describe_own(value, f"{kind.__module__}:{kind.__qualname__}")
        message = f"the state holds a {kind.__module__}.{kind.__qualname__}"
        raise TypeError(message)

    def describe_own(self, value: Any, name: str) -> list[Any]:
        """An object of the package; a pydantic model knows which of its fields were given."""
        if isinstance(value, enum.Enum):
            return ["enum", name, value.value]
        content = [[field, self.keep(field, item)] for field, item in vars(value).items()]
        given = getattr(value, GIVEN, None)
        return ["object", name, content, *([] if given is None else [sorted(given)])]

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
        elif kind == "datetime":
            self.made[number] = datetime.datetime.fromisoformat(content[0])
        elif kind == "enum":
            self.made[number] = self.kind(content[0])(content[1])
        elif kind == "object":
            self.made[number] = made = self.blank(*content)
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

    def blank(self, name: str, _: Any, given: list[str] | None = None) -> Any:
        """An object of a class without its attributes."""
        kind = self.kind(name)
        made = kind.__new__(kind)
        if given is not None:
            object.__setattr__(made, GIVEN, set(given))
            for part in EMPTY:
                object.__setattr__(made, part, None)
        return made

    def kind(self, name: str) -> Any:
        """A class of the package."""
        module, _, path = name.partition(":")
        if not module.startswith(self.package):
            message = f"{name} is no part of this world"
            raise ValueError(message)
        kind: Any = importlib.import_module(module)
        for part in path.split("."):
            kind = getattr(kind, part)
        return kind


def write(value: Any, package: str, clocks: AbstractSet[str] = frozenset()) -> str:
    """JSON of a value with objects of one package; `clocks` name attributes that hold times."""
    writer = Writer(package, clocks)
    top = writer.put(value)
    return json.dumps([top, writer.nodes], separators=(",", ":"))


def read(text: str, package: str) -> Any:
    """The value that `write` gave the JSON of."""
    top, nodes = json.loads(text)
    return Reader(package, nodes).get(top)
