"""What an editor did, as it will be stored: a bounded transcript, what it cost, why it ended."""

from dataclasses import dataclass, field
from typing import Literal

from schemas.editors import EditorStop
from schemas.text import clean_text
from tasks.agent.protocols import ModelReply

Role = Literal["system", "user", "assistant", "call", "tool", "file", "stdout", "stderr"]
MAX_ENTRY = 24_000
MAX_SESSION = 2_000_000
MAX_LATE_ENTRY = 200
"""What is kept of an entry once the whole transcript is long."""


@dataclass(frozen=True)
class Entry:
    """One entry of a transcript; `refused` is the reason when something was refused."""

    role: Role
    content: str
    tool: str | None = None
    refused: str | None = None


@dataclass
class Session:
    """One conversation with a model, or one run of a command.

    Attributes:
        prompt_tokens: tokens sent; null once a reply did not count them.
        cost_usd: price of the replies; null once one of them had none.
    """

    purpose: Literal["propose", "revise"] = "propose"
    turns: int = 0
    calls: int = 0
    refusals: int = 0
    proposals: int = 0
    rollouts: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost_usd: float | None = 0.0
    exit_code: int | None = None
    stop: EditorStop = "finished"
    detail: str = ""
    duration_s: float | None = None
    entries: list[Entry] = field(default_factory=list[Entry])
    _length: int = 0

    def say(
        self, role: Role, content: str, *, tool: str | None = None, refused: str | None = None
    ) -> None:
        """Add an entry to the transcript."""
        most = MAX_ENTRY if self._length < MAX_SESSION else MAX_LATE_ENTRY
        text = shorten(content, most)
        self._length += len(text)
        self.refusals += refused is not None
        name = None if tool is None else shorten(tool, 200)
        reason = None if refused is None else shorten(refused, 1000)
        self.entries.append(Entry(role, text, name, reason))

    def book(self, reply: ModelReply) -> None:
        """Count a reply of the model."""
        self.turns += 1
        self.prompt_tokens = _sum(self.prompt_tokens, reply.prompt_tokens)
        self.completion_tokens = _sum(self.completion_tokens, reply.completion_tokens)
        if self.cost_usd is not None:
            self.cost_usd = None if reply.cost_usd is None else self.cost_usd + reply.cost_usd

    def end(self, stop: EditorStop, detail: str = "") -> None:
        """Say why it ended."""
        self.stop, self.detail = stop, shorten(detail, 1000)

    def without_model(self) -> None:
        """No model of ours was asked, so nothing is known of tokens and price."""
        self.prompt_tokens = self.completion_tokens = self.cost_usd = None


def shorten(text: str, most: int) -> str:
    """The beginning of a text, with a mark that tells its length when something is missing."""
    cleaned = clean_text(text[: most + 1])
    if len(text) <= most:
        return cleaned
    return f"{cleaned[:most]}…[shortened, {len(text)} characters in all]"


def _sum(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
