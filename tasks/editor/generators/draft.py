"""What a generator gets (`Target`) and gives (`Draft`)."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from schemas.failures import FailurePatternRow
from schemas.fields import Layer
from tasks.agent.protocols import JsonObject
from tasks.editor.facts import Facts
from tasks.editor.reading import Run, as_object


@dataclass(frozen=True)
class Member:
    """A failed run of a pattern and the step its label points at."""

    run: Run
    step: int | None


@dataclass(frozen=True)
class Target:
    """A pattern with its signature read and its members at hand."""

    pattern: FailurePatternRow
    signature: JsonObject
    members: tuple[Member, ...]

    @property
    def kind(self) -> str:
        """Kind of the trigger signature; empty when the pattern carries none."""
        kind = self.signature.get("kind")
        return kind if isinstance(kind, str) else ""

    def text(self, key: str) -> str:
        """A text of the signature; empty when it is missing."""
        value = self.signature.get(key)
        return value if isinstance(value, str) else ""

    @property
    def runs(self) -> tuple[Run, ...]:
        """Failed runs of the pattern."""
        return tuple(member.run for member in self.members)


@dataclass(frozen=True)
class Draft:
    """One artifact to put into the harness, and the reasons for the manifest."""

    layer: Layer
    name: str
    body: str
    kind: str
    title: str
    root_cause: str
    why_safe: str
    watch: str = ""
    risks: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


Generator = Callable[[Facts, Target], list[Draft]]


def read_target(facts: Facts, pattern: FailurePatternRow) -> Target:
    """Resolve a pattern's members to runs; members that are not at hand are left out."""
    found: dict[str, Member] = {}
    for run_id, step in _members(pattern.members):
        if run_id in facts.by_id:
            found.setdefault(run_id, Member(facts.by_id[run_id], step))
    signature = as_object(pattern.signature) or {}
    return Target(pattern, signature, tuple(found[key] for key in sorted(found)))


def _members(text: str) -> Iterator[tuple[str, int | None]]:
    """Read `[[id, step], …]`, `[{"trajectory_id": …, "step_index": …}, …]` or `[id, …]`."""
    try:
        value = json.loads(text)
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
