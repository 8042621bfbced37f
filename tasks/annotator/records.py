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


def collect_records(calls: Iterable[ShownCall], policy_text: str) -> Records:
    """Index the objects of JSON results by every `*_id` and `*_number` they carry.

    What a write set overrides what its result shows: some tools answer with the old values.
    """
    shown = list(calls)
    text = "\n".join(call.result for call in shown)[:_RESULT_CAP]
    records = Records(policy_text=policy_text, shown_text=text)
    for call in shown:
        try:
            value = json.loads(call.result[:_RESULT_CAP])
        except (ValueError, RecursionError):
            continue
        for found in _objects(value):
            _index(records, found)
        if call.is_write:
            _overlay(records, call.arguments)
    return records


def _keys(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (name, key)
        for name, key in found.items()
        if name.endswith(("_id", "_number")) and isinstance(key, str)
    ]


def _index(records: Records, found: dict[str, Any]) -> None:
    for key in _keys(found):
        known = records.by_key.get(key)
        if len(records.by_key) < _MOST_RECORDS or known is not None:
            records.by_key[key] = {**(known or {}), **found}


def _overlay(records: Records, arguments: Mapping[str, Any]) -> None:
    for key in _keys(arguments)[:1]:
        known = records.by_key.get(key)
        if known is not None:
            new = {name: value for name, value in arguments.items() if name in known}
            records.by_key[key] = {**known, **new}
