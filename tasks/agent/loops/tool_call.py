"""The loop `tool_call`: native calls, one reply a turn, nothing written in between."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.episode import Episode
from tasks.agent.loops.notes import with_notes
from tasks.agent.loops.protocol import NoteRequest
from tasks.agent.noting import Note
from tasks.agent.protocols import (
    ModelReply,
)

Message = Mapping[str, Any]


class ToolCall:
    """Native calls; loops that differ only in what the agent notes build on it."""

    name = "tool_call"
    learns = False

    def due(self, earlier: Episode | None, tools: Sequence[Message]) -> NoteRequest | None:  # noqa: ARG002
        """Nothing."""
        return None

    def tell(
        self, messages: Sequence[Message], tools: Sequence[Message], notes: Sequence[Note]
    ) -> tuple[Sequence[Message], Sequence[Message]]:
        """The conversation as it is, notes behind the task."""
        return with_notes(messages, notes), tools

    def voice(self, reply: ModelReply) -> ModelReply:
        """As it is."""
        return reply

    def unvoice(self, messages: Sequence[Message]) -> Sequence[Message]:
        """As it is."""
        return messages

    def read(self, reply: ModelReply) -> ModelReply:
        """As it is."""
        return reply
