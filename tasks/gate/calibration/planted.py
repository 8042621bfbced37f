"""Edits with a known effect: some outcomes of recorded runs are turned round.

A planted edit wins `win` of all runs and loses `loss` of them: a failed run is solved with chance
`win / share of failures`, a solved one fails with chance `loss / share of successes`, each run for
itself. A loss is therefore noise that a rerun seldom repeats, as losses of a useful edit are; an
edit that breaks the same tasks each time is what the regression budget is there to refuse. Several
edits of one bundle turn different runs, so their gains add up.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.errors import ConfigError


@dataclass(frozen=True)
class Plant:
    """An effect in shares of all runs."""

    name: str
    win: float
    loss: float = 0.0

    @property
    def gain(self) -> float:
        """What it adds to success."""
        return self.win - self.loss


def turned(*, solved: bool, luck: float, plants: Iterable[Plant], success: float) -> bool:
    """Outcome of a run under planted edits; `luck` is uniform and belongs to the run."""
    base = success if solved else 1 - success
    share = sum(plant.loss if solved else plant.win for plant in plants)
    return solved != (luck * base < share)


def check_plants(plants: Iterable[Plant], success: float, where: str) -> None:
    """Refuse effects that the bank leaves no room for.

    Raises:
        ConfigError: more is to be won than fails, or more lost than is solved.
    """
    wanted = list(plants)
    win, loss = sum(plant.win for plant in wanted), sum(plant.loss for plant in wanted)
    if win > 1 - success or loss > success:
        what = f"{where}: {success:.0%} of the runs succeed, so +{win:.0%} won"
        what += f" and {loss:.0%} lost cannot be planted"
        raise ConfigError(what, hint="take a smaller --gain or --loss-rate")
