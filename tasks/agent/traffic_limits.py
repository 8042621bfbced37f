"""What one endpoint is asked to bear: requests and tokens a minute, pauses, repetitions.

An account knows numbers only. Whoever wants to send books a start time, in the order of asking,
and sleeps until then: no queue, no polling, and nobody overtakes. Accounts are kept by endpoint
for the whole process, because a minute outlives the event loop of one stage.
"""

import asyncio
from dataclasses import dataclass

from schemas.settings import Limits

MINUTE_S = 60.0


@dataclass
class Account:
    """Requests of this process to one endpoint; times are those of the event loop's clock.

    Attributes:
        next_request: earliest start of the next request by requests a minute.
        next_tokens: the same by tokens a minute.
        paused_until: before this nothing is sent, because the endpoint asked for it.
        requests: requests made, repetitions left out.
        repetitions: repetitions made.
    """

    next_request: float = 0.0
    next_tokens: float = 0.0
    paused_until: float = 0.0
    requests: int = 0
    repetitions: int = 0

    def book(self, limits: Limits, now: float, tokens: float) -> float:
        """Reserve a request of about so many tokens; return when it may start."""
        start = max(now, self.next_request, self.next_tokens, self.paused_until)
        if limits.requests_per_minute:
            self.next_request = start + MINUTE_S / limits.requests_per_minute
        if limits.tokens_per_minute:
            self.next_tokens = start + MINUTE_S * tokens / limits.tokens_per_minute
        return start

    def settle(self, limits: Limits, more_tokens: float) -> None:
        """Correct a reservation by what the request took beyond it; negative where less."""
        if limits.tokens_per_minute:
            self.next_tokens += MINUTE_S * more_tokens / limits.tokens_per_minute

    def pause(self, until: float) -> None:
        """Send nothing before a time; a longer pause that is under way stays."""
        self.paused_until = max(self.paused_until, until)

    def may_repeat(self, limits: Limits) -> bool:
        """Whether one more repetition is within the budget of all requests together."""
        always = limits.max_retries * limits.concurrency
        return self.repetitions < always + limits.retry_share * self.requests


_ACCOUNTS: dict[tuple[str, str], Account] = {}


def account_of(url: str, model: str) -> Account:
    """The account of one model at one address; the same for everybody in this process."""
    return _ACCOUNTS.setdefault((url, model), Account())


async def wait_turn(account: Account, limits: Limits, tokens: float) -> None:
    """Sleep until a request of about so many tokens may start."""
    loop = asyncio.get_running_loop()
    start = account.book(limits, loop.time(), tokens)
    while True:
        if start > loop.time():
            await asyncio.sleep(start - loop.time())
        if account.paused_until <= loop.time():
            return
        start = account.paused_until
