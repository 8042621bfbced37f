"""Recorded outcomes of one unchanged agent: several runs of each task."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from schemas.episode import Episode
from schemas.errors import ConfigError
from tasks.gate.pairs import score_of

SUCCESS_TOLERANCE = 1e-6
"""A reward counts as a success when it is 1 within this."""
TASK_COLUMNS = ("task_id", "task", "instance_id", "problem_id", "sample_id")
TRIAL_COLUMNS = ("trial", "repeat", "run", "attempt", "epoch", "seed")
REWARD_COLUMNS = ("reward", "outcome", "success", "passed", "resolved", "score")
_WORDS = {"true": 1.0, "success": 1.0, "pass": 1.0, "passed": 1.0, "resolved": 1.0, "yes": 1.0}
_WORDS |= {"false": 0.0, "failure": 0.0, "fail": 0.0, "failed": 0.0, "unresolved": 0.0, "no": 0.0}


@dataclass(frozen=True)
class Run:
    """One recorded run; `solved` is null when it could not be judged."""

    solved: bool | None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class Bank:
    """Runs by task, in the order of their trials."""

    runs: Mapping[str, tuple[Run, ...]]

    @property
    def tasks(self) -> tuple[str, ...]:
        """Ids of the tasks."""
        return tuple(self.runs)

    @property
    def size(self) -> int:
        """All runs."""
        return sum(len(runs) for runs in self.runs.values())

    @property
    def depth(self) -> int:
        """Runs that every task has."""
        return min((len(runs) for runs in self.runs.values()), default=0)

    @cached_property
    def success(self) -> float:
        """Mean over tasks of the share of judged runs that succeeded."""
        shares = [_share(runs) for runs in self.runs.values()]
        known = [share for share in shares if share is not None]
        return sum(known) / len(known) if known else 0.0

    @cached_property
    def discordant_share(self) -> float | None:
        """Chance that two different runs of a task differ in outcome, mean over tasks."""
        shares: list[float] = []
        for runs in self.runs.values():
            judged = [run.solved for run in runs if run.solved is not None]
            pairs = list(combinations(judged, 2))
            if pairs:
                shares.append(sum(a != b for a, b in pairs) / len(pairs))
        return sum(shares) / len(shares) if shares else None


def bank_of_episodes(episodes: Iterable[Episode]) -> Bank:
    """Outcomes of episodes of one harness, by task and repeat."""
    found: dict[str, list[Episode]] = {}
    for episode in episodes:
        found.setdefault(episode.trajectory.task_id, []).append(episode)
    return Bank(
        {
            task_id: tuple(
                _run(episode) for episode in sorted(members, key=lambda e: e.trajectory.repeat)
            )
            for task_id, members in sorted(found.items())
        }
    )


def bank_of_csv(text: str, name: str) -> Bank:
    """Read a table of outcomes: one line a run, columns for task, trial and reward.

    Raises:
        ConfigError: a column is missing, a value cannot be read, or nothing is repeated.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        columns = [str(column).strip() for column in reader.fieldnames or ()]
        reader.fieldnames = columns
        task = _column(columns, TASK_COLUMNS, "the task", name)
        trial = _column(columns, TRIAL_COLUMNS, "the trial", name)
        reward = _column(columns, REWARD_COLUMNS, "the reward", name)
        found: dict[str, dict[str, Run]] = {}
        for row in reader:
            place = f"{name} line {reader.line_num}"
            key, at = _text(row.get(task), place, task), _text(row.get(trial), place, trial)
            trials = found.setdefault(key, {})
            if at in trials:
                what = f"{place}: trial {at!r} of task {key!r} stands there twice"
                raise ConfigError(what, hint="one line for each task and trial")
            trials[at] = Run(_solved(_text(row.get(reward), place, reward), place))
    except csv.Error as error:
        what = f"{name} is no table of outcomes: {error}"
        raise ConfigError(what, hint="a CSV file with task_id, trial, reward") from error
    return _checked(found, name)


def _checked(found: Mapping[str, Mapping[str, Run]], name: str) -> Bank:
    bank = Bank({task: tuple(runs[at] for at in sorted(runs)) for task, runs in found.items()})
    if len(bank.tasks) < 2 or bank.depth < 2:
        single = next((task for task, runs in bank.runs.items() if len(runs) < 2), None)
        what = f"{name} holds {len(bank.tasks)} tasks"
        what += f", and task {single!r} only once" if single is not None else ""
        raise ConfigError(what, hint="at least two tasks with two trials each are needed")
    return bank


def _column(columns: Sequence[str], known: Sequence[str], meaning: str, name: str) -> str:
    by_name = {column.casefold(): column for column in columns}
    for candidate in known:
        if candidate in by_name:
            return by_name[candidate]
    there = ", ".join(columns)[:200] or "none"
    what = f"{name} has no column for {meaning}; it has: {there}"
    raise ConfigError(what, hint=f"one of {', '.join(known)}")


def _text(value: object, place: str, column: str) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        what = f"{place}: `{column}` is empty"
        raise ConfigError(what, hint="one line for each task and trial, all columns filled")
    return text[:500]


def _solved(text: str, place: str) -> bool:
    value = _WORDS.get(text.casefold())
    if value is None:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
    if not math.isfinite(value):
        what = f"{place}: {text[:40]!r} is no reward"
        raise ConfigError(what, hint="a number, 1 for a success, or true/false")
    return abs(value - 1) <= SUCCESS_TOLERANCE


def _run(episode: Episode) -> Run:
    score = score_of(episode)
    solved = None if score is None else score > 0
    row = episode.trajectory
    return Run(solved, row.prompt_tokens, row.completion_tokens)


def _share(runs: Sequence[Run]) -> float | None:
    judged = [run.solved for run in runs if run.solved is not None]
    return sum(judged) / len(judged) if judged else None
