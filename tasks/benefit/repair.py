"""The following trial: does a run succeed once what it left out of its skill is made up for?

The reference model goes on from the step that left the skill until the omitted checkpoints are
kept, then the model itself goes on; the natural arm lets the model go on from the same step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from tasks.agent.episode_spec import fork_spec
from tasks.benefit.following import repaired_at
from tasks.benefit.forks import following_points
from tasks.benefit.trial import NATURAL, PURPOSE, Bench, Forked, Job, Trial
from tasks.benefit.use import Use

REPAIR = "repair"
REPAIRED = "repaired"


@dataclass(frozen=True)
class _Takeover:
    """A run of the reference model, and the step at which it has repaired what was omitted."""

    job: Job
    episode: Episode
    step: int

    @property
    def hands_back(self) -> bool:
        """Whether anything is left to do for the model."""
        return self.step + 1 < len(self.episode.steps)


async def try_following(
    bench: Bench, artifact_id: str, loaded: Sequence[Use], given: Sequence[Use]
) -> Trial:
    """Fork where runs left the artifact they had loaded or been given, with and without a repair.

    A point that the reference does not repair is left out of the effect.
    """
    points = following_points(loaded, given, bench.world.parameters.points)
    jobs = bench.jobs(points)
    episodes = await bench.run(bench.world.run, [bench.spec(job, NATURAL) for job in jobs], PURPOSE)
    natural = [
        _forked(bench, job, NATURAL, episode) for job, episode in zip(jobs, episodes, strict=True)
    ]
    repaired = await _hand_back(bench, await _take_over(bench, jobs))
    return bench.trial(artifact_id, "following", points, natural, repaired)


async def _take_over(bench: Bench, jobs: Sequence[Job]) -> list[_Takeover]:
    if bench.world.run_reference is None:
        return []
    specs = [bench.spec(job, REPAIR) for job in jobs]
    episodes = await bench.run(bench.world.run_reference, specs, "benefit:repair")
    found: list[_Takeover] = []
    for job, episode in zip(jobs, episodes, strict=True):
        start = job.point.step_index
        step = repaired_at(episode, job.due.skill, _failing(job.point.use), start)
        if step is not None:
            found.append(_Takeover(job, episode, step))
    return found


def _failing(use: Use) -> list[int]:
    return [check.position for check in use.checks if check.verdict in ("omitted", "violated")]


async def _hand_back(bench: Bench, takeovers: Sequence[_Takeover]) -> list[Forked]:
    open_ones = [taken for taken in takeovers if taken.hands_back]
    specs = [
        fork_spec(
            taken.episode,
            bench.task(taken.episode),
            taken.step + 1,
            REPAIRED,
            repeat=taken.job.repeat,
        )
        for taken in open_ones
    ]
    episodes = await bench.run(bench.world.run, specs, PURPOSE)
    ends = {taken.job.key: taken.episode for taken in takeovers}
    ends |= {taken.job.key: episode for taken, episode in zip(open_ones, episodes, strict=True)}
    return [_forked(bench, taken.job, REPAIRED, ends[taken.job.key]) for taken in takeovers]


def _forked(bench: Bench, job: Job, name: str, episode: Episode) -> Forked:
    use = bench.use(job, episode)
    return Forked(job, name, use, use.is_followed is True)
