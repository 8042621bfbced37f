"""Evidence from discordant pairs: exact McNemar and the e-process with a uniform mixture."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import Literal

from tasks.statistics.proportions import highest_share

PairResult = Literal["win", "loss", "tie", "invalid"]
HOPELESS = 0.05
"""Chance of a commit below which going on with a trial is a waste."""


def mcnemar_one_sided(wins: int, losses: int) -> float:
    """Exact one-sided McNemar test: P(X >= wins), X ~ Binomial(wins + losses, 1/2)."""
    _require_pair_counts(wins, losses)
    n = wins + losses
    return sum(comb(n, i) for i in range(wins, n + 1)) / 2**n


def e_uniform(wins: int, losses: int) -> float:
    """e-value of wins against losses, uniform mixture over win rates in (1/2, 1).

    `2^(w+l+1) B(w+1, l+1) (1 - I_1/2(w+1, l+1))` of methods.md C.4. With whole numbers the
    incomplete beta function is a binomial tail, so the value is a ratio of integers:
    `sum_{i<=w} C(w+l+1, i) / ((w+l+1) C(w+l, w))`.
    """
    _require_pair_counts(wins, losses)
    n = wins + losses
    term = total = 1
    for i in range(1, wins + 1):
        term = term * (n + 2 - i) // i
        total += term
    return total / ((n + 1) * comb(n, wins))


def wins_needed(losses: int, threshold: float) -> int:
    """Fewest wins with which the e-value reaches the threshold at this many losses."""
    wins = losses
    while e_uniform(wins, losses) < threshold:
        wins += 1
    return wins


@dataclass(frozen=True)
class EProcess:
    """The running evidence of one trial; ties and invalid pairs leave it unchanged.

    The running maximum is not used: the process is read pair by pair and the first crossing
    counts, whose position stays in `crossed_at`.
    """

    threshold: float
    wins: int = 0
    losses: int = 0
    ties: int = 0
    invalid: int = 0
    crossed_at: int | None = None
    """Pairs read when the threshold was first reached; null before."""

    @property
    def pairs(self) -> int:
        """Valid pairs read so far."""
        return self.wins + self.losses + self.ties

    @property
    def read(self) -> int:
        """Pairs read so far, invalid ones too."""
        return self.pairs + self.invalid

    @property
    def e_value(self) -> float:
        """Evidence now."""
        return e_uniform(self.wins, self.losses)

    def after(self, result: PairResult) -> "EProcess":
        """Read one more pair."""
        counts = {"win": 0, "loss": 0, "tie": 0, "invalid": 0, result: 1}
        wins, losses = self.wins + counts["win"], self.losses + counts["loss"]
        crossed = self.crossed_at
        if crossed is None and e_uniform(wins, losses) >= self.threshold:
            crossed = self.read + 1
        return EProcess(
            threshold=self.threshold,
            wins=wins,
            losses=losses,
            ties=self.ties + counts["tie"],
            invalid=self.invalid + counts["invalid"],
            crossed_at=crossed,
        )

    def can_reach(self, remaining: int) -> bool:
        """Whether winning every remaining pair would still reach the threshold."""
        return e_uniform(self.wins + remaining, self.losses) >= self.threshold

    def is_hopeless(self, remaining: int) -> bool:
        """Whether the threshold is improbable even for the best gain that the pairs read allow.

        The share of wins is taken at its exact upper 95 % limit and no further loss is assumed;
        hopeless is a chance below 5 % of getting the wins that are missing. Ending early for this
        reason never adds a false commit.
        """
        from scipy.special import bdtrc

        missing = wins_needed(self.losses, self.threshold) - self.wins
        if missing <= 0 or self.pairs == 0:
            return False
        share = highest_share(self.wins, self.pairs)
        return missing > remaining or float(bdtrc(missing - 1, remaining, share)) < HOPELESS


def e_confirm(results: Iterable[PairResult], threshold: float) -> EProcess:
    """Read pairs in order up to the first crossing of the threshold, or to the end."""
    process = EProcess(threshold)
    for result in results:
        process = process.after(result)
        if process.crossed_at is not None:
            break
    return process


def _require_pair_counts(wins: int, losses: int) -> None:
    if wins < 0 or losses < 0:
        message = f"{wins} wins and {losses} losses are impossible; expected counts from 0"
        raise ValueError(message)
