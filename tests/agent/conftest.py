"""A tiny deterministic world, and the pieces that run an episode in it."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.episode import Episode
from schemas.errors import EnvironmentFault
from schemas.fields import Split
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.protocols import ActResult, Call, Model, Task, ToolSpec, Verdict, World
from tasks.agent.rollout import run_episodes
from tasks.harness import Harness, Sandbox

NOW = datetime(2030, 1, 1, tzinfo=UTC)
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
NOTHING = {"type": "object", "properties": {}}


@dataclass
class CounterWorld:
    """Count to the target of the task, then hand it in."""

    target: int
    count: int = 0
    handed_in: bool = False
    is_closed: bool = False
    acts: list[Call] = field(default_factory=list)

    @property
    def opening(self) -> str:
        return "The counter stands at 0."

    def act(self, call: Call) -> ActResult:
        self.acts.append(call)
        match call:
            case Call("add", {"n": int(n)}):
                self.count += n
                return ActResult(f"The counter stands at {self.count}.")
            case Call("hand_in", _):
                self.handed_in = True
                return ActResult("Handed in.", done=True)
            case Call("crash", _):
                message = "the world broke"
                raise ZeroDivisionError(message)
            case Call("fault", _):
                message = "the grader is gone"
                raise EnvironmentFault(message)
            case _:
                return ActResult("n must be an integer.", is_error=True, error_kind="schema")

    def admissible(self) -> tuple[str, ...] | None:
        return None

    def snapshot(self) -> bytes:
        return json.dumps([self.target, self.count, self.handed_in]).encode()

    def restore(self, state: bytes) -> None:
        self.target, self.count, self.handed_in = json.loads(state)

    def verdict(self) -> Verdict:
        passed = self.handed_in and self.count == self.target
        return Verdict("success" if passed else "failure", float(passed), {"count": self.count})

    def close(self) -> None:
        self.is_closed = True


@dataclass
class CounterEnvironment:
    name: str = "counter"
    fingerprint: str = "counter-1"
    tools: tuple[ToolSpec, ...] = (
        ToolSpec("add", "Add n to the counter.", NUMBER),
        ToolSpec("hand_in", "Hand in the counter.", NOTHING),
        ToolSpec("crash", "Break the world.", NOTHING),
        ToolSpec("fault", "Lose the grader.", NOTHING),
    )
    system_prompt: str = "You count."
    step_budget: int = 6
    terminal_tools: frozenset[str] = frozenset({"hand_in"})
    non_progress: tuple[str, ...] = ()
    is_forkable: bool = True
    worlds: list[CounterWorld] = field(default_factory=list)

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return tuple(
            Task(f"counter/{family}/{n}", "counter", family, split, f"Count to {n}.")
            for n in range(1, 4)
            for family in ("small", "big")
        )

    def start(self, task: Task, seed: int) -> World:
        world = CounterWorld(int(task.task_id.rsplit("/", 1)[1]))
        self.worlds.append(world)
        return world

    def expert_call(self, task: Task, world: World) -> Call:
        target, count, _ = json.loads(world.snapshot())
        return Call("add", {"n": target - count}) if count != target else Call("hand_in", {})


def make_harness(**files: str) -> Harness:
    """A harness of the counter world; files by name without the ending."""
    texts = {
        "harness.yaml": "api: 1\nenvironment: counter\n",
        "contract.md": files.get("contract", ""),
        "actions.py": files.get("actions", ""),
        "regulation.py": files.get("regulation", ""),
    }
    return Harness.from_files(texts)


@dataclass
class Bench:
    """Runs episodes of the counter world."""

    environment: CounterEnvironment = field(default_factory=CounterEnvironment)
    harness: Harness = field(default_factory=make_harness)
    now: datetime = NOW

    @property
    def task(self) -> Task:
        return self.environment.tasks("train")[4]

    def run(self, model: Model, *specs: EpisodeSpec, **options: Any) -> list[Episode]:
        async def main() -> list[Episode]:
            async with Sandbox(workers=1) as sandbox:
                rig = Rig(self.environment, model, self.harness, sandbox, self.now)
                chosen: Sequence[EpisodeSpec] = specs or [EpisodeSpec(self.task, seed=7)]
                return await run_episodes(chosen, rig, **options)

        return asyncio.run(main())

    def one(self, model: Model, *specs: EpisodeSpec) -> Episode:
        (episode,) = self.run(model, *specs)
        return episode


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def harness_of() -> Callable[..., Harness]:
    return make_harness
