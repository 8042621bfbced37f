"""Rules that cannot break a request: whatever happens to the sandbox counts as no rule."""

from collections.abc import Collection
from dataclasses import dataclass, field

from tasks.harness import SandboxError
from tasks.harness.judging import RuleRunner
from tasks.harness.rules import RuleFile
from tasks.harness.sandbox import RuleOutcome
from tasks.harness.timeline import Timeline


@dataclass
class GuardedRules:
    """Stands before a sandbox for one request.

    Attributes:
        sandbox: null when there is none at the moment.
        is_muted: whether nothing is asked, as when a history is told again.
        trouble: what went wrong.
    """

    sandbox: RuleRunner | None
    is_muted: bool = False
    trouble: list[str] = field(default_factory=list[str])

    async def evaluate(
        self, rules: RuleFile, timeline: Timeline, *, skip: Collection[str] = ()
    ) -> list[tuple[RuleOutcome, ...]]:
        """What the rules do, or nothing."""
        nothing: list[tuple[RuleOutcome, ...]] = [()] * len(timeline.points)
        if self.is_muted:
            return nothing
        if self.sandbox is None:
            if not self.trouble:
                self.trouble.append("there is no sandbox")
            return nothing
        try:
            return await self.sandbox.evaluate(rules, timeline, skip=skip)
        except SandboxError as error:
            self.trouble.append(str(error))
            self.sandbox = None
            return nothing
