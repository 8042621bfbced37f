"""When a request is repeated, and how long to wait first."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
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
