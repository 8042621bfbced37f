"""What sessions and replays of stored episodes have in common: rules asked, turns read."""

from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from .arguments import parse_arguments
from .rules import RuleFile
from .sandbox import RuleOutcome
from .timeline import Timeline
from .values import Action, Decision


class RuleRunner(Protocol):
    """Whatever runs rules for a session; a `Sandbox`, or something that stands before one."""

    async def evaluate(
        self, rules: RuleFile, timeline: Timeline, *, skip: Collection[str] = ()
    ) -> list[tuple[RuleOutcome, ...]]:
        """What the rules that are not skipped do at each point."""
        ...


def read_action(name: str | None, raw_arguments: str | None, raw_text: str) -> Action:
    """Parse a turn of the model as it was written."""
    if name is None:
        return Action(None, None, raw_text)
    parsed = parse_arguments(raw_arguments)
    return Action(name, parsed.value, raw_text, parsed.error)


def joined(first: Decision, second: Decision) -> Decision:
    """Put the rescue of a call and the judgement of that call together, nothing told twice."""
    told = {(fault.artifact_id, fault.kind) for fault in first.faults}
    rescues = tuple(done for done in first.interventions if done.kind == "rescue")
    judged = tuple(done for done in second.interventions if done.kind != "rescue")
    return replace(
        second,
        parse_error=first.parse_error,
        interventions=rescues + judged,
        faults=first.faults
        + tuple(fault for fault in second.faults if (fault.artifact_id, fault.kind) not in told),
    )
