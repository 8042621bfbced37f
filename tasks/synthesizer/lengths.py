"""Cutting the two sides of a pair to a like length, so that length is not what is learned."""

from collections.abc import Sequence
from math import log

from schemas.ids import canonical_json
from tasks.agent.conversation import Message

LIKE = 1.2
"""Sides whose lengths differ by no more than this factor are alike."""


def equalised(
    chosen: Sequence[Message], rejected: Sequence[Message], least: int
) -> tuple[list[Message], list[Message]]:
    """Cut both sides behind an assistant message.

    Of all cuts whose lengths are alike the longest are taken, else those that differ least. The
    chosen side keeps at least `least` turns, the rejected one at least the turn that deviates.
    """
    left, right = _ends(chosen), _ends(rejected)
    cuts = [(i, j) for i in left[max(0, least - 1) :] or left[-1:] for j in right]
    if not cuts:
        return list(chosen), list(rejected)
    sizes = {
        "chosen": [0, *_running(chosen)],
        "rejected": [0, *_running(rejected)],
    }

    def rank(cut: tuple[int, int]) -> tuple[float, int]:
        one, other = sizes["chosen"][cut[0]], sizes["rejected"][cut[1]]
        gap = abs(log(one / other))
        return (0.0 if gap <= log(LIKE) else gap, -(one + other))

    i, j = min(cuts, key=rank)
    return list(chosen[:i]), list(rejected[:j])


def _ends(messages: Sequence[Message]) -> list[int]:
    return [place + 1 for place, item in enumerate(messages) if item["role"] == "assistant"]


def _running(messages: Sequence[Message]) -> list[int]:
    """Length up to and with each message; what came back to the agent is not counted."""
    total, sums = 0, list[int]()
    for message in messages:
        total += len(canonical_json(message)) if message["role"] == "assistant" else 0
        sums.append(total)
    return sums
