"""What forks have shown of one edit: how it stands, whether it does harm, what it will do.

Losses alone refuse, by an exact one-sided 95 % limit:

- a model that always replies alike: the share of passing forks that the edit loses lies above the
  regression budget;
- otherwise losses outnumber wins by more than chance.

At least two losses are needed, and more losses than wins.
"""

import hashlib
from dataclasses import dataclass, field

from schemas.gate import ExposureTrialRow
from schemas.harness import EditPredictionRow
from tasks.gate.candidate import Candidate, GateWorld, Moment
from tasks.statistics.evidence import mcnemar_one_sided
from tasks.statistics.proportions import CONFIDENCE, lowest_share

MIN_LOSSES = 2
CLEAR_SHARE = 0.5
"""Share of tried runs lost, or fixed, from which all runs it touches are expected to go so."""


@dataclass
class Exposed:
    """What forks have shown of one edit."""

    candidate: Candidate
    passing: list[Moment]
    failing: list[Moment]
    rows: list[ExposureTrialRow] = field(default_factory=list[ExposureTrialRow])
    lost_of_passing: tuple[int, int] = (0, 0)
    won_of_failing: tuple[int, int] = (0, 0)

    @property
    def wins(self) -> int:
        """Forks that only pass with the edit."""
        return sum(row.result == "win" for row in self.rows)

    @property
    def losses(self) -> int:
        """Forks that only pass without it."""
        return sum(row.result == "loss" for row in self.rows)

    @property
    def standing(self) -> float:
        """Net wins a fork; 0 before any was run."""
        judged = sum(row.result != "invalid" for row in self.rows)
        return (self.wins - self.losses) / judged if judged else 0.0

    def take(self, count: int, seed: int) -> list[Moment]:
        """Next moments to try, passing runs and others in turn."""
        done = {row.source_trajectory_id for row in self.rows}
        waiting = [
            sorted(
                (m for m in group if m.source.trajectory_id not in done),
                key=lambda m: rank(seed, m.source.trajectory_id),
            )
            for group in (self.passing, self.failing)
        ]
        half = (count + 1) // 2
        failing = waiting[1][: max(count - half, count - len(waiting[0]))]
        return [*waiting[0][: count - len(failing)], *failing]

    def add(self, row: ExposureTrialRow, *, was_passing: bool) -> None:
        """Take in what a fork has shown; `was_passing` says how the run had ended."""
        self.rows.append(row)
        if row.result == "invalid":
            return
        lost, passed = self.lost_of_passing
        won, failed = self.won_of_failing
        if was_passing:
            self.lost_of_passing = (lost + (row.result == "loss"), passed + 1)
        else:
            self.won_of_failing = (won + (row.result == "win"), failed + 1)


def harm_of(world: GateWorld, entry: Exposed) -> str:
    """What shows that an edit does harm; empty when nothing does."""
    lost, passed = entry.lost_of_passing
    if entry.losses < MIN_LOSSES or entry.losses <= entry.wins:
        return ""
    if not world.is_deterministic:
        chance = mcnemar_one_sided(entry.losses, entry.wins)
        if chance > 1 - CONFIDENCE:
            return ""
        text = f"On forks of train runs it loses {entry.losses} and wins {entry.wins};"
        return f"{text} chance alone does so in {chance:.1%}."
    bound = lowest_share(lost, passed)
    if bound <= world.settings.regression_share:
        return ""
    text = f"It loses {lost} of {passed} passing train runs from where it acts; at least"
    return (
        f"{text} {bound:.1%} with confidence .95, and {world.settings.regression_share:.0%} may be."
    )


def predict(entry: Exposed) -> list[EditPredictionRow]:
    """What the forks tried so far say of all stored runs in which the edit was seen to act."""
    rows = []
    for (hits, tried), group, word in (
        (entry.lost_of_passing, entry.passing, "risk"),
        (entry.won_of_failing, entry.failing, "fix"),
    ):
        if tried and hits >= CLEAR_SHARE * tried:
            rows += [(moment.source.trajectory.task_id, word) for moment in group]
    return [
        EditPredictionRow.model_validate(
            {
                "edit_id": entry.candidate.edit_id,
                "task_id": task_id,
                "prediction": word,
                "forecaster": "exposure",
            }
        )
        for task_id, word in sorted(set(rows))
    ]


def rank(seed: int, trajectory_id: str) -> str:
    """Place of a run in an order that a seed draws."""
    return hashlib.sha256(f"{seed}:{trajectory_id}".encode()).hexdigest()
