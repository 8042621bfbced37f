"""What an editor may use besides its brief: queries, trial checks, rollouts, each a callback.

Engines do not know the warehouse, the gate or the collector; the stage hands these in. What is
missing (imported episodes have no live world) is refused with a reason.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schemas.episode import Episode
from schemas.fields import Layer
from schemas.settings import EditorSettings
from tasks.editor.manifest import Evidence
from tasks.harness import Harness

LEAK = "It holds text that only answers or closed tasks hold."
"""All that an editor with a model behind it hears of a leak: more would confirm a guess."""

Query = Callable[[str], Awaitable[str]]
"""Answers one SELECT over train rows as text.

Raises:
    EditRejected: it is refused, wrong, or exceeds a limit.
"""


@dataclass(frozen=True)
class Trial:
    """A candidate to be tried out: the artifact it says it changes, and runs it should cover."""

    parent: Harness
    child: Harness
    layer: Layer
    artifact: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Report:
    """What static checks or a replay say of a candidate.

    Attributes:
        findings: what speaks against it, one sentence each.
        facts: numbers of the replay.
        is_leak: whether it holds text of closed tasks or answers; the findings do not say which.
    """

    findings: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict[str, object])
    is_leak: bool = False


class TryOut(Protocol):
    """Checks a candidate without a rollout of the gate."""

    async def __call__(self, trial: Trial, *, replay: bool) -> Report:
        """Run the static checks and, if nothing speaks against it, the replay when asked for."""
        ...


class RunTrain(Protocol):
    """Runs train tasks in a candidate; episodes are stored by the caller."""

    async def __call__(self, harness: Harness, task_ids: Sequence[str]) -> Sequence[Episode]:
        """One episode for each task, in order; faults are episodes too."""
        ...


@dataclass(frozen=True)
class Workshop:
    """What the stage offers to an editor.

    Attributes:
        caps: what it may spend in a round.
        guide: text of the user that is added to the design guide.
        tables: tables that can be queried, with their columns.
        train_tasks: ids of the train tasks of the cycle.
    """

    caps: EditorSettings = field(default_factory=EditorSettings)
    guide: str = ""
    tables: Mapping[str, str] = field(default_factory=dict[str, str])
    train_tasks: tuple[str, ...] = ()
    query: Query | None = None
    try_out: TryOut | None = None
    run: RunTrain | None = None
