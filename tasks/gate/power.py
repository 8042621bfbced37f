"""What a trial of a given size can show: power, pairs needed, smallest gain that it resolves.

Everything is computed exactly, nothing is simulated. Ties leave the e-process where it is, so the
walk is followed over discordant pairs only (dynamic programming over the number of losses, with
both ways to stop: evidence for the candidate and evidence of harm), and the number of discordant
pairs among n is binomial. Two things are left out: the regression budget, which can only lower the
power, and the futility stop, which takes less than a point of it.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from math import comb

from tasks.gate.paired import HARM_THRESHOLD
from tasks.statistics.evidence import e_uniform

POWER_AIM = 0.8
MOST_PAIRS = 4_096
"""Pairs beyond which nothing is planned."""
_PRECISION = 1e-4


@dataclass(frozen=True)
class Rates:
    """Chances that a pair is won and lost; the rest are ties."""

    win: float
    loss: float

    @property
    def discordant(self) -> float:
        """Chance that the arms differ."""
        return self.win + self.loss


def rates_of(gain: float, loss: float, repeats: int = 1) -> Rates | None:
    """Rates of a pair of task means when one run wins by `gain` more than it loses.

    Null when no rates add up to that. With several repeats the pair is won when more of its runs
    are won than lost; runs of a task count as independent, so this is the most that repeats can
    bring.
    """
    win = gain + loss
    if loss < 0 or win < 0 or win + loss > 1:
        return None
    if repeats <= 1:
        return Rates(win, loss)
    tie = 1 - win - loss
    won = lost = 0.0
    for wins in range(repeats + 1):
        for losses in range(repeats + 1 - wins):
            ways = comb(repeats, wins) * comb(repeats - wins, losses)
            mass = ways * win**wins * loss**losses * tie ** (repeats - wins - losses)
            won += mass * (wins > losses)
            lost += mass * (losses > wins)
    return Rates(won, lost)


def power(pairs: int, win_rate: float, loss_rate: float, threshold: float) -> float:
    """Chance that the e-process crosses within so many pairs."""
    discordant = win_rate + loss_rate
    if pairs <= 0 or discordant <= 0:
        return float(threshold <= 1)
    chances = _crossings(win_rate / discordant, threshold, _size(pairs, discordant))
    return _within(pairs, discordant, chances)


def pairs_needed(rates: Rates, threshold: float, aim: float = POWER_AIM) -> int | None:
    """Fewest pairs with the aimed-at power; null when `MOST_PAIRS` are too few."""
    if rates.win <= rates.loss:
        return None
    low, high = 0, 16
    while power(high, rates.win, rates.loss, threshold) < aim:
        if high >= MOST_PAIRS:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power(middle, rates.win, rates.loss, threshold) >= aim:
            high = middle
        else:
            low = middle
    return high


def pairs_read(cap: int, rates: Rates, threshold: float) -> float:
    """Mean number of pairs read until the evidence suffices, at most `cap`."""
    reached = (power(pairs, rates.win, rates.loss, threshold) for pairs in range(cap))
    return cap - sum(reached)


@lru_cache(maxsize=4096)
def resolvable_gain(
    pairs: int,
    threshold: float,
    aim: float = POWER_AIM,
    *,
    loss_rate: float = 0.0,
    repeats: int = 1,
) -> float | None:
    """Smallest gain that is accepted with the aimed-at power at a loss rate; null when none is."""

    def reaches(gain: float) -> bool:
        rates = rates_of(gain, loss_rate, repeats)
        return rates is not None and power(pairs, rates.win, rates.loss, threshold) >= aim

    low, high = 0.0, 1 - 2 * loss_rate
    if pairs <= 0 or not reaches(high):
        return None
    while high - low > _PRECISION:
        middle = (low + high) / 2
        if reaches(middle):
            high = middle
        else:
            low = middle
    return high


def wins_line(threshold: float, losses: int) -> int:
    """Fewest wins that cross at this many losses; the line is remembered from loss to loss."""
    line = _line(threshold)
    while len(line) <= losses:
        wins = line[-1] + 1 if line else 0
        while e_uniform(wins, len(line)) < threshold:
            wins += 1
        line.append(wins)
    return line[losses]


@cache
def _line(threshold: float) -> list[int]:
    del threshold  # names the line
    return []


def _size(pairs: int, discordant: float) -> int:
    """Discordant pairs to follow: no more than there are pairs, in steps that can be remembered."""
    spread = (pairs * discordant * (1 - discordant)) ** 0.5
    wanted = min(pairs, int(pairs * discordant + 8 * spread + 8))
    return min(pairs, (wanted // 64 + 1) * 64)


@lru_cache(maxsize=256)
def _crossings(win_share: float, threshold: float, size: int) -> tuple[float, ...]:
    """Chance of the first crossing at the k-th discordant pair, for k from 1."""
    alive = {0: 1.0}
    chances: list[float] = []
    for step in range(1, size + 1):
        following: dict[int, float] = {}
        crossed = 0.0
        for losses, mass in alive.items():
            wins = step - 1 - losses
            if wins + 1 >= wins_line(threshold, losses):
                crossed += mass * win_share
            else:
                following[losses] = following.get(losses, 0.0) + mass * win_share
            if losses + 1 < wins_line(HARM_THRESHOLD, wins):
                following[losses + 1] = following.get(losses + 1, 0.0) + mass * (1 - win_share)
        chances.append(crossed)
        alive = {losses: mass for losses, mass in following.items() if mass > 1e-15}
    return tuple(chances)


def _within(pairs: int, discordant: float, chances: tuple[float, ...]) -> float:
    """Chance that so many pairs hold the discordant ones that the crossing takes."""
    from scipy.special import bdtrc

    steps = range(1, len(chances) + 1)
    tails = bdtrc([step - 1 for step in steps], pairs, min(1.0, discordant))
    return float(sum(chance * tail for chance, tail in zip(chances, tails, strict=True)))
