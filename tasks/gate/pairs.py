"""One pair: the same task and repeats under two harnesses, and who won it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from tasks.agent.protocols import Task
from tasks.statistics.evidence import PairResult


@dataclass(frozen=True)
class Pair:
    """Runs of one task under both harnesses; `new` is empty when it was not run."""

    task: Task
    ordinal: int
    old: tuple[Episode, ...]
    new: tuple[Episode, ...]
    by_construction: bool
    result: PairResult
    old_score: float | None
    new_score: float | None
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


def judge_pair(task: Task, ordinal: int, old: Sequence[Episode], new: Sequence[Episode]) -> Pair:
    """Compare task means over the repeats that both arms finished.

    A fault or an unknown outcome in one arm leaves its repeat out of both; a pair with no repeat
    left is invalid.
    """
    olds, news = _by_repeat(old), _by_repeat(new)
    shared = sorted(olds.keys() & news.keys())
    if not shared:
        return Pair(task, ordinal, tuple(old), tuple(new), False, "invalid", None, None)
    before, after = _mean(olds[r] for r in shared), _mean(news[r] for r in shared)
    result: PairResult = "win" if after > before else "loss" if after < before else "tie"
    return Pair(task, ordinal, tuple(old), tuple(new), False, result, before, after)


def untouched_pair(task: Task, ordinal: int, old: Sequence[Episode]) -> Pair:
    """Record a tie by construction, or an invalid pair when the old runs say nothing."""
    scores = _by_repeat(old)
    if not scores:
        return Pair(task, ordinal, tuple(old), (), False, "invalid", None, None)
    score = _mean(scores.values())
    return Pair(task, ordinal, tuple(old), (), True, "tie", score, score)


def score_of(episode: Episode) -> float | None:
    """1 for a success, 0 for a failure; null for a fault or an unknown outcome."""
    if episode.is_success:
        return 1.0
    return 0.0 if episode.is_failure else None


def mean_score(episodes: Iterable[Episode]) -> float | None:
    """Mean over the episodes that could be judged; null when there is none."""
    scores = [score for score in map(score_of, episodes) if score is not None]
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


def _by_repeat(episodes: Iterable[Episode]) -> dict[int, float]:
    scored = ((episode.trajectory.repeat, score_of(episode)) for episode in episodes)
    return {repeat: score for repeat, score in scored if score is not None}


def _mean(values: Iterable[float]) -> float:
    collected = list(values)
    return sum(collected) / len(collected)


def _rank(seed: int, task_id: str) -> str:
    return hashlib.sha256(f"{seed}:{task_id}".encode("utf-8", "replace")).hexdigest()
