"""A model inside an agent loop; the loop is part of its name and of its fingerprint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.episode import Episode
from schemas.ids import make_id
from schemas.text import clean_text
from tasks.agent.loops.notes import NOTE_CHARS, with_notes
from tasks.agent.loops.protocol import Loop
from tasks.agent.loops.reflexion import MEMORY
from tasks.agent.noting import Note
from tasks.agent.protocols import (
    Conversation,
    EpisodeContext,
    ManagedModel,
    Model,
    ModelReply,
)
from tasks.agent.run_limits import usd_per_token, within_caps
from tasks.agent.sources import source_hash

Message = Mapping[str, Any]


@dataclass(frozen=True)
class LoopedModel:
    """A model that acts in a loop other than `tool_call`."""

    inner: Model
    loop: Loop

    @property
    def name(self) -> str:
        """The model and the loop."""
        return f"{self.inner.name} in {self.loop.name}"

    @property
    def fingerprint(self) -> str:
        """Hash of the model and of the loop's code, which holds all its words."""
        modules = ("loops.notes", "loops.looped_model", f"loops.{self.loop.name}")
        code = source_hash(*(f"tasks.agent.{module}" for module in modules))
        return make_id("model", [self.inner.fingerprint, self.loop.name, code])

    @property
    def is_simulated(self) -> bool:
        """Whether the model is."""
        return self.inner.is_simulated

    @property
    def is_deterministic(self) -> bool:
        """Whether a trial of a task equals the one before: not where the agent learns from it."""
        return self.inner.is_deterministic and not self.learns

    @property
    def learns(self) -> bool:
        """Whether a trial of a task depends on the trials before it."""
        return self.loop.learns

    @property
    def usd_per_token(self) -> float | None:
        """As of the model."""
        return usd_per_token(self.inner)

    async def __aenter__(self) -> "LoopedModel":
        if isinstance(self.inner, ManagedModel):
            await self.inner.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        if isinstance(self.inner, ManagedModel):
            await self.inner.__aexit__(*exc)

    def notes_due(self, earlier: Episode | None) -> int:
        """Requests for notes before the first turn; each spends one unit of budget."""
        return int(self.loop.due(earlier, ()) is not None)

    def open(self, context: EpisodeContext) -> Conversation:
        """Start an episode."""
        inner = within_caps(self.inner.open(context), self.inner)
        return LoopedConversation(self, context, inner)


def without_loop(model: Model) -> Model:
    """The model itself, whatever loop it acts in."""
    return model.inner if isinstance(model, LoopedModel) else model


@dataclass
class LoopedConversation:
    """One episode in a loop.

    Attributes:
        notes: what the agent is shown of its own writing, oldest first.
    """

    model: LoopedModel
    context: EpisodeContext
    inner: Conversation
    notes: tuple[Note, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        earlier = self.context.earlier
        carried = earlier.notes if earlier else ()
        memory = [
            Note(row.kind, row.text, row.about_trajectory_id or "", is_carried=True)
            for row in carried
            if row.kind == "reflection"
        ]
        self.notes = (*memory, *self.context.notes)

    async def prepare(
        self, messages: Sequence[Message], tools: Sequence[Message]
    ) -> ModelReply | None:
        """Have the model write the note that is due; null when none is."""
        due = self.model.loop.due(self.context.earlier, tools)
        if due is None:
            return None
        told = with_notes(messages, self.notes)
        asked = {**told[-1], "content": f"{told[-1].get('content') or ''}\n\n{due.ask}"}
        reply = await self.inner.reply([*told[:-1], asked], ())
        note = Note(due.kind, clean_text(reply.text).strip()[:NOTE_CHARS], due.about)
        self.notes = (*self.notes, note)[-MEMORY:]
        return reply

    async def reply(self, messages: Sequence[Message], tools: Sequence[Message]) -> ModelReply:
        """Answer as the loop has it.

        Built-in models read the chat form and write native calls only, so the loop puts their
        calls into its own words and reads them back.
        """
        loop = self.model.loop
        if self.model.is_simulated:
            told = with_notes(loop.unvoice(messages), self.notes)
            return loop.read(loop.voice(await self.inner.reply(told, tools)))
        told, offered = loop.tell(messages, tools, self.notes)
        return loop.read(await self.inner.reply(told, offered))
