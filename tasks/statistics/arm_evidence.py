"""Two unpaired arms with a success or failure each: evidence at any time, with the arm drawn.

Every session is given its arm by a coin of known bias p. If the arm makes no difference, the coin
says nothing of the outcome: given all outcomes, the arms are still coins of bias p. So

    E = q(arm | outcome) / p(arm) = f_arm(outcome) / (p f_1(outcome) + (1 - p) f_0(outcome))

with f_a the Bernoulli law of an alternative (theta_1, theta_0) has mean 1, whatever the base rate
is and however it drifts. It is the e-variable of Turner, Ly and Gruenwald (2024, "Generic
E-variables for exact sequential k-sample tests that allow for optional stopping"), whose blocks of
fixed sizes n_1, n_0 become one session with weights p, 1 - p: it has the growth of their blocks,
needs no block to fill, and rests on the drawing instead of on a rate that stays. In other words it
bets on the inverse-propensity score: with m = p theta_1 + (1 - p) theta_0,

    E = 1 + lambda (X - 0),   X = (Y - m) (A / p - (1 - A) / (1 - p)),
    lambda = p (1 - p) (theta_1 - theta_0) / (m (1 - m)).

X has the difference of the arms as its mean, so 1 + lambda (X - d) tests a difference d, and all d
that are not refused are a confidence sequence (Waudby-Smith and Ramdas 2024, "Estimating means of
bounded random variables by betting"). Both hold at all times together (Ville's inequality).

Alternatives are fixed and mixed, none is learnt on the way: the value depends on which sessions are
known, not on their order. An outcome that comes late multiplies in when it comes, and the value is
that of a process that reads outcomes as they arrive. That is sound as long as the arm does not
change whether or when an outcome becomes known.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Effect = tuple[float, float]

EFFECTS: tuple[Effect, ...] = ((0.05, 0.25), (0.1, 0.45), (0.2, 0.2), (0.4, 0.1))
"""Differences that are bet on, with their weights; most on ten points."""
RATES = tuple(rate / 20 for rate in range(1, 20))
"""Rates half way between the arms that are bet on, with equal weights."""
EDGE = 0.005
"""Alternatives closer to 0 or 1 are left out."""
_GRID = 10_000
_STAKE = 0.9
"""Most of the capital that is lost on one session in the confidence sequence."""


@dataclass(frozen=True)
class Session:
    """One session with a known outcome; `propensity` is the chance it had of being treated."""

    is_treated: bool
    is_success: bool
    propensity: float

    def __post_init__(self) -> None:
        if not 0 < self.propensity < 1:
            message = f"a propensity of {self.propensity} draws nothing; expected 0 < p < 1"
            raise ValueError(message)


@dataclass(frozen=True)
class Cell:
    """Sessions of one propensity by arm and outcome."""

    treated_won: int = 0
    treated_lost: int = 0
    control_won: int = 0
    control_lost: int = 0

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """Treated won and lost, others won and lost."""
        return self.treated_won, self.treated_lost, self.control_won, self.control_lost

    def mirrored(self) -> "Cell":
        """The same with the arms exchanged."""
        return Cell(self.control_won, self.control_lost, self.treated_won, self.treated_lost)


Tally = Mapping[float, Cell]
"""All that a verdict depends on: sessions by propensity."""


def tally(sessions: Iterable[Session]) -> dict[float, Cell]:
    """Count sessions."""
    counts: dict[float, list[int]] = {}
    for one in sessions:
        place = 2 * (not one.is_treated) + (not one.is_success)
        counts.setdefault(one.propensity, [0, 0, 0, 0])[place] += 1
    return {p: Cell(*numbers) for p, numbers in sorted(counts.items())}


def log_evidence(counts: Tally) -> float:
    """Logarithm of the e-value of the treated arm being better."""
    return log_mean(sum((capital_of(p, cell, 0.0) for p, cell in counts.items()), start=_nothing()))


def evidence_path(sessions: Sequence[Session]) -> list[float]:
    """Logarithm of that e-value after each session, in the order given."""
    import numpy as np

    steps = [factors(one.propensity)[_place(one)] for one in sessions]
    return running_evidence(np.array(steps)).tolist() if steps else []


def running_evidence(steps: "Floats") -> "Floats":
    """The same from one row of `factors` a session."""
    import numpy as np

    paths = np.cumsum(steps, axis=0) + _log_weights()
    peak = paths.max(axis=1)
    return np.log(np.exp(paths - peak[:, None]).sum(axis=1)) + peak


def mirrored(sessions: Sequence[Session]) -> list[Session]:
    """The same sessions with the arms exchanged."""
    return [Session(not one.is_treated, one.is_success, 1 - one.propensity) for one in sessions]


def lower_limit(counts: Tally, threshold: float) -> float:
    """Largest difference, in steps of 1/10000, up to which all are refused; -1 for none."""
    limit, step = -_GRID, 1_000
    if not _is_refused(counts, -1.0, threshold):
        return -1.0
    while step:
        while limit + step <= _GRID and _is_refused(counts, (limit + step) / _GRID, threshold):
            limit += step
        step //= 10
    return limit / _GRID


def _is_refused(counts: Tally, difference: float, threshold: float) -> bool:
    capital = sum((capital_of(p, cell, difference) for p, cell in counts.items()), start=_nothing())
    return log_mean(capital) >= log(threshold)


def mirrored_tally(counts: Tally) -> Tally:
    """The same counts with the arms exchanged."""
    return {1 - p: cell.mirrored() for p, cell in counts.items()}


def _place(one: Session) -> int:
    return 2 * (not one.is_treated) + (not one.is_success)


@lru_cache(maxsize=1)
def _alternatives() -> "tuple[Floats, Floats, Floats]":
    """Rates of the treated and of the others, and the logarithm of each pair's weight."""
    import numpy as np

    rows = [
        (rate + effect / 2, rate - effect / 2, weight)
        for effect, weight in EFFECTS
        for rate in RATES
        if rate - effect / 2 >= EDGE and rate + effect / 2 <= 1 - EDGE
    ]
    treated, others, weights = (np.array(column) for column in zip(*rows, strict=True))
    return treated, others, np.log(weights / weights.sum())


