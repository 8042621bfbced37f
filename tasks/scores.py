"""Success rates with their intervals, as rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from schemas.episode import Episode
from schemas.errors import ModelFault
from schemas.evaluation import EvaluationRow
from schemas.fields import Split
from schemas.ids import canonical_json, make_id
from tasks.agent.executable import executable_share
from tasks.agent.loops.registry import TOOL_CALL
from tasks.statistics.proportions import pass_hat_k, wilson


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
    card_id: str | None = None
    loop: str = TOOL_CALL
    learns: bool = False
    """Whether a trial depends on those before it, so that pass^k has no meaning."""


def task_means(episodes: Iterable[Episode]) -> dict[str, float]:
    """Mean success of each task over its judged episodes; unjudged tasks are left out."""
    outcomes: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.is_success or episode.is_failure:
            outcomes.setdefault(episode.trajectory.task_id, []).append(float(episode.is_success))
    return {task_id: fmean(values) for task_id, values in sorted(outcomes.items())}


def task_shares(episodes: Iterable[Episode]) -> dict[str, float]:
    """Mean share of executable actions of each task over its judged episodes."""
    shares: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.is_success or episode.is_failure:
            shares.setdefault(episode.trajectory.task_id, []).append(executable_share(episode))
    return {task_id: fmean(values) for task_id, values in sorted(shares.items())}


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


def evaluation_row(scored: Scored, episodes: Sequence[Episode]) -> EvaluationRow:
    """Score episodes; the id hashes what was scored and the trajectories it rests on."""
    means = task_means(episodes)
    successes = sum(means.values())
    interval = wilson(successes, len(means))
    shares = task_shares(episodes)
    executable = wilson(sum(shares.values()), len(shares))
    rows = [episode.trajectory for episode in episodes]
    ids = sorted(row.trajectory_id for row in rows)
    asked_for = scored.card_id or scored.cycle_id
    return EvaluationRow(
        evaluation_id=make_id("eval", [asked_for, scored.purpose, scored.harness_id, ids]),
        environment=scored.environment,
        model=scored.model,
        harness_id=scored.harness_id,
        split=scored.split,
        purpose=scored.purpose,
        cycle_id=scored.cycle_id,
        round=scored.round,
        tasks=len(means),
        successes=successes,
        faults=sum(row.fault is not None for row in rows),
        success=successes / len(means) if means else None,
        success_lo=interval.lo if interval else None,
        success_hi=interval.hi if interval else None,
        mean_steps=_mean_of(row.steps for row in rows),
        mean_prompt_tokens=_mean_of(row.prompt_tokens for row in rows),
        card_id=scored.card_id,
        loop=scored.loop,
        trials=1 + max((row.repeat for row in rows), default=0),
        pass_hat=canonical_json(_pass_hat(episodes, learns=scored.learns)),
        by_trial=canonical_json(_by_trial(episodes)),
        mean_completion_tokens=_mean_of(row.completion_tokens for row in rows),
        cost_usd=_sum_of(row.cost_usd for row in rows),
        constrained=sum(is_constrained(episode) for episode in episodes),
        executable=executable.value if executable else None,
        executable_lo=executable.lo if executable else None,
        executable_hi=executable.hi if executable else None,
    )


def _pass_hat(episodes: Sequence[Episode], *, learns: bool) -> dict[str, float | None]:
    """pass^k for every k up to the number of trials."""
    judged: dict[str, list[bool]] = {}
    for episode in episodes:
        won = judged.setdefault(episode.trajectory.task_id, [])
        if episode.is_success or episode.is_failure:
            won.append(episode.is_success)
    most = 1 + max((episode.trajectory.repeat for episode in episodes), default=0)
    scores = {
        k: [pass_hat_k(len(won), sum(won), k) for won in judged.values()]
        for k in range(1, most + 1)
    }
    return {
        str(k): None if learns or None in found or not found else fmean(_known(found))
        for k, found in scores.items()
    }


def _known(values: Iterable[float | None]) -> list[float]:
    """Values that are known."""
    return [value for value in values if value is not None]


def _by_trial(episodes: Sequence[Episode]) -> list[float | None]:
    trials: dict[int, list[Episode]] = {}
    for episode in episodes:
        trials.setdefault(episode.trajectory.repeat, []).append(episode)
    means = [list(task_means(trials[trial]).values()) for trial in sorted(trials)]
    return [fmean(values) if values else None for values in means]


def _mean_of(values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return fmean(known) if known else None


def _sum_of(values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return sum(known) if known else None
