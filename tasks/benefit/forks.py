"""Which decision points are forked, and what is put before the model there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.benefit.use import Use
from tasks.harness.conduct import LOAD_TOOL
from tasks.harness.skills import Skill


@dataclass(frozen=True)
class Point:
    """A step to fork at: where a call was left out, or where a run left its skill."""

    use: Use
    step_index: int


def activation_points(uses: Iterable[Use], limit: int) -> list[Point]:
    """Points at which the skill was due and not called, of successes and failures alike.

    Failures alone would fake a gain: a failed run that is run again is better on average.
    """
    found = [Point(use, use.step_index) for use in uses if use.has_activation_gap]
    return _spread(found, limit)


def following_points(loaded: Iterable[Use], given: Iterable[Use], limit: int) -> list[Point]:
    """Steps at which a run left the skill it had, of successes and failures alike.

    Runs that loaded it come first; those it was given to fill up what is left.
    """
    first = _spread(_left(loaded), limit)
    return [*first, *_spread(_left(given), limit - len(first))]


def _left(uses: Iterable[Use]) -> list[Point]:
    return [
        Point(use, use.drift) for use in uses if use.has_following_gap and use.drift is not None
    ]


def _spread(points: Sequence[Point], limit: int) -> list[Point]:
    """Draw evenly from the points sorted by outcome and position, so that shares are kept.

    Within equal outcome and position the hash in the id decides, which is as good as chance.
    """
    ordered = sorted(
        points,
        key=lambda point: (
            point.use.episode.is_success,
            point.step_index,
            point.use.episode.trajectory_id,
        ),
    )
    if len(ordered) <= limit:
        return ordered
    return [ordered[int((place + 0.5) * len(ordered) / limit)] for place in range(limit)]


def reference_text(skill: Skill) -> str:
    """One line that names the skill and the tool, and says nothing of what is in it."""
    return f"A skill for this task is on the list: `{skill.name}`, loaded with `{LOAD_TOOL}`."
