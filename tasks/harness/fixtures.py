"""Moments every rule is tried on before it is let near an episode."""

from collections.abc import Sequence

from .timeline import MAX_TEXT, Point, Timeline, encode_action, encode_base, encode_entry
from .timeline import encode_message as encoded
from .values import Action, HistoryEntry, RuleLayer

_TOOL = "look_up"
_WORDS = "The record 42 was not found; try 'other name' or \"a quoted one\" (see list). "
_ACTIONS = (
    Action(_TOOL, {"key": "a name with spaces", "limit": 3, "rows": [1, "two", None]}),
    Action(_TOOL, {}, "I call it without anything."),
    Action("no_such_tool", {"text": "x" * 4000}),
    Action(None, None, 'look_up(key="a") or ```json\n{"name": "look_up", "arguments": {}}\n```'),
    Action(None, None, ""),
    Action(_TOOL, None, "broken", "arguments are not JSON: Expecting value at character 0"),
)


def probe_timelines(layer: RuleLayer) -> list[Timeline]:
    """Give the fixtures of a layer: no, some, repeated and long histories, all sorts of turns."""
    base = encode_base("Find the record and say what it holds. " * 20, [{"name": _TOOL}])
    messages = [encoded({"role": "user", "content": "Find the record."})]
    actions = [encode_action(action) for action in _ACTIONS] if layer == "actions" else [None]
    return [
        Timeline(base, history, messages, tuple(_points(actions, len(history))))
        for history in _histories()
    ]


def _points(actions: Sequence[str | None], past: int) -> list[Point]:
    offered = ("go to desk 1", "open drawer 1", "take book 1 from desk 1")
    return [
        Point(action, past, 1, past, remaining, admissible)
        for action in actions
        for remaining, admissible in ((30, None), (0, offered))
    ]


def _histories() -> list[list[str]]:
    varied = [
        HistoryEntry(action, _WORDS * (1 + place), is_error=place % 2 == 1)
        for place, action in enumerate(_ACTIONS)
    ]
    repeated = [HistoryEntry(_ACTIONS[0], "Nothing happens.")] * 12
    long = [HistoryEntry(_ACTIONS[place % 3], _WORDS * 30) for place in range(40)]
    huge = [HistoryEntry(_ACTIONS[2], "a" * MAX_TEXT), HistoryEntry(_ACTIONS[0], " " * MAX_TEXT)]
    return [
        [encode_entry(entry) for entry in entries] for entries in ([], varied, repeated, long, huge)
    ]
