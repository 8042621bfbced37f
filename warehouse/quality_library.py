"""Imports Great Expectations without the packages for plots and distributions it never uses here.

They are half of the seconds that the import takes, and every command that lands rows pays them.
"""

import importlib.util
import sys
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

DEFERRED = ("altair", "scipy.special", "scipy.stats")
"""Imported at the top of expectations that no table has."""


def import_library() -> ModuleType:
    """The library; imported once, in whatever thread comes first."""
    with _deferring(DEFERRED), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("great_expectations")


@contextmanager
def _deferring(names: Sequence[str]) -> Generator[None]:
    """Meanwhile, an import of these gives a module that is executed when it is first used."""
    finder = _Deferring(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Deferring(MetaPathFinder):
    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec
