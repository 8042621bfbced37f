"""Records that tools have shown in a run, by their identifiers; preconditions read them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_RESULT_CAP = 200_000
_MOST_RECORDS = 5_000


@dataclass(frozen=True)
class ShownCall:
    """A call that ran, and what it showed."""

    turn: int
    arguments: Mapping[str, Any]
    result: str
    is_write: bool


@dataclass(frozen=True)
class Records:
    """Objects in tool results by (name of identifier, value); what was shown or set last counts."""

    by_key: dict[tuple[str, str], dict[str, Any]] = field(
        default_factory=dict[tuple[str, str], dict[str, Any]]
    )
    policy_text: str = ""
    shown_text: str = ""

    def of(self, name: str, value: Any) -> dict[str, Any] | None:
        """The record that carries an identifier."""
        return self.by_key.get((name, str(value)))

    def mentions(self, text: str) -> bool:
        """Whether some result held a text."""
        return text in self.shown_text


def _objects(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > 6:
        return
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _objects(item, depth + 1)
    elif isinstance(value, list):
        for item in value[:500]:
            yield from _objects(item, depth + 1)


def record_history(
    calls: Iterable[ShownCall], policy_text: str, wanted: Iterable[int]
) -> dict[int, Records]:
    """What was known before each of some turns, by turn index.

    What a write set overrides what its result shows: some tools answer with the old values.
    """
    history: dict[int, Records] = {}
    known: dict[tuple[str, str], dict[str, Any]] = {}
    shown: list[str] = []
    waiting = sorted(set(wanted))
    for call in calls:
        while waiting and call.turn >= waiting[0]:
            history[waiting.pop(0)] = Records(dict(known), policy_text, _joined(shown))
        _learn(known, call)
        shown.append(call.result)
    for turn in waiting:
        history[turn] = Records(dict(known), policy_text, _joined(shown))
    return history


def _joined(texts: list[str]) -> str:
    return "\n".join(texts)[:_RESULT_CAP]


def _learn(known: dict[tuple[str, str], dict[str, Any]], call: ShownCall) -> None:
    try:
        value = json.loads(call.result[:_RESULT_CAP])
    except (ValueError, RecursionError):
        value = None
    for found in _objects(value):
        for key in _keys(found):
            if len(known) < _MOST_RECORDS or key in known:
                known[key] = {**known.get(key, {}), **found}
    for key in _keys(call.arguments)[:1] if call.is_write else ():
        if key in known:
            new = {n: v for n, v in call.arguments.items() if n in known[key]}
            known[key] = {**known[key], **new}


def _keys(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (name, key)
        for name, key in found.items()
        if name.endswith(("_id", "_number")) and isinstance(key, str)
    ]
