"""How a conversation went on, among all requests that belong to it."""

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Linked(Protocol):
    """A request between two points of a conversation."""

    @property
    def before(self) -> str | None:
        """Point it goes on from; null at the start."""
        ...

    @property
    def after(self) -> str | None:
        """Point it leads to; null when nothing came of it."""
        ...


T = TypeVar("T", bound=Linked)


def longest_path(requests: Sequence[T]) -> list[T]:
    """Requests that led furthest, in order, of several ways the latest; given by time.

    A client may repeat a request, go back to an earlier point, or talk about something else
    beside its task; what it left that way is left out.
    """
    by_point = {one.after: one for one in requests if one.after is not None}
    longest: list[T] = []
    for one in requests:
        path = [one]
        while (before := by_point.get(path[-1].before or "")) and before not in path:
            path.append(before)
        if _reached(path) >= _reached(longest):
            longest = path[::-1]
    return longest


def _reached(path: Sequence[Linked]) -> int:
    return sum(one.after is not None for one in path)
