"""One pair: the same task and repeats under two harnesses, and who won it."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.fields import Objective
from tasks.agent.executable import executable_share
from tasks.agent.protocols import Task
from tasks.statistics.evidence import PairResult

Score = Callable[[Episode], float | None]
"""What an episode is worth, from 0 to 1; null when it cannot be judged."""


@dataclass(frozen=True)
class Pair:
    """Runs of one task under both harnesses; `new` is empty when it was not run.

    `result` and the scores are of the objective; `success` is who won it on success alone, which
    the guards ask whatever the objective is.
    """

    task: Task
    ordinal: int
    old: tuple[Episode, ...]
    new: tuple[Episode, ...]
    by_construction: bool
    result: PairResult
    old_score: float | None
    new_score: float | None
    success: PairResult
    new_first: bool | None = None
    """Whether the candidate went first; null when one arm was run, or both at no set time."""

    @property
    def is_valid(self) -> bool:
        """Whether both arms could be judged."""
        return self.result != "invalid"


def order_tasks(tasks: Iterable[Task], seed: int) -> tuple[Task, ...]:
    """Put tasks in a random order that depends on seed and task alone, not on a candidate."""
    return tuple(sorted(tasks, key=lambda task: (_rank(seed, task.task_id), task.task_id)))


def goes_new_first(seed: int, task_id: str) -> bool:
    """Toss the coin that says which arm of a pair goes first."""
    return int(_rank(seed, f"first:{task_id}")[:8], 16) % 2 == 1


def judge_pair(
    task: Task,
    ordinal: int,
    old: Sequence[Episode],
    new: Sequence[Episode],
    objective: Objective = "success",
) -> Pair:
    """Compare task means over the repeats that both arms finished.

    A fault or an unknown outcome in one arm leaves its repeat out of both; a pair with no repeat
    left is invalid.
    """
    olds, news = _by_repeat(old, SCORES[objective]), _by_repeat(new, SCORES[objective])
    shared = sorted(olds.keys() & news.keys())
    if not shared:
        return Pair(task, ordinal, tuple(old), tuple(new), False, "invalid", None, None, "invalid")
    before, after = _mean(olds[r] for r in shared), _mean(news[r] for r in shared)
    solved = [_by_repeat(runs, score_of) for runs in (old, new)]
    success = _sign(*(_mean(scores[r] for r in shared) for scores in solved))
    result = _sign(before, after)
    return Pair(task, ordinal, tuple(old), tuple(new), False, result, before, after, success)


def untouched_pair(
    task: Task, ordinal: int, old: Sequence[Episode], objective: Objective = "success"
) -> Pair:
    """Record a tie by construction, or an invalid pair when the old runs say nothing."""
    scores = _by_repeat(old, SCORES[objective])
    if not scores:
        return Pair(task, ordinal, tuple(old), (), False, "invalid", None, None, "invalid")
    score = _mean(scores.values())
    return Pair(task, ordinal, tuple(old), (), True, "tie", score, score, "tie")


def _sign(before: float, after: float) -> PairResult:
    return "win" if after > before else "loss" if after < before else "tie"


def score_of(episode: Episode) -> float | None:
    """1 for a success, 0 for a failure; null for a fault or an unknown outcome."""
    if episode.is_success:
        return 1.0
    return 0.0 if episode.is_failure else None


def executable_score(episode: Episode) -> float | None:
    """Share of turns that became actions; null where success is, and nowhere else."""
    return None if score_of(episode) is None else executable_share(episode)


SCORES: Mapping[Objective, Score] = {"success": score_of, "executable": executable_score}
"""What decides a pair, by objective."""


def mean_score(episodes: Iterable[Episode], objective: Objective = "success") -> float | None:
    """Mean over the episodes that could be judged; null when there is none."""
    scores = [score for score in map(SCORES[objective], episodes) if score is not None]
    return sum(scores) / len(scores) if scores else None


def tokens_of(episodes: Iterable[Episode]) -> int | None:
    """Tokens sent and written; null when an episode does not say."""
    total = 0
    for episode in episodes:
        sent, written = episode.trajectory.prompt_tokens, episode.trajectory.completion_tokens
        if sent is None or written is None:
            return None
        total += sent + written
    return total


def _by_repeat(episodes: Iterable[Episode], score: Score) -> dict[int, float]:
    scored = ((episode.trajectory.repeat, score(episode)) for episode in episodes)
    return {repeat: score for repeat, score in scored if score is not None}


def _mean(values: Iterable[float]) -> float:
    collected = list(values)
    return sum(collected) / len(collected)


def _rank(seed: int, task_id: str) -> str:
    return hashlib.sha256(f"{seed}:{task_id}".encode("utf-8", "replace")).hexdigest()
