"""What the rules of one episode are shown, encoded once and shared by all points of a feed.

A rule gets `(action, context)` or `(history, context)`. `context` holds `task_text, tools,
messages, history, admissible, step, remaining_steps`; an entry of `history` is
`{"action": {"tool", "arguments", "raw_text", "parse_error"}, "observation", "is_error"}`.
`tool` is null when the model made no call; `arguments` is then `{}`, and so it is when
`parse_error` says why they could not be read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from .text import encode, shorten, shorten_strings
from .values import Action, HistoryEntry

MAX_TEXT = 8_000
MAX_PAST_ARGUMENTS = 8_000
MAX_PRESENT_ARGUMENTS = 64_000
MAX_PAST_STRING = 1_000


def encode_base(task_text: str, tools: Sequence[Mapping[str, JsonValue]]) -> str:
    """Encode the part of the context that stays the same through an episode."""
    return encode({"task_text": shorten(task_text, MAX_TEXT), "tools": list(tools)})


def encode_message(message: Mapping[str, JsonValue]) -> str:
    """Encode a message that is no turn, long texts shortened in the middle."""
    return encode(shorten_strings(dict(message), MAX_TEXT))


def encode_action(action: Action) -> str | None:
    """Encode the action in full; null when it is too large to be shown to rules."""
    arguments = encode(action.arguments or {})
    if len(arguments) > MAX_PRESENT_ARGUMENTS:
        return None
    return _action(action, arguments)


def encode_entry(entry: HistoryEntry) -> str:
    """Encode a finished turn, long texts shortened in the middle."""
    arguments = encode(entry.action.arguments or {})
    if len(arguments) > MAX_PAST_ARGUMENTS:
        arguments = encode(shorten_strings(entry.action.arguments, MAX_PAST_STRING))
    if len(arguments) > MAX_PAST_ARGUMENTS:
        arguments = "{}"
    observation = encode(shorten(entry.observation, MAX_TEXT))
    is_error = "true" if entry.is_error else "false"
    action = _action(entry.action, arguments)
    return f'{{"action":{action},"observation":{observation},"is_error":{is_error}}}'


def _action(action: Action, arguments: str) -> str:
    return (
        f'{{"tool":{encode(action.tool)},"arguments":{arguments},'
        f'"raw_text":{encode(shorten(action.raw_text, MAX_TEXT))},'
        f'"parse_error":{encode(action.parse_error)}}}'
    )


@dataclass(frozen=True)
class Point:
    """One moment at which rules are asked.

    Attributes:
        action: encoded action; null for regulation rules, which are given the history.
        past: how many entries of the history they see.
        heard: how many of the messages they see.
        step: model turns before this moment.
    """

    action: str | None
    past: int
    heard: int
    step: int
    remaining_steps: int | None
    admissible: tuple[str, ...] | None = None

    def encode(self) -> str:
        """Render as JSON."""
        return (
            f'{{"action":{self.action or "null"},"past":{self.past},"heard":{self.heard},'
            f'"step":{self.step},'
            f'"remaining_steps":{encode(self.remaining_steps)},'
            f'"admissible":{encode(self.admissible)}}}'
        )


@dataclass(frozen=True)
class Timeline:
    """Several points of one episode.

    Attributes:
        base: from `encode_base`.
        history: from `encode_entry`, one for each finished turn.
        messages: from `encode_message`: the first ones, and later words of the user.
    """

    base: str
    history: Sequence[str]
    messages: Sequence[str]
    points: tuple[Point, ...]

    def payload(self) -> str:
        """Render as the JSON text a feed is given."""
        points = ",".join(point.encode() for point in self.points)
        history, messages = ",".join(self.history), ",".join(self.messages)
        return (
            f'{{"base":{self.base},"history":[{history}],"messages":[{messages}],'
            f'"points":[{points}]}}'
        )

    def at(self, index: int) -> "Timeline":
        """Cut down to one point, with what that point sees."""
        point = self.points[index]
        history, messages = self.history[: point.past], self.messages[: point.heard]
        return Timeline(self.base, history, messages, (point,))
