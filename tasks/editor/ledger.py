"""What an editor has spent in a round, over all of its conversations, against its caps."""

from dataclasses import dataclass

from schemas.editors import EditorStop
from schemas.settings import EditorSettings
from tasks.agent.protocols import ModelReply

CHARS_PER_TOKEN = 4


@dataclass
class Ledger:
    """Spending of one round.

    Tokens of an endpoint that does not count them are estimated from characters. A cost cap holds
    only when the endpoint has a price: without one nobody knows the cost.
    """

    caps: EditorSettings
    tokens: int = 0
    cost_usd: float = 0.0
    proposals: int = 0
    queries: int = 0
    checks: int = 0
    rollouts: int = 0
    leaks: int = 0

    def may_ask(self, chars: int) -> EditorStop | None:
        """Why the model may not be asked once more with a prompt of so many characters."""
        if self.tokens + chars // CHARS_PER_TOKEN > self.caps.tokens:
            return "tokens"
        if self.caps.cost_usd is not None and self.cost_usd >= self.caps.cost_usd:
            return "cost"
        return None

    def book(self, reply: ModelReply, chars: int) -> None:
        """Count a reply to a prompt of so many characters."""
        sent, written = reply.prompt_tokens, reply.completion_tokens
        self.tokens += chars // CHARS_PER_TOKEN if sent is None else sent
        said = len(reply.text) + sum(len(call.arguments) for call in reply.calls)
        self.tokens += said // CHARS_PER_TOKEN if written is None else written
        self.cost_usd += reply.cost_usd or 0.0

    @property
    def may_query(self) -> bool:
        """Whether another query may be asked."""
        return self.queries < self.caps.queries

    @property
    def may_check(self) -> bool:
        """Whether another candidate may be tried out; not after text of closed tasks was tried."""
        return self.checks < self.caps.checks and not self.leaks

    @property
    def may_submit(self) -> bool:
        """Whether another edit may be handed in."""
        return self.proposals < self.caps.proposals
