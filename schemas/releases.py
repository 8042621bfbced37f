"""Rows of what people decide about a harness in production, and of what production says of it."""

from typing import Literal

from schemas.fields import Count, HarnessId, NonNegative, Row, Timestamp, UnitInterval

HarnessState = Literal["draft", "accepted", "canary", "released", "retired"]
DecidedState = Literal["canary", "released", "retired"]
ProductionOutcome = Literal["better", "worse", "undecided"]


class HarnessStateRow(Row):
    """One decision of a person about a harness; the newest of an environment and harness holds."""

    environment: str
    """Environment whose agents the decision is about."""
    ordinal: Count
    """How many decisions the environment had before; decisions are read in this order."""
    harness_id: HarnessId
    """Harness that was decided about."""
    state: DecidedState
    """State from now on; `draft` and `accepted` are not decided but follow from other rows."""
    decision: Literal["promote", "rollback"]
    """Command that was given; a rollback takes the newest release off, it adds none."""
    is_forced: bool
    """Whether it was promoted although the gate never accepted it, or production found it worse."""
    reason: str
    """Reason given, as it was typed, or what the state follows from."""
    created_at: Timestamp
    """When it was decided (UTC)."""


class ProductionVerdictRow(Row):
    """One look at a comparison of two arms in production."""

    verdict_id: str
    """Hash of environment, arms, alpha and of every session that was read."""
    environment: str
    """Environment."""
    treatment_harness_id: HarnessId
    """Harness that is tried."""
    control_harness_id: HarnessId | None
    """Harness of the other arm; null when it passes everything unchanged."""
    alpha: UnitInterval
    """Chance allowed of any verdict, ever, when the arms do not differ."""
    outcome: ProductionOutcome
    """What this look says of the tried harness."""
    e_better: NonNegative
    """e-value of the tried harness being better."""
    e_worse: NonNegative
    """e-value of the tried harness being worse."""
    threshold: NonNegative
    """e-value that either needs."""
    treated: Count
    """Sessions with the tried harness whose outcome is known."""
    treated_successes: Count
    """How many of them succeeded."""
    controls: Count
    """Sessions of the other arm whose outcome is known."""
    control_successes: Count
    """How many of them succeeded."""
    treated_unknown: Count
    """Sessions with the tried harness whose outcome is not known, or doubted."""
    control_unknown: Count
    """Sessions of the other arm whose outcome is not known, or doubted."""
    difference: float | None
    """Success with the tried harness less success of the other arm; null when an arm is empty."""
    difference_lo: float
    """Lower end of its confidence sequence, which holds at all looks together."""
    difference_hi: float
    """Upper end of it."""
    resolvable: UnitInterval | None
    """Smallest true difference that these sessions show with power .8; null when none is."""
    created_at: Timestamp
    """When it was looked (UTC)."""
