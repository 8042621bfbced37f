"""Two shares side by side: Fisher's exact test."""

from dataclasses import dataclass
from math import comb


@dataclass(frozen=True)
class Contrast:
    """Successes `x` of `n` trials with something, and `x0` of `n0` without it."""

    x: int
    n: int
    x0: int
    n0: int

    def __post_init__(self) -> None:
        for x, n in ((self.x, self.n), (self.x0, self.n0)):
            if not 0 <= x <= n:
                message = f"{x} successes in {n} trials are impossible; expected 0 <= x <= n"
                raise ValueError(message)

    @property
    def p_value(self) -> float:
        """One-sided: chance of `x` or more with it, when it makes no difference (Fisher 1935).

        1 when a side is empty: nothing is compared then.
        """
        successes, trials = self.x + self.x0, self.n + self.n0
        if not self.n or not self.n0:
            return 1.0
        most = min(successes, self.n)
        ways = sum(
            comb(successes, i) * comb(trials - successes, self.n - i)
            for i in range(self.x, most + 1)
        )
        return ways / comb(trials, self.n)
