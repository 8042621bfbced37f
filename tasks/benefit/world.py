"""What a diagnosis works with: tasks, models as callbacks, bounds."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from tasks.agent.episode_spec import EpisodeSpec
from tasks.agent.protocols import Task
from tasks.benefit.parameters import DEFAULT, Parameters
from tasks.harness import Harness

Run = Callable[[Harness, Sequence[EpisodeSpec], str], Awaitable[Sequence[Episode]]]
"""Runs specs in a harness for a purpose, one episode for each spec in their order."""


@dataclass(frozen=True)
class BenefitWorld:
    """What a diagnosis works with.

    Attributes:
        seed: seed of all rollouts.
        select: tasks of the benefit rate.
        train: tasks that may be run with skills on demand and become examples.
        run: rolls out the model under diagnosis.
        run_reference: rolls out the reference model; null when it cannot act in this world.
        repeats: rollouts of a task behind the rate.
        rerolls: re-rolls of an arm at one point; one for a deterministic model.
        is_forkable: whether the environment restores bit-exactly.
        is_loadable: whether skills can be offered on demand beside the environment's own tools.
    """

    seed: int
    select: tuple[Task, ...]
    train: tuple[Task, ...]
    run: Run
    run_reference: Run | None
    repeats: range = range(1)
    rerolls: range = range(1)
    is_forkable: bool = True
    is_loadable: bool = True
    parameters: Parameters = DEFAULT
