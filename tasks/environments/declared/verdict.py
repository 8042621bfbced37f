"""What an episode is judged on, and the verdict by the state a service is left in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from schemas.ids import canonical_json
from tasks.agent.protocols import ActResult, Call, JsonObject, Verdict
from tasks.environments.declared.form import ByState


@dataclass(frozen=True)
class Move:
    """A call with what came back."""

    call: Call
    result: ActResult


@dataclass(frozen=True)
class Played:
    """An episode as a verdict sees it.

    Attributes:
        row: the row of its task.
        moves: what was called.
        is_finished: whether the agent ended it itself.
        answer: what it gave as its answer; null for none.
        state: gives the JSON that `look` names; null where nothing is looked at.
    """

    row: JsonObject
    moves: Sequence[Move]
    is_finished: bool
    answer: str | None
    state: Callable[[], Any]


class Grader(Protocol):
    """Judges episodes."""

    noise: str
    """Why it may judge equal episodes differently; empty when it does not."""

    def judge(self, played: Played) -> Verdict:
        """Judge an episode.

        Raises:
            EnvironmentFault: it cannot be judged.
        """
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class StateGrader:
    """The state must be the expected one and the answer the right one, where a task has them.

    An episode that the agent did not end itself fails: else doing nothing would pass every task
    whose right outcome is that nothing changes.
    """

    noise = ""

    def __init__(self, table: ByState) -> None:
        self.is_exact = table.match == "equals"

    def judge(self, played: Played) -> Verdict:
        """Compare state and answer."""
        parts: JsonObject = {"finished": played.is_finished}
        if "expected" in played.row:
            where = differs_at(played.row["expected"], played.state(), is_exact=self.is_exact)
            parts["state"] = where is None
            if where:
                parts["differs_at"] = where
        if "answer" in played.row:
            parts["answer"] = is_same_answer(played.row["answer"], played.answer)
        is_right = all(value for value in parts.values() if isinstance(value, bool))
        return Verdict("success" if is_right else "failure", float(is_right), parts)

    def close(self) -> None:
        """Nothing is held."""


def differs_at(expected: Any, found: Any, *, is_exact: bool, place: str = "$") -> str | None:
    """Where a state is not as expected, as a path; null where it is.

    Without `is_exact`, objects and lists may hold more, and lists have no order.
    """
    if isinstance(expected, Mapping):
        return _object_differs(expected, found, is_exact=is_exact, place=place)
    if isinstance(expected, list):
        return _list_differs(expected, found, is_exact=is_exact, place=place)
    is_same = expected == found and isinstance(expected, bool) == isinstance(found, bool)
    return None if is_same else place


def _object_differs(
    expected: Mapping[str, Any], found: Any, *, is_exact: bool, place: str
) -> str | None:
    if not isinstance(found, Mapping) or (is_exact and found.keys() - expected.keys()):
        return place
    for key, value in expected.items():
        inner = f"{place}.{key}"
        where = inner
        if key in found:
            where = differs_at(value, found[key], is_exact=is_exact, place=inner)
        if where is not None:
            return where
    return None


def _list_differs(expected: list[Any], found: Any, *, is_exact: bool, place: str) -> str | None:
    if not isinstance(found, list) or len(found) < len(expected):
        return place
    if is_exact:
        if len(found) != len(expected):
            return place
        pairs = enumerate(zip(expected, found, strict=True))
        places = (
            differs_at(one, other, is_exact=True, place=f"{place}[{number}]")
            for number, (one, other) in pairs
        )
        return next((where for where in places if where is not None), None)
    left = list(found)
    for number, one in enumerate(expected):
        same = [differs_at(one, other, is_exact=False) is None for other in left]
        if True not in same:
            return f"{place}[{number}]"
        left.pop(same.index(True))
    return None


def is_same_answer(expected: Any, given: str | None) -> bool:
    """Whether an answer says what is expected: as a number where both are one, else as words."""
    if given is None:
        return False
    wanted = expected if isinstance(expected, str) else canonical_json(expected)
    numbers = _number(wanted), _number(given)
    if numbers[0] is not None and numbers[1] is not None:
        return numbers[0] == numbers[1]
    return _words(wanted) == _words(given)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _words(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .\"'")
