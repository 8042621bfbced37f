"""What an editor gets (`Brief`), what it gives (`Proposal`), and the `Editor` protocol."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from schemas.episode import Episode
from schemas.failures import FailurePatternRow, RuleHitRow
from schemas.fields import Layer
from tasks.agent.protocols import JsonObject
from tasks.editor.manifest import Manifest
from tasks.editor.session import Session
from tasks.harness import Harness


@dataclass(frozen=True)
class RejectedEdit:
    """An edit that the gate refused; a negative example for the next round."""

    child_harness_id: str
    layer: Layer
    artifact: str
    body: str
    reason: str
    title: str = ""
    findings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Brief:
    """Everything an editor may know: train episodes only, never the gold answer.

    Attributes:
        tools: tool definitions in OpenAI form; empty when they are unknown.
        terminal_tools: tools that end an episode; empty when unknown.
        non_progress: beginnings of observations that mean nothing has changed.
        talk_tools: tools that speak to a user, whose answer is their result.
        patterns: recurring failures that may be edited for, most frequent first.
        episodes: failed and successful runs of `train` tasks.
        rejected: edits the gate has refused so far.
    """

    environment: str
    harness: Harness
    tools: tuple[JsonObject, ...] = ()
    terminal_tools: frozenset[str] = frozenset()
    non_progress: tuple[str, ...] = ()
    talk_tools: frozenset[str] = frozenset()
    patterns: tuple[FailurePatternRow, ...] = ()
    hits: tuple[RuleHitRow, ...] = ()
    episodes: tuple[Episode, ...] = ()
    rejected: tuple[RejectedEdit, ...] = ()
    round: int = 1
    seed: int = 0
    system_prompt: str = ""
    calls_as_text: bool = False
    """Whether the model writes its calls as one JSON object of text, for want of native ones."""


@dataclass(frozen=True)
class Proposal:
    """A child harness that differs from its parent in one layer, and why."""

    parent: Harness
    child: Harness
    layer: Layer
    artifact: str
    kind: str
    title: str
    manifest: Manifest = field(default_factory=Manifest)
    pattern_id: str | None = None
    revision: int = 0


class Editor(Protocol):
    """Turns a brief into proposals and may revise one that was refused."""

    @property
    def name(self) -> str:
        """Name in the words of the command line."""
        ...

    @property
    def is_decoy(self) -> bool:
        """Whether its proposals exist to test the gate and are tried singly."""
        ...

    async def propose(self, brief: Brief) -> list[Proposal]:
        """Propose edits of the brief's harness, the most promising first."""
        ...

    async def revise(self, proposal: Proposal, findings: Sequence[str]) -> Proposal | None:
        """Answer the gate's findings with a better proposal, or give up with null."""
        ...


@runtime_checkable
class KeepsSessions(Protocol):
    """An editor with a model or a command behind it, whose work is stored."""

    @property
    def sessions(self) -> Sequence[Session]:
        """Everything it did so far, in order, also what broke off."""
        ...


def pattern_members(pattern: FailurePatternRow) -> Iterator[tuple[str, int | None]]:
    """Trajectories of a pattern with their step.

    Reads `[[id, step], …]`, `[{"trajectory_id": …, "step_index": …}, …]` or `[id, …]`.
    """
    try:
        value = json.loads(pattern.members)
    except (ValueError, RecursionError):
        return
    for item in value if isinstance(value, list) else []:
        if isinstance(item, str):
            yield item, None
        elif isinstance(item, dict):
            step = item.get("step_index", item.get("step"))
            yield str(item.get("trajectory_id", "")), step if isinstance(step, int) else None
        elif isinstance(item, list) and item:
            step = item[1] if len(item) > 1 else None
            yield str(item[0]), step if isinstance(step, int) else None
