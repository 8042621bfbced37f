"""What an episode is made of, and the id of the trajectory it gives."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from schemas.episode import Episode
from schemas.ids import make_id
from tasks.agent.episode_log import Identity
from tasks.agent.fork import Fork
from tasks.agent.noting import TakesNotes
from tasks.agent.protocols import Environment, Model, Task
from tasks.harness import Harness, Sandbox


@dataclass(frozen=True)
class EpisodeSpec:
    """One episode to run; with `fork`, from a step of a stored episode on.

    `earlier` is the trial before this one, where the agent learns from it.
    """

    task: Task
    seed: int
    repeat: int = 0
    fork: Fork | None = None
    earlier: Episode | None = None

    @property
    def arm(self) -> str:
        """`run`, `reskin:<skin>`, or `fork:<trajectory>:<step>:<name>`."""
        if self.fork:
            return self.fork.arm
        return f"reskin:{self.task.skin}" if self.task.skin else "run"


@dataclass(frozen=True)
class Rig:
    """What the episodes of one call have in common.

    `places` is what calls that run at the same time share, so that no more episodes are open than
    the environment bears; null where it bears any number.
    """

    environment: Environment
    model: Model
    harness: Harness
    sandbox: Sandbox | None
    now: datetime
    places: asyncio.Semaphore | None = None

    def budget(self, spec: EpisodeSpec) -> int:
        """Most turns of an episode: every model call spends a unit, those for notes too."""
        if not isinstance(self.model, TakesNotes):
            return self.environment.step_budget
        written = [note for note in spec.fork.source.notes if not note.carried] if spec.fork else []
        due = len(written) if spec.fork else self.model.notes_due(spec.earlier)
        return self.environment.step_budget - due


def fork_spec(
    source: Episode,
    task: Task,
    step_index: int,
    name: str,
    *,
    extra_text: str = "",
    repeat: int = 0,
) -> EpisodeSpec:
    """Describe a fork: the source up to a step, then the model anew.

    `extra_text` is put before the model at that step, behind what it saw there. The name goes
    into the trajectory's key, so two texts need two names.
    """
    fork = Fork(source, step_index, name, extra_text)
    return EpisodeSpec(task, source.trajectory.seed, repeat, fork)


def trajectory_id(rig: Rig, spec: EpisodeSpec) -> str:
    """Id of the trajectory that a spec gives: a hash of all that determines it."""
    environment = rig.environment
    key = [environment.name, environment.fingerprint, spec.task.task_id, rig.model.fingerprint]
    return make_id("traj", [*key, rig.harness.harness_id, spec.seed, spec.repeat, spec.arm])


def identify(rig: Rig, spec: EpisodeSpec) -> Identity:
    """What the rows of an episode say of it."""
    environment, model, task = rig.environment, rig.model, spec.task
    return Identity(
        trajectory_id=trajectory_id(rig, spec),
        environment=environment.name,
        environment_fingerprint=environment.fingerprint,
        family=task.family,
        task_id=task.task_id,
        split=task.split,
        model=model.name,
        model_fingerprint=model.fingerprint,
        harness_id=rig.harness.harness_id,
        seed=spec.seed,
        repeat=spec.repeat,
        arm=spec.arm,
        budget=rig.budget(spec),
    )
