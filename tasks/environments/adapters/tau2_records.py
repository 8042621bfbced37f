"""Large tables of records that many episodes start from: each takes copies of what it touches."""

from collections.abc import Iterator, Mapping
from typing import Any


class Lent(dict[str, Any]):
    """A table whose records are copied from a shared one when they are first asked for.

    Tools change the records they get by key; those they only look through are the shared ones.
    """

    def __init__(self, shared: Mapping[str, Any]) -> None:
        super().__init__()
        self.shared = shared

    def __getitem__(self, key: str) -> Any:
        """The episode's own record."""
        if not super().__contains__(key):
            super().__setitem__(key, self.shared[key].model_copy(deep=True))
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As `[key]`, with a default."""
        if key not in self:
            return default
        return self[key]

    def __contains__(self, key: object) -> bool:
        """Whether there is such a record."""
        return super().__contains__(key) or key in self.shared

    def __iter__(self) -> Iterator[str]:
        """Keys: the shared ones in their order, then new ones."""
        yield from self.shared
        yield from (key for key in super().__iter__() if key not in self.shared)

    def __len__(self) -> int:
        """How many records there are."""
        return sum(1 for _ in self)

    def keys(self) -> Any:
        """Keys in order."""
        return list(self)

    def values(self) -> Any:
        """Records in the order of the keys."""
        return [record for _, record in self.items()]

    def items(self) -> Any:
        """Keys with their records."""
        return [(key, self.look(key)) for key in self]

    def look(self, key: str) -> Any:
        """A record as it is now, without taking a copy."""
        return super().__getitem__(key) if super().__contains__(key) else self.shared[key]

    @property
    def changed(self) -> dict[str, Any]:
        """Records that are not as the shared ones, as JSON values: by key, then new ones."""
        own = {key: super(Lent, self).__getitem__(key) for key in super().__iter__()}
        known = sorted(key for key in own if key in self.shared and own[key] != self.shared[key])
        new = [key for key in own if key not in self.shared]
        return {key: own[key].model_dump(mode="json") for key in [*known, *new]}


def lend(tables: Any) -> Any:
    """A database of the package whose tables are lent from another one."""
    return type(tables).model_construct(**{name: Lent(table) for name, table in tables})


def changes(tables: Any) -> dict[str, dict[str, Any]]:
    """What is not as in the shared database, by table."""
    return {name: table.changed for name, table in tables}


def take_changes(tables: Any, held: Mapping[str, Mapping[str, Any]]) -> Any:
    """A database with these changes and no others."""
    fresh = {}
    for name, table in tables:
        fresh[name] = Lent(table.shared)
        kind = type(next(iter(table.shared.values())))
        for key, record in held[name].items():
            fresh[name][key] = kind.model_validate(record)
    return type(tables).model_construct(**fresh)