def _log_weights() -> "Floats":
    return _alternatives()[2]


def _nothing() -> "Floats":
    import numpy as np

    return np.zeros(len(_log_weights()))


@lru_cache(maxsize=256)
def factors(p: float) -> "Floats":
    """Logarithm of what one session multiplies the capital on each alternative by.

    Rows: treated and won, treated and lost, other arm and won, other arm and lost.
    """
    return _log_factors(p, 0.0)


def _log_factors(p: float, difference: float) -> "Floats":
    """The same for the difference that is tested; the stake is cut so that none is ruinous."""
    import numpy as np

    treated, others, _ = _alternatives()
    middle = p * treated + (1 - p) * others
    stake = p * (1 - p) * (treated - others) / (middle * (1 - middle))
    scores = np.array([(1 - middle) / p, -middle / p, -(1 - middle) / (1 - p), middle / (1 - p)])
    if difference > 0:
        stake = np.minimum(stake, _STAKE / (difference - scores.min(axis=0)))
    return np.log1p(stake * (scores - difference))


def capital_of(p: float, cell: Cell | Sequence[float], difference: float) -> "Floats":
    """Logarithm of what bets on each alternative make of sessions of one propensity."""
    import numpy as np

    numbers = cell.numbers if isinstance(cell, Cell) else cell
    steps = _log_factors(p, difference) if difference else factors(p)
    return np.array(numbers, dtype=float) @ steps


def log_mean(capital: "Floats") -> float:
    """Logarithm of the capital of all alternatives together."""
    import numpy as np

    weighted = capital + _log_weights()
    peak = float(weighted.max())
    return peak + float(np.log(np.exp(weighted - peak).sum()))
