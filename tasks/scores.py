"""Success rates with their intervals, as rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from schemas.episode import Episode
from schemas.errors import ModelFault
from schemas.fields import Split
from schemas.gate import EvaluationRow
from schemas.ids import make_id
from tasks.statistics.proportions import wilson


@dataclass(frozen=True)
class Scored:
    """What is being scored: model, harness, split, and why."""

    environment: str
    model: str
    harness_id: str
    split: Split
    purpose: str
    cycle_id: str | None = None
    round: int | None = None


def task_means(episodes: Iterable[Episode]) -> dict[str, float]:
    """Mean success of each task over its judged episodes; unjudged tasks are left out."""
    outcomes: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.is_success or episode.is_failure:
            outcomes.setdefault(episode.trajectory.task_id, []).append(float(episode.is_success))
    return {task_id: fmean(values) for task_id, values in sorted(outcomes.items())}


def is_simulated(model: str) -> bool:
    """Whether a model of this name only plays one: its numbers say nothing about real models."""
    return model.partition(":")[0] in ("simulated", "gold", "noop")


def is_constrained(episode: Episode) -> bool:
    """Whether a decoder held some reply to a schema: calls that cannot run could not show."""
    return any(one.kind == "constrain" for one in episode.interventions)


def require_judged(episodes: Sequence[Episode]) -> None:
    """Go on only when at least one episode could be judged.

    Raises:
        ModelFault: infrastructure ended every one of them; the first reason is named.
    """
    faults = [episode.trajectory for episode in episodes if episode.trajectory.fault is not None]
    if episodes and len(faults) == len(episodes):
        first = faults[0]
        what = f"none of {len(faults)} episodes could be judged, so nothing counts as a failure"
        said = first.termination_raw or "no reason was given"
        message = f"{what}; the first: {first.fault}: {said}"
        raise ModelFault(message)


def evaluation_row(scored: Scored, episodes: list[Episode]) -> EvaluationRow:
    """Score episodes; the id hashes what was scored and the trajectories it rests on."""
    means = task_means(episodes)
    successes = sum(means.values())
    interval = wilson(round(successes), len(means))
    ids = sorted(episode.trajectory_id for episode in episodes)
    prompt_tokens = [episode.trajectory.prompt_tokens for episode in episodes]
    known = [tokens for tokens in prompt_tokens if tokens is not None]
    return EvaluationRow(
        evaluation_id=make_id("eval", [scored.cycle_id, scored.purpose, scored.harness_id, ids]),
        environment=scored.environment,
        model=scored.model,
        harness_id=scored.harness_id,
        split=scored.split,
        purpose=scored.purpose,
        cycle_id=scored.cycle_id,
        round=scored.round,
        tasks=len(means),
        successes=successes,
        faults=sum(episode.trajectory.fault is not None for episode in episodes),
        success=successes / len(means) if means else None,
        success_lo=interval.lo if interval else None,
        success_hi=interval.hi if interval else None,
        mean_steps=fmean(e.trajectory.steps for e in episodes) if episodes else None,
        mean_prompt_tokens=fmean(known) if known else None,
    )
