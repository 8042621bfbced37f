"""Whether a text asks for something other than what a successful run did."""

from collections.abc import Sequence
from typing import Any

from tasks.gate.directives import Directives, read_directives
from tasks.harness import Call
from tasks.harness.replay import RecordedStep


def contradicts(text: str, steps: Sequence[RecordedStep], *, start: int = 0) -> bool:
    """Whether obeying a text from a step on would have changed what the run did from there.

    Only what the text says of tools that the run used counts. A text that asks for more of what
    the run did, or only describes it, contradicts nothing. Nor does one that forbids all tools of
    the run: an agent that is left no way to act goes on acting.
    """
    calls = [step.executed for step in steps if step.executed is not None]
    following = [step.executed for step in steps[start:] if step.executed is not None]
    if not following:
        return False
    used = {call.tool for call in calls}
    said = read_directives(text, used)
    return (
        (said.forbidden < used and any(call.tool in said.forbidden for call in following))
        or (bool(said.at_once) and following[0].tool not in said.at_once)
        or any(_is_reversed(order, following) for order in said.orders)
        or any(_uses_mark(call, said) for call in following)
        or any(_has_other_shape(call, said) for call in following)
    )


def _is_reversed(order: tuple[str, str], calls: Sequence[Call]) -> bool:
    used = [call.tool for call in calls]
    first, second = order
    return first in used and second in used and used.index(second) < used.index(first)


def _uses_mark(call: Call, said: Directives) -> bool:
    return any(
        tool in (None, call.tool) and any(mark in text for mark in marks for text in _texts(call))
        for tool, marks in said.forbidden_marks
    )


def _texts(call: Call) -> list[str]:
    return [value for value in call.arguments.values() if isinstance(value, str)]


def _has_other_shape(call: Call, said: Directives) -> bool:
    """Whether an example gives an argument of this call another JSON type."""
    shapes = {key: _shape(value) for example in said.examples for key, value in example.items()}
    return any(
        key in shapes and shapes[key] != _shape(value) for key, value in call.arguments.items()
    )


def _shape(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(type(value))
    if isinstance(value, int | float):
        return "number"
    return type(value).__name__
