"""A world that answers the gate's rollouts from a bank of recorded runs.

Two ways to draw. *Apart*: the arms get different runs of a task, as two executions of an agent
whose replies vary; without replacement when the bank is deep enough, else with. *Shared*: both
arms get the same run, as pairs with equal seeds do, and differ only by what is planted.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache

from schemas.episode import Episode
from schemas.ids import make_id, sha256_hex
from schemas.trajectories import TrajectoryRow
from tasks.agent.protocols import Task
from tasks.gate.calibration.bank import Bank, Run
from tasks.gate.calibration.planted import Plant, turned
from tasks.harness import Harness

ENVIRONMENT = "calibration"
MODEL = "recorded"
SPLIT = "select"
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_BASE = f"api: 1\nenvironment: {ENVIRONMENT}\n"
_Drawn = list[tuple[Run, float]]


def base_harness() -> Harness:
    """The harness in force in every arena; empty, since nothing is run."""
    return Harness.from_files({"harness.yaml": _BASE})


def bank_tasks(bank: Bank, limit: int = 0) -> tuple[Task, ...]:
    """The tasks of a bank as tasks of the select split; 0 takes all."""
    names = bank.tasks[:limit] if limit else bank.tasks
    return tuple(Task(name, ENVIRONMENT, "recorded", SPLIT, name) for name in names)


@dataclass(frozen=True)
class Arena:
    """Answers rollouts for one candidate; equal questions get equal answers.

    Attributes:
        plants: planted effects by the name of the artifact that brings them.
        arm_repeats: repeats an arm may ask for, fresh ones included.
    """

    bank: Bank
    seed: int
    arm_repeats: int
    plants: Mapping[str, Plant] = field(default_factory=dict[str, Plant])
    is_shared: bool = False
    is_replaced: bool = False
    _drawn: dict[str, _Drawn] = field(default_factory=dict[str, _Drawn], repr=False)

    async def __call__(
        self, harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
    ) -> list[Episode]:
        """One episode for each task and repeat."""
        return [
            self._episode(harness, task.task_id, repeat) for task in tasks for repeat in repeats
        ]

    def solved(self, harness: Harness, task_id: str, repeat: int) -> bool | None:
        """Outcome of one run."""
        run, luck = self._draw(harness, task_id, repeat)
        if run.solved is None:
            return None
        planted = [self.plants[a.name] for a in harness.artifacts if a.name in self.plants]
        return turned(solved=run.solved, luck=luck, plants=planted, success=self.bank.success)

    def _draw(self, harness: Harness, task_id: str, repeat: int) -> tuple[Run, float]:
        if task_id not in self._drawn:
            self._drawn[task_id] = self._shuffle(task_id)
        drawn = self._drawn[task_id]
        is_new = bool(harness.artifacts) and not self.is_shared
        return drawn[repeat + (self.arm_repeats if is_new else 0)]

    def _shuffle(self, task_id: str) -> _Drawn:
        rng = random.Random(f"{self.seed}/{task_id}")
        runs = list(self.bank.runs[task_id])
        wanted = self.arm_repeats * (1 if self.is_shared else 2)
        if self.is_replaced or len(runs) < wanted:
            chosen = rng.choices(runs, k=wanted)
        else:
            chosen = rng.sample(runs, k=wanted)
        return [(run, rng.random()) for run in chosen]

    def _episode(self, harness: Harness, task_id: str, repeat: int) -> Episode:
        run, _ = self._draw(harness, task_id, repeat)
        solved = self.solved(harness, task_id, repeat)
        return _episode(replace(run, solved=solved), harness.harness_id, task_id, repeat)


@lru_cache(maxsize=200_000)
def _episode(run: Run, harness_id: str, task_id: str, repeat: int) -> Episode:
    trajectory_id = make_id("traj", [harness_id, task_id, repeat, run.solved])
    outcome = "unknown" if run.solved is None else "success" if run.solved else "failure"
    # Made from values that are valid by construction, many thousands of them.
    row = TrajectoryRow.model_construct(
        trajectory_id=trajectory_id,
        environment=ENVIRONMENT,
        environment_fingerprint=ENVIRONMENT,
        family="recorded",
        task_id=task_id,
        split=SPLIT,
        model=MODEL,
        model_fingerprint=MODEL,
        harness_id=harness_id,
        seed=0,
        repeat=repeat,
        arm="run",
        origin="rollout",
        outcome=outcome,
        outcome_rule="checker",
        termination="fault" if run.solved is None else "finished",
        fault="model" if run.solved is None else None,
        steps=1,
        prompt_tokens=run.prompt_tokens,
        completion_tokens=run.completion_tokens,
        transcript_sha256=sha256_hex(trajectory_id),
        created_at=_NEVER,
    )
    return Episode(row, (), ())
