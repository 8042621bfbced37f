"""Collecting trajectories: what is stored is reused, what is missing is run and landed."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from schemas.episode import Episode
from schemas.errors import CapReached
from schemas.fields import Row
from schemas.forms import CollectForm
from schemas.plans import CollectResult, CyclePlan
from schemas.runs import CycleTrajectoryRow
from tasks.agent.episode_spec import EpisodeSpec, Rig, trajectory_id
from tasks.agent.noting import TakesNotes
from tasks.agent.offers import most_together, noise_of, repeats_alike
from tasks.agent.protocols import (
    Environment,
    Model,
    Task,
)
from tasks.agent.rollout import run_episodes
from tasks.agent.run_limits import limited
from tasks.harness import Harness, Sandbox
from tasks.harness_rows import harness_rows, task_rows
from tasks.progress import count, expect, in_stage
from tasks.run_caps import limits_of, run_within
from tasks.scores import Scored, evaluation_row, is_constrained, require_judged, task_means
from tasks.stage import rare_collections, stage
from tasks.workbench import Workbench, first_tasks

_STORED = """
SELECT trajectory_id FROM trajectories WHERE environment = ? AND model_fingerprint = ?
"""
ROLLOUTS = "rollouts"
BLOCK = 128
"""Episodes that are landed together; a kill loses at most this many."""


def episode_rows(episode: Episode) -> list[Row]:
    """All rows of one episode."""
    return [
        episode.trajectory,
        *episode.steps,
        *episode.calls,
        *episode.interventions,
        *episode.faults,
        *episode.sources,
        *episode.notes,
        *episode.prompts.values(),
    ]


def trajectory_rows(episodes: Iterable[Episode]) -> list[Row]:
    """Rows of many episodes, shared prompts once."""
    unique = {row: None for episode in episodes for row in episode_rows(episode)}
    return list(unique)


@dataclass
class Collector:
    """Runs episodes of one model in one environment for one cycle, each only once ever.

    Episodes are landed block by block, links to the cycle when the collector is closed.

    Attributes:
        cycle_id: cycle that the episodes are linked to; empty for none.
        made: episodes that were not stored before.
    """

    bench: Workbench
    environment: Environment
    model: Model
    sandbox: Sandbox
    seed: int
    cycle_id: str = ""
    made: int = 0
    _known: dict[str, Episode] = field(default_factory=dict[str, Episode])
    _links: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])
    _harnesses: set[str] = field(default_factory=set[str])

    async def run(
        self, harness: Harness, tasks: Sequence[Task], purpose: str, repeats: Sequence[int] = (0,)
    ) -> list[Episode]:
        """One episode for each task and repeat, tasks first, linked to the cycle by purpose."""
        specs = [EpisodeSpec(task, self.seed, repeat) for task in tasks for repeat in repeats]
        return await self.run_specs(harness, specs, purpose)

    async def run_specs(
        self, harness: Harness, specs: Sequence[EpisodeSpec], purpose: str
    ) -> list[Episode]:
        """As `run`, for specs that may be forks."""
        rig = Rig(self.environment, self.model, harness, self.sandbox, self.bench.now, self._places)
        for wave in self._waves(specs):
            await self._complete(rig, [self._after_its_trials(rig, one) for one in wave], purpose)
        found = [self._known[trajectory_id(rig, spec)] for spec in specs]
        self._links |= {(episode.trajectory_id, purpose): None for episode in found}
        return found

    def _waves(self, specs: Sequence[EpisodeSpec]) -> list[list[EpisodeSpec]]:
        """Specs that can run side by side; where an agent learns, trial after trial of a task."""
        if not self._learns:
            return [list(specs)]
        last = max((spec.repeat for spec in specs), default=0)
        forks = [spec for spec in specs if spec.fork]
        runs = [spec for spec in specs if not spec.fork]
        trials = [
            list(dict.fromkeys(replace(run, repeat=n) for run in runs if run.repeat >= n))
            for n in range(last + 1)
        ]
        return [*trials, forks]

    def _after_its_trials(self, rig: Rig, spec: EpisodeSpec) -> EpisodeSpec:
        """The spec with the trial before it, where the agent learns from that."""
        if not self._learns or spec.fork or spec.repeat == 0:
            return spec
        before = trajectory_id(rig, replace(spec, repeat=spec.repeat - 1))
        return replace(spec, earlier=self._known[before])

    async def _complete(self, rig: Rig, specs: Sequence[EpisodeSpec], purpose: str) -> None:
        """Run the episodes that are not known or stored yet."""
        wanted = {trajectory_id(rig, spec): spec for spec in specs}
        self._recall(wanted)
        missing = {name: spec for name, spec in wanted.items() if name not in self._known}
        expect(ROLLOUTS, len(missing))
        await self._make(rig, missing, purpose)

    async def _make(self, rig: Rig, missing: Mapping[str, EpisodeSpec], purpose: str) -> None:
        """Run episodes and land them, a block as soon as it is full.

        Raises:
            CapReached: the run may spend no more; what was begun is stored.
        """
        names = list(missing)
        block: list[Episode] = []

        def land() -> None:
            self.bench.land([*self._harness(rig.harness), *trajectory_rows(block)], purpose)
            block.clear()

        def keep(position: int, episode: Episode) -> None:
            count(ROLLOUTS)
            self._known[names[position]] = episode
            self.made += 1
            block.append(episode)
            if len(block) == BLOCK:
                land()

        try:
            await run_episodes(list(missing.values()), rig, on_done=keep)
        except CapReached:
            land()
            self.bench.commit()
            raise
        land()

    def close(self) -> None:
        """Land the links between the cycle and the episodes it used."""
        if self.cycle_id:
            rows = [
                CycleTrajectoryRow(cycle_id=self.cycle_id, trajectory_id=name, purpose=purpose)
                for name, purpose in self._links
            ]
            self.bench.land(rows, "links")

    @property
    def _learns(self) -> bool:
        """Whether a trial of a task must wait for the one before it."""
        return isinstance(self.model, TakesNotes) and self.model.learns

    @cached_property
    def _places(self) -> asyncio.Semaphore | None:
        """Shared by all calls, some of which run at the same time."""
        most = most_together(self.environment)
        return None if most is None else asyncio.Semaphore(most)

    @cached_property
    def _stored(self) -> frozenset[str]:
        """Ids of stored trajectories that could be wanted here, from when they first were."""
        with self.bench.warehouse.read() as reader:
            frame = reader.frame(_STORED, [self.environment.name, self.model.fingerprint])
        return frozenset(str(row[0]) for row in frame.rows())

    def _recall(self, ids: Iterable[str]) -> None:
        """Fetch stored episodes; faulted ones are stored as attempts and so are run again."""
        stored = [name for name in ids if name not in self._known and name in self._stored]
        if stored:
            with self.bench.warehouse.read() as reader:
                self._known |= {
                    episode.trajectory_id: episode for episode in reader.episodes(stored)
                }

    def _harness(self, harness: Harness) -> list[Row]:
        """Rows of a harness that no earlier block has landed."""
        if harness.harness_id in self._harnesses:
            return []
        self._harnesses.add(harness.harness_id)
        return harness_rows(harness)


@stage(CollectResult)
def collect_train(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int
) -> CollectResult:
    """Run the train tasks in the harness in force."""
    return asyncio.run(_collect_train(bench, plan, harness_id, round_number))


async def _collect_train(
    bench: Workbench, plan: CyclePlan, harness_id: str, round_number: int
) -> CollectResult:
    form = plan.form
    environment, model = (
        bench.environment(form.environment),
        bench.model(form.model, form.record, agent=form.agent, loop=form.loop),
    )
    harness = bench.harness(environment.name, harness_id)
    tasks = first_tasks(environment.tasks("train"), form.tasks)
    purpose = train_purpose(round_number)
    async with open_collector(bench, environment, model, form.seed, plan.cycle_id) as collector:
        episodes = await collector.run(harness, tasks, purpose)
    require_judged(episodes)
    scored = Scored(
        environment.name, model.name, harness_id, "train", purpose, plan.cycle_id, round_number
    )
    row = evaluation_row(scored, episodes)
    bench.land([row], "collect_train")
    return CollectResult(
        trajectories=len(episodes),
        made=collector.made,
        successes=sum(episode.is_success for episode in episodes),
        faults=row.faults,
    )


def collect_split(form: CollectForm) -> dict[str, Any]:
    """Run the tasks of one split and land the episodes.

    Raises:
        ConfigError: a word names nothing.
    """
    bench = Workbench.open()
    environment = bench.environment(form.environment)
    harness = bench.harness(environment.name, form.harness)
    with in_stage(f"collect {form.split}"), run_within(form, bench.settings):
        return asyncio.run(_collect_split(form, bench, environment, harness))


async def _collect_split(
    form: CollectForm, bench: Workbench, environment: Environment, harness: Harness
) -> dict[str, Any]:
    model = bench.model(form.model, form.record, agent=form.agent, loop=form.loop)
    tasks = first_tasks(environment.tasks(form.split), form.tasks)
    bench.land(task_rows(environment, tasks), "collect")
    count = 1 if repeats_alike(model, environment) else form.repeats
    async with open_collector(bench, environment, model, form.seed) as collector:
        episodes = await collector.run(harness, tasks, "collect", range(count))
    bench.commit()
    require_judged(episodes)
    return {
        "environment": environment.name,
        "model": model.name,
        "simulated": model.is_simulated,
        "noise": noise_of(environment),
        "harness_id": harness.harness_id,
        "split": form.split,
        "tasks": len(task_means(episodes)),
        "trajectories": len(episodes),
        "rollouts": collector.made,
        "successes": sum(episode.is_success for episode in episodes),
        "failures": sum(episode.is_failure for episode in episodes),
        "faults": sum(episode.trajectory.fault is not None for episode in episodes),
        "constrained": sum(is_constrained(episode) for episode in episodes),
    }


def train_purpose(round_number: int) -> str:
    """Purpose that links a round's train trajectories to the cycle."""
    return f"train:{round_number}"


def cycle_episodes(bench: Workbench, cycle_id: str, purpose: str) -> list[Episode]:
    """Stored episodes that a cycle used for a purpose, sorted by id."""
    with bench.warehouse.read() as reader:
        links = reader.rows(CycleTrajectoryRow, "cycle_id = ? AND purpose = ?", [cycle_id, purpose])
        return reader.episodes([link.trajectory_id for link in links])


@asynccontextmanager
async def open_collector(
    bench: Workbench, environment: Environment, model: Model, seed: int, cycle_id: str = ""
) -> AsyncIterator[Collector]:
    """A collector with a sandbox of its own."""
    async with Sandbox() as sandbox:
        with limited(limits_of(bench.settings)), rare_collections():
            collector = Collector(bench, environment, model, sandbox, seed, cycle_id)
            yield collector
            collector.close()
