"""Whether a run obeyed the skill it had loaded, told from the calls that were executed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.episode import Episode
from tasks.harness.skills import Checkpoint, Skill

Verdict = Literal["followed", "omitted", "violated", "unobserved"]
ENDED_BY_ITSELF = frozenset({"finished", "user_stop", "rule_stop", "agent_error"})


@dataclass(frozen=True)
class Check:
    """What the steps say about one checkpoint; `position` is its place in the skill."""

    position: int
    text: str
    verdict: Verdict
    step_index: int | None = None


@dataclass(frozen=True)
class Done:
    """One executed call that the environment did not refuse."""

    step_index: int
    tool: str
    arguments: str


def done_calls(episode: Episode) -> tuple[Done, ...]:
    """Calls that were executed without an error, in order."""
    return tuple(
        Done(row.step_index, row.executed_tool or row.tool, row.executed_arguments or "")
        for row in episode.calls
        if row.executed and not row.is_error and row.requestor == "assistant"
    )


def check_following(episode: Episode, skill: Skill, loaded_at: int) -> tuple[Check, ...]:
    """Look every checkpoint up in the steps.

    An instruction that was carried out before the skill was loaded counts as followed: doing it
    again would be no better. What only a reader could tell is `unobserved`, and so is what a run
    did not come to that was cut off.
    """
    calls = done_calls(episode)
    points = skill.checkpoints
    steps = [_match(point, calls, loaded_at) for point in points]
    done = [
        point.kind == "do" and step is not None for point, step in zip(points, steps, strict=True)
    ]
    return tuple(
        Check(
            position,
            point.text,
            _verdict(point, steps[position], episode, is_passed=any(done[position + 1 :])),
            steps[position],
        )
        for position, point in enumerate(points)
    )


def _match(point: Checkpoint, calls: Sequence[Done], loaded_at: int) -> int | None:
    first = 0 if point.kind == "do" else loaded_at
    for call in calls:
        if call.step_index >= first and point.matches(call.tool, call.arguments):
            return call.step_index
    return None


def _verdict(point: Checkpoint, step: int | None, episode: Episode, *, is_passed: bool) -> Verdict:
    if not point.is_mechanical:
        return "unobserved"
    if point.kind == "avoid":
        return "followed" if step is None else "violated"
    if step is not None:
        return "followed"
    is_over = episode.trajectory.termination in ENDED_BY_ITSELF
    return "omitted" if is_passed or is_over else "unobserved"


def is_followed(checks: Sequence[Check]) -> bool | None:
    """Whether nothing observed was left out or violated; null when nothing was observed."""
    verdicts = {check.verdict for check in checks}
    if verdicts & {"omitted", "violated"}:
        return False
    return True if "followed" in verdicts else None


def drift_step(
    episode: Episode, skill: Skill, checks: Sequence[Check], loaded_at: int
) -> int | None:
    """First step that leaves the skill: a violation, or the step that passes an omission by.

    An omission that no later instruction passes by shows at the last step. Null when the run
    followed, or when no step is left behind the load.
    """
    places: list[int] = []
    last = len(episode.steps) - 1
    for check in checks:
        if check.verdict == "violated" and check.step_index is not None:
            places.append(check.step_index)
        if check.verdict == "omitted":
            later = [
                other.step_index
                for other in checks[check.position + 1 :]
                if other.step_index is not None
                and skill.checkpoints[other.position].kind == "do"
                and other.step_index > loaded_at
            ]
            places.append(min(later, default=last))
    drift = min(places, default=None)
    return drift if drift is not None and drift > loaded_at else None


def repaired_at(episode: Episode, skill: Skill, failing: Sequence[int], start: int) -> int | None:
    """Step of a continuation from `start` by which all failing checkpoints are kept.

    Null when one never is, or when something to avoid was done.
    """
    calls = [call for call in done_calls(episode) if call.step_index >= start]
    steps = [start]
    for position in failing:
        point = skill.checkpoints[position]
        step = _match(point, calls, start)
        if (step is None) == (point.kind == "do"):
            return None
        if step is not None:
            steps.append(step)
    return max(steps)
