"""What the proxy remembers of a conversation: what its client was not shown.

A conversation is recognised by everything in it, so a client that goes back to an earlier point
is understood as well. What has been forgotten is read from the history of the request again.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from tasks.harness import Call, Conditioned, SessionState
from tasks.proxy.forms import Item, Said, Talk, Written

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of remembered items, about a third of what they take in memory."""


@dataclass(frozen=True)
class Chain:
    """Items sent so far; every conversation shares those it has in common with an earlier one."""

    items: tuple[Item, ...] = ()
    before: "Chain | None" = None

    def then(self, items: Sequence[Item]) -> "Chain":
        """The same with items behind it."""
        return Chain(tuple(items), self) if items else self

    def __iter__(self) -> Iterator[Item]:
        """All items in order."""
        parts: list[tuple[Item, ...]] = []
        at: Chain | None = self
        while at is not None:
            parts.append(at.items)
            at = at.before
        return chain.from_iterable(reversed(parts))


@dataclass(frozen=True)
class Given:
    """What became of one call of a reply.

    Attributes:
        executed: the call the client was given; null when it was given none that can run.
        hidden: result that the proxy gave itself; null when the client is to give it.
        is_rescued: whether the model wrote prose and the client was given a call.
    """

    call_id: str
    executed: Call | None
    hidden: str | None = None
    is_error: bool = False
    is_rescued: bool = False


@dataclass(frozen=True)
class Remembered:
    """Where a conversation stands behind one of its replies.

    Attributes:
        sent: items behind the opening that the model has seen, without that reply.
        reply: the reply as the model gave it; null when the client was given the same.
        turns: turns of the model so far, those kept from the client included.
    """

    conversation: str
    opening: Conditioned
    session: SessionState
    sent: Chain
    reply: tuple[Item, ...] | None
    given: tuple[Given, ...]
    turns: int


@dataclass
class Memory:
    """Forgets what was not used for longest once it holds too much."""

    most_bytes: int = MOST_BYTES
    _known: OrderedDict[str, tuple[Remembered, int]] = field(
        default_factory=OrderedDict[str, tuple[Remembered, int]]
    )
    _bytes: int = 0

    def get(self, key: str) -> Remembered | None:
        """What is known of a conversation at this point; null when nothing is."""
        found = self._known.get(key)
        if found is None:
            return None
        self._known.move_to_end(key)
        return found[0]

    def put(self, key: str, remembered: Remembered, size: int) -> None:
        """Remember; `size` is about how many bytes this point adds to those before."""
        old = self._known.pop(key, None)
        self._bytes += size - (old[1] if old else 0)
        self._known[key] = (remembered, size)
        while self._bytes > self.most_bytes and len(self._known) > 1:
            _, (_, freed) = self._known.popitem(last=False)
            self._bytes -= freed


class Key:
    """Name of a point in a conversation, made from everything that was said up to it.

    Clients write what they were given in their own way (spaces in arguments, null for empty
    text), so only what it says counts.
    """

    def __init__(self, *start: str) -> None:
        """Begin with whatever tells conversations with equal words apart."""
        self._hash = hashlib.sha256(json.dumps(start).encode("utf-8", "surrogatepass"))

    def of_talk(self, talk: Talk) -> str | None:
        """The point behind the last reply of a request's history; null when there is none."""
        self._add([[one.get("role"), one.get("content")] for one in talk.opening])
        name: str | None = None
        for exchange in talk.exchanges:
            name = self.then(exchange.said)
            self._add([[one.call_id, one.text.strip()] for one in exchange.answers])
        return name

    def then(self, said: Said) -> str:
        """The point behind one more reply."""
        self._add([said.text.strip(), [_plain(call) for call in said.calls]])
        return self._hash.hexdigest()

    def _add(self, value: object) -> None:
        text = json.dumps(value, sort_keys=True, default=str)
        self._hash.update(text.encode("utf-8", "surrogatepass"))


def _plain(call: Written) -> list[Any]:
    try:
        arguments: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return [call.call_id, call.tool, arguments]


def size_of(items: Sequence[Mapping[str, Any]]) -> int:
    """About how many bytes items take; counted by their texts, which is what grows."""
    return 500 + sum(_size(item) for item in items)


def _size(value: object) -> int:
    if isinstance(value, str):
        return len(value) + 50
    if isinstance(value, Mapping):
        return 200 + sum(_size(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return 60 + sum(_size(inner) for inner in value)
    return 30
