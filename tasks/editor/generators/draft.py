"""What a generator gets (`Target`) and gives (`Draft`)."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
    """Patterns of one kind together, the largest first, with their members at hand.

    Patterns differ by tool, form or family; what cures one mostly cures its siblings.
    """

    patterns: tuple[FailurePatternRow, ...]
    members: tuple[Member, ...]

    @property
    def pattern(self) -> FailurePatternRow:
        """The largest pattern."""
        return self.patterns[0]

    @property
    def signatures(self) -> tuple[JsonObject, ...]:
        """Trigger signatures, the most frequent first."""
        return tuple(as_object(pattern.signature) or {} for pattern in self.patterns)

    @property
    def kind(self) -> str:
        """Kind of the trigger signatures; empty when they carry none."""
        return signature_kind(self.pattern) if self.patterns else ""

    def texts(self, key: str) -> tuple[str, ...]:
        """Distinct texts under a key of the signatures, the most frequent first."""
        found: list[object] = []
        for signature in self.signatures:
            value = signature.get(key)
            found.extend(value if isinstance(value, list) else [value])
        return tuple(dict.fromkeys(one for one in found if isinstance(one, str) and one))

    def text(self, key: str) -> str:
        """The most frequent text under a key; empty when there is none."""
        return next(iter(self.texts(key)), "")

    @property
    def runs(self) -> tuple[Run, ...]:
        """Failed runs of the patterns."""
        return tuple(member.run for member in self.members)

    @property
    def run_ids(self) -> frozenset[str]:
        """Ids of the failed runs."""
        return frozenset(member.run.run_id for member in self.members)


def signature_kind(pattern: FailurePatternRow) -> str:
    """Kind that a pattern's signature names; empty when it names none."""
    kind = (as_object(pattern.signature) or {}).get("kind")
    return kind if isinstance(kind, str) else ""


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
    acts: Mapping[str, int] | None = None
    """First step at which it acts, by failed run; null when it acts from the start in all runs
    of its target."""
    family: str = ""
    """The one family of tasks it is for; empty when it is for all."""
    about: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the trigger signature of a pattern must say for the edit to answer it."""


Generator = Callable[[Facts, Target], list[Draft]]


def read_target(facts: Facts, patterns: Sequence[FailurePatternRow]) -> Target:
    """Resolve the members of patterns to runs; members that are not at hand are left out."""
    found: dict[str, Member] = {}
    for pattern in patterns:
        for run_id, step in _members(pattern.members):
            if run_id in facts.by_id:
                found.setdefault(run_id, Member(facts.by_id[run_id], step))
    return Target(tuple(patterns), tuple(found[key] for key in sorted(found)))


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
