"""What a service offers to the worlds that stand on it."""

import re
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

from schemas.errors import ConfigError, EnvironmentFault
from schemas.ids import canonical_json
from schemas.redaction import MARK
from tasks.agent.protocols import ActResult, Call, ToolSpec

SHORTEST_SECRET = 4
_COLUMN = re.compile(r"\{([A-Za-z_]\w*)\}")


class Desk(Protocol):
    """The way of one episode to the service."""

    def call(self, call: Call) -> ActResult:
        """Carry out a call; what the service refuses is a result.

        Raises:
            EnvironmentFault: the service is not there, or gave no answer in time.
        """
        ...

    def look(self, place: str, row: Mapping[str, Any]) -> Any:
        """JSON that the service gives for a place of a task, without changing anything.

        Raises:
            EnvironmentFault: it gives none.
        """
        ...

    def close(self) -> None:
        """Let go of the service."""
        ...


class Service(Protocol):
    """A service with its tools."""

    tools: tuple[ToolSpec, ...]
    write_tools: frozenset[str]
    left_out: Mapping[str, str]
    """What the service has and the agent does not get, with the reason."""
    is_apart: bool
    """Whether every episode has a state of its own."""

    def open(self, episode: str, task: Mapping[str, Any], seed: int) -> Desk:
        """Bring the service to where an episode begins, and open a way to it.

        Raises:
            EnvironmentFault: it cannot be brought there.
        """
        ...

    def close(self) -> None:
        """Let go of what all episodes share."""
        ...

    def check_look(self, place: str) -> None:
        """Refuse a place that cannot be looked at.

        Raises:
            ConfigError: it cannot.
        """
        ...


def in_path(place: str, row: Mapping[str, Any]) -> str:
    """Put columns of a task into a path."""
    return _filled(place, row, lambda value: quote(_text(value), safe=""))


def in_json(place: str, row: Mapping[str, Any]) -> str:
    """Put columns of a task into texts of JSON."""
    return _filled(place, row, lambda value: canonical_json(_text(value))[1:-1])


def columns_of(place: str) -> tuple[str, ...]:
    """Columns that a place names."""
    return tuple(_COLUMN.findall(place))


def _filled(place: str, row: Mapping[str, Any], write: Any) -> str:
    def put(found: re.Match[str]) -> str:
        if found[1] not in row:
            what = f"the task {row.get('task_id')!r} has no column `{found[1]}`"
            raise EnvironmentFault(what, hint=f"`{place}` needs it")
        return write(row[found[1]])

    return _COLUMN.sub(put, place)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value)


class Secrets:
    """Values that must not come back in what the agent sees."""

    def __init__(self, values: Mapping[str, str]) -> None:
        words = {part for value in values.values() for part in (value, *value.split())}
        self._words = sorted((w for w in words if len(w) >= SHORTEST_SECRET), key=len, reverse=True)

    def hide(self, text: str) -> str:
        """The text without them."""
        for word in self._words:
            text = text.replace(word, MARK)
        return text


def require_tools(named: Mapping[str, tuple[str, ...]], known: frozenset[str], where: str) -> None:
    """Refuse lists that name tools which are not there.

    Raises:
        ConfigError: one does.
    """
    for key, names in named.items():
        for name in names:
            if name not in known:
                what = f"{where}: `{key}` names the tool {name[:60]!r}, which is not there"
                raise ConfigError(what, hint=f"known: {', '.join(sorted(known)[:20])}")
