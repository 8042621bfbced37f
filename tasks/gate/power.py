"""What a trial of a given size can show: power against an effect, smallest effect it resolves."""

from math import comb

from tasks.statistics.evidence import e_uniform, wins_needed

POWER_AIM = 0.8


def power(pairs: int, win_rate: float, loss_rate: float, threshold: float) -> float:
    """Chance that the e-process crosses within so many pairs, exactly.

    Follows the distribution over (wins, losses) pair by pair and absorbs it at the crossing.
    """
    tie_rate = 1 - win_rate - loss_rate
    crossing: dict[int, int] = {}
    alive = {(0, 0): 1.0}
    crossed = 0.0
    for _ in range(pairs):
        following: dict[tuple[int, int], float] = {}
        for (wins, losses), mass in alive.items():
            _add(following, (wins, losses), mass * tie_rate)
            _add(following, (wins, losses + 1), mass * loss_rate)
            if losses not in crossing:
                crossing[losses] = wins_needed(losses, threshold)
            if wins + 1 >= crossing[losses]:
                crossed += mass * win_rate
            else:
                _add(following, (wins + 1, losses), mass * win_rate)
        alive = following
    return crossed


def resolvable_gain(pairs: int, threshold: float, aim: float = POWER_AIM) -> float | None:
    """Smallest gain without losses that is accepted with the aimed-at power; null when none is."""
    needed = wins_needed(0, threshold)
    if e_uniform(pairs, 0) < threshold:
        return None
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if _binomial_tail(pairs, middle, needed) >= aim:
            high = middle
        else:
            low = middle
    return high


def _binomial_tail(n: int, p: float, least: int) -> float:
    return 1 - sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(least))


def _add(masses: dict[tuple[int, int], float], key: tuple[int, int], mass: float) -> None:
    if mass > 0:
        masses[key] = masses.get(key, 0.0) + mass
