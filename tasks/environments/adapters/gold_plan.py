"""The gold calls of a task, and which of them have been made."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


class Plan:
    """Calls that solve a task.

    Attributes:
        calls: tool and arguments of each, in order.
        next: the first call that has not been made in its order.
        met: calls that have been made, in whatever order.
        same: whether a call of the plan, by its place, is the one that was made.
    """

    def __init__(
        self,
        calls: list[tuple[str, Json]],
        same: Callable[[int, str, Json], bool] | None = None,
    ) -> None:
        self.calls = calls
        self.same = same or (lambda place, tool, arguments: calls[place] == (tool, arguments))
        self.next = 0
        self.met: list[int] = []

    def hear(self, tool: str, arguments: Json) -> None:
        """Take note of a call that was executed."""
        found = [n for n in range(len(self.calls)) if self.same(n, tool, arguments)]
        self.met = sorted({*self.met, *found})
        if self.next in found:
            self.next += 1

    @property
    def is_met(self) -> bool:
        """Whether every call has been made."""
        return len(self.met) == len(self.calls)

    def call(self) -> Json | None:
        """The next call; null when all are made."""
        if self.next >= len(self.calls):
            return None
        tool, arguments = self.calls[self.next]
        return {"tool": tool, "arguments": arguments}

    @property
    def place(self) -> list[Any]:
        """How far it is, as JSON."""
        return [self.next, self.met]

    @place.setter
    def place(self, place: list[Any]) -> None:
        self.next, self.met = place
