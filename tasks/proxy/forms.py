"""What the request forms (chat completions, responses) have in common: a talk, taken apart.

A form knows where things stand in a body; everything else in a body belongs to client and
upstream and goes through untouched.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

from tasks.harness import Conditioned

Item = dict[str, Any]
"""One message of a chat, or one input item of a response request, as it stands in a body."""


@dataclass(frozen=True)
class Written:
    """A tool call as the model wrote it; `arguments` is the raw text."""

    call_id: str
    tool: str
    arguments: str


@dataclass(frozen=True)
class Said:
    """One reply of the model, in a request's history or fresh.

    Attributes:
        text: what it wrote besides calls.
        calls: its calls in order.
        items: the reply as it stands in the history of later requests.
        reasoning: reasoning given apart from the text; empty in a history.
    """

    text: str
    calls: tuple[Written, ...]
    items: tuple[Item, ...]
    reasoning: str = ""


@dataclass(frozen=True)
class Answer:
    """What the client put behind a reply: the result of a call, or words of its user.

    Attributes:
        call_id: call it answers; null for words.
        text: its text.
        is_error: whether the client says that the call failed; null when it says nothing.
        item: as it goes to the upstream.
    """

    call_id: str | None
    text: str
    is_error: bool | None
    item: Item


@dataclass(frozen=True)
class Exchange:
    """A reply and what came after it."""

    said: Said
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Talk:
    """A request, taken apart.

    Attributes:
        opening: messages before the first reply, in chat form.
        exchanges: finished turns; the last one's answers are what is new.
        tools: tool definitions in chat form; those that are no functions are left out.
    """

    opening: tuple[Item, ...]
    exchanges: tuple[Exchange, ...]
    tools: tuple[Item, ...]

    @property
    def task_text(self) -> str:
        """What the agent was asked: the last words of the user before the first reply."""
        asked = [message for message in self.opening if message.get("role") == "user"]
        return text_of(asked[-1].get("content")) if asked else ""


class MalformedBodyError(ValueError):
    """A request or a reply that cannot be taken apart; it passes unchanged."""


class Form(Protocol):
    """How one kind of body is read and written."""

    name: str
    path: str

    def read(self, body: Mapping[str, Any]) -> Talk:
        """Take a request apart.

        Raises:
            MalformedBodyError: it is no request of this form, or of a kind that is not steered.
        """
        ...

    def write(
        self, body: Mapping[str, Any], conditioned: Conditioned, later: Sequence[Item]
    ) -> Item:
        """The request with a conditioned opening and all items behind it, asked as a whole."""
        ...

    def whole(self, body: Mapping[str, Any]) -> Item:
        """The request as it is, without streaming and without members of ours."""
        ...

    def read_reply(self, payload: Mapping[str, Any]) -> Said:
        """Take a response apart.

        Raises:
            MalformedBodyError: it is no response of this form with one reply.
        """
        ...

    def write_reply(self, payload: Mapping[str, Any], text: str, calls: Sequence[Written]) -> Item:
        """The response with another text and other calls in it."""
        ...

    def own_reply(self, body: Mapping[str, Any], said: Said) -> Item:
        """A response that no upstream gave."""
        ...

    def said_by_us(self, text: str, calls: Sequence[Written]) -> Said:
        """A reply that no model gave, as it stands in a history."""
        ...

    def result(self, call_id: str, text: str) -> Item:
        """The result of a call."""
        ...

    def words(self, text: str) -> Item:
        """Words of the user."""
        ...

    def with_text(self, item: Item, added: str) -> Item:
        """An item with text behind its own."""
        ...

    def usage(self, payload: Mapping[str, Any]) -> "Usage":
        """What a response says it cost."""
        ...

    def error_events(self, body: bytes) -> Iterator[bytes]:
        """A successful answer that is no reply, told to a client that waits for a stream."""
        ...

    def events(self, payload: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[bytes]:
        """The response as the stream of events a client asked for."""
        ...


@dataclass(frozen=True)
class Usage:
    """Tokens of one response; null when it does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None


def total_usage(payloads: Sequence[Mapping[str, Any]]) -> Item | None:
    """What several responses say they cost together; null when none of them says."""
    told = [one for payload in payloads if isinstance(one := payload.get("usage"), dict)]
    return reduce(_added, told) if told else None


def _added(one: Item, other: Item) -> Item:
    """Counts of both, member by member; what is no count is taken from the first that has it."""
    sums = dict(one)
    for name, value in other.items():
        before = sums.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            sums[name] = _added(before, value)
        elif count_of(before) is not None and count_of(value) is not None:
            sums[name] = before + value
        elif before is None:
            sums[name] = value
    return sums


def text_of(content: object) -> str:
    """Text of a message's content, parts that are no text left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def error_of(body: bytes) -> Item:
    """What to tell of an answer that is no reply: its own error, or that it is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and value.get("error"):
        return value
    shown = body[:200].decode("utf-8", "replace")
    what = f"the upstream's answer is no reply: {shown}"
    return {"error": {"message": what, "type": "upstream_error", "code": "no_reply", "param": None}}


def count_of(value: object) -> int | None:
    """A number of tokens; null when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        return None
    return int(value)


def mapping(value: object, what: str) -> Mapping[str, Any]:
    """The value as an object.

    Raises:
        MalformedBodyError: it is none.
    """
    if not isinstance(value, Mapping):
        message = f"{what} is no object"
        raise MalformedBodyError(message)
    return value


def mappings(value: object, what: str) -> list[Mapping[str, Any]]:
    """The value as a list of objects.

    Raises:
        MalformedBodyError: it is none.
    """
    if not isinstance(value, list):
        message = f"{what} is no list"
        raise MalformedBodyError(message)
    return [mapping(item, f"an item of {what}") for item in value]


def chat_tool(tool: Mapping[str, Any]) -> Item | None:
    """A function definition in chat form, whatever form it has; null when it is no function."""
    if tool.get("type") != "function":
        return None
    if isinstance(tool.get("function"), dict):
        return dict(tool)
    return {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}}
