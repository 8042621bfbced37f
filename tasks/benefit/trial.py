"""Trials: forks of one artifact's decision points in two arms that share their luck."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.errors import DataContractError
from schemas.fields import GapType
from tasks.agent.episode_spec import EpisodeSpec, fork_spec
from tasks.agent.protocols import Task
from tasks.benefit.effect import Arm, Effect, Pair, measure_effect
from tasks.benefit.forks import Point
from tasks.benefit.use import Due, Use, read_use
from tasks.benefit.world import BenefitWorld, Run
from tasks.harness import Harness

NATURAL = "none"
PURPOSE = "benefit:fork"


@dataclass(frozen=True)
class Job:
    """One repeat of one point."""

    point: Point
    due: Due
    repeat: int

    @property
    def key(self) -> tuple[str, int]:
        """What pairs the arms."""
        return self.point.use.episode.trajectory_id, self.repeat


@dataclass(frozen=True)
class Forked:
    """One fork: its job and arm, how it used the artifact, and whether it took up the cure."""

    job: Job
    arm: str
    use: Use
    is_invoked: bool

    @property
    def outcome(self) -> Arm:
        """What the effect is measured on; a fork without a verdict says nothing."""
        episode = self.use.episode
        is_judged = episode.is_success or episode.is_failure
        return Arm(self.is_invoked, episode.is_success if is_judged else None)


@dataclass(frozen=True)
class Trial:
    """All forks of one artifact and gap, and what the cure was worth."""

    artifact_id: str
    gap: GapType
    points: Sequence[Point]
    forks: Sequence[Forked]
    effect: Effect


@dataclass(frozen=True)
class Bench:
    """Runs forks of a diagnosis, each in the harness its source ran in."""

    world: BenefitWorld
    harnesses: Mapping[str, Harness]

    def jobs(self, points: Sequence[Point]) -> list[Job]:
        """Every repeat of every point."""
        return [
            Job(point, point.use.due, repeat)
            for point in points
            if point.use.due is not None
            for repeat in self.world.rerolls
        ]

    def spec(self, job: Job, name: str, extra_text: str = "") -> EpisodeSpec:
        """Fork a job's source at its point. The name is no part of the luck."""
        source = job.point.use.episode
        return fork_spec(
            source,
            self.task(source),
            job.point.step_index,
            name,
            extra_text=extra_text,
            repeat=job.repeat,
        )

    def task(self, episode: Episode) -> Task:
        """The task of a run."""
        task_id = episode.trajectory.task_id
        for task in self.world.train:
            if task.task_id == task_id:
                return task
        what = f"task `{task_id}` of {episode.trajectory_id} is no train task"
        raise DataContractError(what, table="trajectories", hint="fork train trajectories only")

    async def run(self, run: Run, specs: Sequence[EpisodeSpec], purpose: str) -> list[Episode]:
        """Run forks, one call for each harness, and return them in the order of the specs."""
        places: dict[str, list[int]] = {}
        for place, spec in enumerate(specs):
            source = spec.fork.source.trajectory.harness_id if spec.fork else ""
            places.setdefault(source, []).append(place)
        found: dict[int, Episode] = {}
        for harness_id, mine in places.items():
            chosen = [specs[place] for place in mine]
            episodes = await run(self.harnesses[harness_id], chosen, purpose)
            found |= dict(zip(mine, episodes, strict=True))
        return [found[place] for place in range(len(specs))]

    def use(self, job: Job, episode: Episode) -> Use:
        """How a fork used the artifact."""
        return read_use(episode, job.due, self.world.parameters.window)

    def trial(
        self,
        artifact_id: str,
        gap: GapType,
        points: Sequence[Point],
        natural: Sequence[Forked],
        cured: Sequence[Forked],
    ) -> Trial:
        """Pair the arms by point and repeat, and measure."""
        by_key = {fork.job.key: fork for fork in natural}
        pairs = [
            Pair(fork.job.key[0], by_key[fork.job.key].outcome, fork.outcome)
            for fork in cured
            if fork.job.key in by_key
        ]
        effect = measure_effect(pairs, self.world.parameters.confidence)
        return Trial(artifact_id, gap, points, [*natural, *cured], effect)
