"""What the stages need of a world: the one table that stages, cycle and `env check` read."""

from dataclasses import dataclass
from typing import Literal

from schemas.errors import ConfigError
from tasks.agent.offers import (
    EXPERT,
    FORKS,
    GOLD_TEXTS,
    LOADABLE,
    RESKIN,
    SEALED,
    SELECT,
    STEADY,
    TRAIN,
    Offer,
)
from tasks.agent.protocols import Environment

Stage = Literal["collect", "annotate", "edit", "gate", "evaluate", "diagnose", "synthesize"]
Runs = Literal["yes", "less", "no"]
STAGES: tuple[Stage, ...] = (
    "collect",
    "annotate",
    "edit",
    "gate",
    "evaluate",
    "diagnose",
    "synthesize",
)


@dataclass(frozen=True)
class Need:
    """What becomes of a stage in a world that lacks something: it runs with less power, or not."""

    stage: Stage
    offer: Offer
    without: Literal["less", "no"]
    effect: str


NEEDS: tuple[Need, ...] = (
    Need("collect", TRAIN, "no", "there is nothing to run"),
    Need("annotate", TRAIN, "no", "there are no failures to label"),
    Need("edit", TRAIN, "no", "edits are made from train runs"),
    Need("gate", SELECT, "no", "edits are tried on select tasks"),
    Need("gate", FORKS, "less", "no exposure trials: edits are ranked by replay alone"),
    Need("gate", STEADY, "less", "arms differ by chance: tasks run again, noise is measured"),
    Need("gate", GOLD_TEXTS, "less", "edits are not scanned for gold answers"),
    Need("gate", RESKIN, "less", "gains are not tried again under other names"),
    Need("evaluate", SEALED, "no", "there is nothing to score on"),
    Need("diagnose", SELECT, "no", "the benefit rate is measured on select tasks"),
    Need("diagnose", EXPERT, "less", "no benefit rate without --reference openai:NAME"),
    Need("diagnose", FORKS, "less", "uses of skills are counted, activation and cures not tried"),
    Need("diagnose", LOADABLE, "less", "skills cannot be offered on demand: the rate alone"),
    Need("synthesize", LOADABLE, "no", "no skill can be loaded"),
    Need("synthesize", FORKS, "less", "no faithful pairs; calls of skills rest on no trial"),
)
"""A world that lacks nothing runs every stage with full power."""


@dataclass(frozen=True)
class Power:
    """How a stage runs in a world, and why not better."""

    stage: Stage
    runs: Runs
    why: tuple[str, ...]


def powers(environment: Environment) -> tuple[Power, ...]:
    """How every stage runs in a world."""
    return tuple(_power(stage, missing_needs(environment)) for stage in STAGES)


def _power(stage: Stage, missing: tuple[Need, ...]) -> Power:
    mine = [need for need in missing if need.stage == stage]
    stopping = [need for need in mine if need.without == "no"]
    why = tuple(f"{need.effect} ({need.offer.missing})" for need in stopping or mine)
    return Power(stage, "no" if stopping else "less" if mine else "yes", why)


def missing_needs(environment: Environment) -> tuple[Need, ...]:
    """Needs that a world does not meet."""
    return tuple(need for need in NEEDS if not need.offer.is_there(environment))


def require_cycle(environment: Environment) -> None:
    """Refuse a world in which a cycle cannot collect, try or score.

    Raises:
        ConfigError: it has no train, no select or no sealed tasks.
    """
    for offer in (TRAIN, SELECT, SEALED):
        if not offer.is_there(environment):
            what = f"environment `{environment.name}`: {offer.missing}"
            raise ConfigError(what, hint="a cycle needs train, select and sealed tasks")
