"""A synthetic world for the gate: outcomes are a function of task and harness, nothing is run."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from schemas.episode import Episode
from schemas.fields import Layer, Split
from schemas.ids import make_id
from schemas.trajectories import TrajectoryRow
from tasks.agent.protocols import Task
from tasks.gate.candidate import Candidate, GateSettings, GateWorld
from tasks.gate.findings import Checked
from tasks.harness import Harness

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CYCLE = "cyc_0123456789abcdef"
YAML = "api: 1\nenvironment: sqldesk\n"

Solves = Callable[[Task, Harness, int], bool | None]


def make_episode(task: Task, harness: Harness, repeat: int, outcome: bool | None, tokens: int):
    said = f"{task.task_id}|{outcome}|{harness.harness_id if outcome is not None else ''}|{repeat}"
    key = [task.task_id, harness.harness_id, repeat]
    return Episode(
        trajectory=TrajectoryRow(
            trajectory_id=make_id("traj", key),
            environment=task.environment,
            environment_fingerprint="fp",
            family=task.family,
            task_id=task.task_id,
            split=task.split,
            model="scripted",
            model_fingerprint="scripted",
            harness_id=harness.harness_id,
            seed=7,
            repeat=repeat,
            arm="run",
            origin="rollout",
            outcome="unknown" if outcome is None else "success" if outcome else "failure",
            outcome_rule="checker",
            termination="fault" if outcome is None else "finished",
            fault="model" if outcome is None else None,
            steps=1,
            prompt_tokens=tokens,
            completion_tokens=10,
            transcript_sha256=hashlib.sha256(said.encode()).hexdigest(),
            created_at=NOW,
        ),
        steps=(),
        calls=(),
    )


@dataclass
class SyntheticWorld:
    """Answers rollouts from a rule and counts them."""

    solves: Solves
    tokens: Callable[[Harness], int] = lambda harness: 100
    made: list[tuple[str, str, int]] = field(default_factory=list)

    async def __call__(
        self, harness: Harness, tasks: Sequence[Task], repeats: Sequence[int]
    ) -> list[Episode]:
        episodes = []
        for task in tasks:
            for repeat in repeats:
                self.made.append((harness.harness_id, task.task_id, repeat))
                outcome = self.solves(task, harness, repeat)
                episodes.append(make_episode(task, harness, repeat, outcome, self.tokens(harness)))
        return episodes[::-1]

    def rollouts_of(self, harness: Harness) -> int:
        return len({key for key in self.made if key[0] == harness.harness_id})


def make_tasks(count: int, split: Split = "select") -> tuple[Task, ...]:
    return tuple(
        Task(f"sqldesk/f{i % 4}/{i:03d}", "sqldesk", f"f{i % 4}", split, f"{split} task {i}")
        for i in range(count)
    )


@pytest.fixture
def base() -> Harness:
    return Harness.from_files({"harness.yaml": YAML})


@pytest.fixture
def tasks():
    return make_tasks


@pytest.fixture
def synthetic():
    return SyntheticWorld


@pytest.fixture
def world_of():
    def build(run, select, *, must_pass=(), deterministic=True, seed=7, **settings) -> GateWorld:
        return GateWorld(
            cycle_id=CYCLE,
            seed=seed,
            select=tuple(select),
            must_pass=tuple(must_pass),
            is_deterministic=deterministic,
            run=run,
            settings=GateSettings(**settings),
        )

    return build


@pytest.fixture
def candidate(base):
    def build(
        name: str, body: str | None = None, *, layer: Layer = "contract", **changes
    ) -> Candidate:
        parent = changes.pop("parent", base)
        child = parent.put(layer, name, body if body is not None else f"Text of {name}.")
        edit_id = make_id("edit", [name, child.harness_id])
        return Candidate(
            edit_id=edit_id, parent=parent, child=child, layer=layer, artifact=name, **changes
        )

    return build


@pytest.fixture
def clean():
    def build(*candidates: Candidate) -> list[Checked]:
        return [Checked(entry, "replay") for entry in candidates]

    return build


@pytest.fixture
def run():
    def go(awaitable):
        return asyncio.run(awaitable)

    return go


@pytest.fixture
def has():
    """Whether a harness holds an artifact of that name."""

    def holds(harness: Harness, name: str) -> bool:
        return any(artifact.name == name for artifact in harness.artifacts)

    return holds


@pytest.fixture
def episode_of():
    return make_episode
