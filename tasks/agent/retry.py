"""When a request is repeated, and how long to wait first."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
LOST_STATUS = 599
"""Stands for a request that brought no response."""
UNREADABLE_STATUS = 598
"""Stands for a response that holds no completion, whatever its status said."""
UNREADABLE_REPEATS = 2
"""Repetitions after such responses: they cost money, and a wrong address gives nothing else."""
PAUSED = frozenset({429, 503})
"""Statuses whose `Retry-After` is meant for everybody who asks there."""
_RETRYABLE = frozenset({408, 429})
_OVERFLOW = re.compile(
    r"context_length_exceeded|context (length|window|size)|maximum context"
    r"|prompt is too long|too many (input )?tokens|exceeds? the .{0,30}token",
    re.IGNORECASE,
)
_NO_MONEY = "insufficient_quota"


@dataclass(frozen=True)
class Refusal:
    """A response of an endpoint that holds no completion.

    Attributes:
        status: HTTP status.
        text: what the server said, bounded and without secrets.
        wait_s: how long the server asks to wait; null when it does not say.
        hint: what the user can do about it, where that is known already.
    """

    status: int
    text: str
    wait_s: float | None = None
    hint: str = ""

    @property
    def has_no_money(self) -> bool:
        """Whether the account behind the key is empty."""
        return _NO_MONEY in self.text

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later."""
        if self.has_no_money:
            return False
        return self.status in _RETRYABLE or self.status >= 500

    def is_hopeless(self, refused: Sequence["Refusal"]) -> bool:
        """Whether no further response of the kind is waited for."""
        unreadable = sum(one.status == UNREADABLE_STATUS for one in refused)
        return self.status == UNREADABLE_STATUS and unreadable > UNREADABLE_REPEATS

    @property
    def is_overflow(self) -> bool:
        """Whether the conversation is too long for the model."""
        return self.status in {400, 413, 422} and bool(_OVERFLOW.search(self.text))


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """Read `retry-after-ms` or `Retry-After` in seconds; dates and nonsense count as unsaid."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            value = float(headers.get(name, "")) / scale
        except ValueError:
            continue
        if 0 <= value < float("inf"):
            return value
    return None


def backoff_s(attempt: int, rng: random.Random) -> float:
    """Wait before repetition `attempt` (from 0): doubling, bounded, with jitter down to half."""
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0**attempt)
    return wait * (0.5 + rng.random() / 2)
