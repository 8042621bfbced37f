"""What an agent loop decides: what a model is told, how it is read, what it notes to itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from schemas.episode import Episode
from schemas.notes import NoteKind
from tasks.agent.noting import Note
from tasks.agent.protocols import (
    ModelReply,
)

Message = Mapping[str, Any]


@dataclass(frozen=True)
class NoteRequest:
    """What an agent is asked to write to itself.

    Attributes:
        about: the earlier trial that a reflection is about; empty for a plan.
    """

    kind: NoteKind
    ask: str
    about: str = ""


class Loop(Protocol):
    """One way to turn a model into an agent; harness, world and budget are the same in all."""

    name: str
    learns: bool
    """Whether a trial of a task depends on the trials before it."""

    def due(self, earlier: Episode | None, tools: Sequence[Message]) -> NoteRequest | None:
        """What the agent writes to itself before its first turn; null when nothing is due."""
        ...

    def tell(
        self, messages: Sequence[Message], tools: Sequence[Message], notes: Sequence[Note]
    ) -> tuple[Sequence[Message], Sequence[Message]]:
        """Messages and tools of a request, from the conversation in chat form."""
        ...

    def voice(self, reply: ModelReply) -> ModelReply:
        """A reply of a model that only knows native calls, as this loop would have it written."""
        ...

    def unvoice(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The conversation as such a model knows it: calls, and no words for them beside."""
        ...

    def read(self, reply: ModelReply) -> ModelReply:
        """Find the calls in a reply."""
        ...
