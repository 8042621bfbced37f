"""Stands in for packages that a world imports and that nothing here ever uses.

Worlds import the clients of model vendors at their top. Those are large, and no episode of ours
calls one: what is imported of them is a class that can be named and subscripted.
"""

import sys
import types
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any


class Nothing(type):
    """A class whose attributes are such classes too."""

    def __getattr__(cls, name: str) -> "Nothing":
        """Any name but those Python itself asks for."""
        return named(name)

    def __getitem__(cls, key: Any) -> "Nothing":
        """The class of a subscripted one."""
        return cls


def named(name: str) -> Nothing:
    """A class of a name that stands for something absent."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Nothing(name, (), {})


class Stand(MetaPathFinder, Loader):
    """Finds modules of the absent packages, whatever they are called."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """A module of an absent package."""
        if fullname.partition(".")[0] not in self.packages:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        """A module that has every name."""
        module = types.ModuleType(spec.name)
        vars(module)["__getattr__"] = named
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


def pretend(*packages: str) -> None:
    """Let imports of these packages succeed."""
    sys.meta_path.append(Stand(frozenset(packages)))
