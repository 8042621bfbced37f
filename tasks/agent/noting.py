"""Agents that write to themselves before they act: the note, and who keeps or takes one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from schemas.episode import Episode
from schemas.notes import NoteKind

if TYPE_CHECKING:
    from tasks.agent.protocols import ModelReply


@dataclass(frozen=True)
class Note:
    """What an agent wrote to itself.

    Attributes:
        about: id of the trial that a reflection is about; empty for a plan.
        is_carried: whether an earlier trial wrote it.
    """

    kind: NoteKind
    text: str
    about: str = ""
    is_carried: bool = False


@runtime_checkable
class KeepsNotes(Protocol):
    """A conversation of an agent that writes to itself before its first turn."""

    notes: tuple[Note, ...]
    """Everything it is shown of its own writing, oldest first."""

    async def prepare(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], /
    ) -> "ModelReply | None":
        """Write the note that is due, before the first turn; the reply that it came in, if any.

        Raises:
            ModelFault: as `reply`.
        """
        ...


@runtime_checkable
class TakesNotes(Protocol):
    """A model in a loop in which the agent may write to itself."""

    @property
    def learns(self) -> bool:
        """Whether a trial of a task depends on the trials before it, which must be run first."""
        ...

    def notes_due(self, earlier: Episode | None, /) -> int:
        """Requests for notes before the first turn; each spends one unit of budget."""
        ...
