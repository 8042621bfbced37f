"""Rows of budget-matched arms: what else the same number of rollouts would have bought."""

from typing import Literal

from schemas.fields import Count, CycleId, HarnessId, Row, UnitInterval


class BudgetArmRow(Row):
    """Sealed success of one way to spend a cycle's rollouts."""

    cycle_id: CycleId
    """Cycle whose budget is matched."""
    arm: Literal["evolution", "sampling", "prompt", "random"]
    """`evolution` is the cycle itself; sampling tries each sealed task again and again in the
    base harness; prompt and random are cycles with those editors."""
    arm_cycle_id: str | None
    """Cycle of the arm; null for sampling."""
    harness_id: HarnessId
    """Harness scored."""
    rollouts: Count
    """Rollouts spent before the score, those of scoring left out; of sampling all its tries."""
    tasks: Count
    """Sealed tasks scored."""
    success: UnitInterval | None
    """Share of sealed tasks solved; of sampling the share solved in at least one try, which is an
    upper bound: it needs a verifier when the agent runs."""
    success_lo: UnitInterval | None
    """Lower end of the 95 % Wilson interval."""
    success_hi: UnitInterval | None
    """Upper end of the 95 % Wilson interval."""
    note: str
    """What has to be known to read the number."""
