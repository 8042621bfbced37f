"""Which result belongs to which call: by id, else by position, else the next tool message.

A result without a call and a call without a result are kept; `Paired` says which they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.importers.draft import DraftCall, DraftMessage


@dataclass(frozen=True)
class Paired:
    """A call with its result, or one of the two alone.

    Attributes:
        message: position of the calling message; of the result when there is no call.
        call: the call; null for a result without one.
        result_at: position of the message that carries the result.
    """

    message: int
    call: DraftCall | None
    result_at: int | None = None


@dataclass
class _Open:
    message: int
    call: DraftCall
    result_at: int | None = None


def _fits(open_call: _Open, result: DraftMessage) -> bool:
    is_same_side = result.requestor in (None, open_call.call.requestor)
    return open_call.result_at is None and is_same_side


def _find(opened: Sequence[_Open], result: DraftMessage) -> _Open | None:
    waiting = [item for item in opened if _fits(item, result)]
    if result.result_of:
        named = [item for item in waiting if item.call.native_id == result.result_of]
        return _newest_first(named) or _newest_first([i for i in waiting if not i.call.native_id])
    if result.result_name:
        same = [item for item in waiting if item.call.tool == result.result_name]
        return _newest_first(same) or _newest_first(waiting)
    return _newest_first(waiting)


def _newest_first(items: Sequence[_Open]) -> _Open | None:
    """First waiting call of the newest message that has one."""
    if not items:
        return None
    newest = max(item.message for item in items)
    return next(item for item in items if item.message == newest)


def pair_calls(messages: Sequence[DraftMessage]) -> tuple[Paired, ...]:
    """Pair the calls of a conversation with their results, in order of the calling message."""
    opened: list[_Open] = []
    alone: list[Paired] = []
    for at, message in enumerate(messages):
        if message.copied:
            continue
        if message.role == "tool":
            found = _find(opened[-_WINDOW:], message)
            if found is None:
                alone.append(Paired(at, None, at))
            else:
                found.result_at = at
        opened.extend(_Open(at, call) for call in message.calls)
    paired = [Paired(item.message, item.call, item.result_at) for item in opened]
    return tuple(sorted((*paired, *alone), key=lambda item: item.message))


_WINDOW = 256
"""Newest calls that a result may belong to; keeps pairing linear on huge episodes."""
