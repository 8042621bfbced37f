"""The activation trial: does a run succeed once it is told which skill there is?

At a step where the skill was due and not called, one line that names it is put before the model;
the natural arm goes on from the same step without it.
"""

from collections.abc import Sequence

from tasks.benefit.forks import activation_points, reference_text
from tasks.benefit.trial import NATURAL, PURPOSE, Bench, Forked, Job, Trial
from tasks.benefit.use import Use

REFERENCE = "reference"


async def try_activation(bench: Bench, artifact_id: str, uses: Sequence[Use]) -> Trial:
    """Fork where the artifact was due and not called, with and without its reference."""
    points = activation_points(uses, bench.world.parameters.points)
    jobs = bench.jobs(points)
    natural = await _arm(bench, jobs, NATURAL)
    cured = await _arm(bench, jobs, REFERENCE)
    return bench.trial(artifact_id, "activation", points, natural, cured)


async def _arm(bench: Bench, jobs: Sequence[Job], name: str) -> list[Forked]:
    is_told = name == REFERENCE
    specs = [
        bench.spec(job, name, reference_text(job.due.skill) if is_told else "") for job in jobs
    ]
    episodes = await bench.run(bench.world.run, specs, PURPOSE)
    uses = [bench.use(job, episode) for job, episode in zip(jobs, episodes, strict=True)]
    return [
        Forked(job, name, use, _is_called(bench, job, use))
        for job, use in zip(jobs, uses, strict=True)
    ]


def _is_called(bench: Bench, job: Job, use: Use) -> bool:
    """Whether the fork called the artifact within the window of its point."""
    start = job.point.step_index
    return use.loaded_at is not None and (
        start <= use.loaded_at <= start + bench.world.parameters.window
    )
