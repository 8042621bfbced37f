"""Promises against reality: what came of an accepted edit in later train runs [E, predictions].

An edit is falsified when it broke more tasks than it fixed, or when not one of its promised fixes
came true although enough could have: an edit that fixes each promised task with probability one
half leaves all of n failing with probability 2**-n, so n must make that at most .05. Tasks that
were not run again, or failed on infrastructure, say nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Literal

from tasks.harness import Harness, HarnessError
from tasks.harness.bundle import Change, apply, changes

ERROR = 0.05
LEAST_PROMISES = ceil(-log2(ERROR))
LEAST_RUNS = 20

Outcomes = Mapping[str, bool]
"""Task ids with whether they were solved; tasks without a verdict are left out."""


@dataclass(frozen=True)
class Reality:
    """One edit's promises counted against later runs."""

    runs: int
    observed_fixes: int
    realised_fixes: int
    unpredicted_losses: int

    @property
    def verdict(self) -> Literal["holds", "falsified", "unknown"]:
        """What the counts say."""
        if self.runs < LEAST_RUNS:
            return "unknown"
        if self.unpredicted_losses > self.realised_fixes:
            return "falsified"
        if self.realised_fixes:
            return "holds"
        return "falsified" if self.observed_fixes >= LEAST_PROMISES else "unknown"


def lost_tasks(before: Outcomes, after: Outcomes) -> list[str]:
    """Tasks solved before and not now, sorted."""
    return sorted(task for task, was in before.items() if was and after.get(task) is False)


def compare(
    promised: Sequence[str],
    risks: Sequence[str],
    before: Outcomes,
    after: Outcomes,
    blamed: Sequence[str] = (),
    raised: Collection[str] | None = None,
) -> Reality:
    """Count one edit's promises.

    Args:
        promised: tasks it was to fix.
        risks: tasks it said it may lose.
        before: outcomes under the harness before it.
        after: outcomes under the harness with it.
        blamed: lost tasks that are traced to it.
        raised: tasks that count as fixed where the objective is not success.
    """
    observed = [task for task in set(promised) if before.get(task) is False and task in after]
    return Reality(
        runs=len(after),
        observed_fixes=len(observed),
        realised_fixes=sum(after[task] if raised is None else task in raised for task in observed),
        unpredicted_losses=len(set(blamed) - set(risks)),
    )


def take_back(full: Harness, parent: Harness, child: Harness) -> Harness | None:
    """`full` without what `child` changed; null where a later edit changed the same artifact."""
    now = {(item.layer, item.name): item.body for item in full.artifacts}
    before = {(item.layer, item.name): item.body for item in parent.artifacts}
    made = changes(parent, child)
    if any(now.get((one.layer, one.name)) != one.body for one in made):
        return None
    undo = [Change(one.layer, one.name, before.get((one.layer, one.name))) for one in made]
    try:
        return apply(full, undo)
    except HarnessError:
        return None
