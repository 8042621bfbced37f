"""Won tasks under other names: a gain that hangs on the names of the select tasks is a leak.

Tasks that an edit won are tried again with their entities renamed. Only what leaves something to
gain there says anything: a task that the harness in force solves under other names, and the
candidate as well, won the first time by luck of the draw. Over the others, net wins a task must be
at least half of what they were on the originals, where every one of them was won.

What a bundle as a whole still gains may hide one edit that does not, so each edit is judged by the
tasks that it turned as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.gate import PairedTrialRow
from tasks.gate.arms import Arms
from tasks.gate.blame import credit_wins
from tasks.gate.candidate import Candidate
from tasks.gate.paired import Trial, trial_key, trial_rows
from tasks.gate.pairs import Pair
from tasks.statistics.evidence import EProcess

SHARE_OF_GAIN = 0.5
LEAST_PAIRS = 3
"""Tasks with something to gain below which nothing is concluded."""


@dataclass(frozen=True)
class Reskinned:
    """How a candidate does on renamed tasks; `gain` is null when too little could be seen."""

    pairs: int
    gain: float | None
    leaky: tuple[str, ...]
    """Ids of the edits whose gain does not survive; empty when all does."""
    rows: tuple[PairedTrialRow, ...]

    @property
    def note(self) -> str:
        """The sentence for the record."""
        if self.gain is None:
            return f"Renamed tasks: not checked, {self.pairs} left something to gain."
        return (
            f"Renamed tasks: gain {self.gain:+.2f} on {self.pairs}, where the originals were won."
        )


async def try_reskins(arms: Arms, trial: Trial, edits: Sequence[Candidate]) -> Reskinned | None:
    """Try won tasks under other names; null when the environment has none for them."""
    world = arms.world
    if world.reskin is None:
        return None
    won = [pair for pair in trial.all_pairs if pair.result == "win"]
    won = won[: world.settings.reskins]
    made = [world.reskin(pair.task, world.seed) for pair in won]
    skins = [skinned for skinned in made if skinned.skin]
    if not skins:
        return None
    pairs = await arms.pair(skins)
    open_pairs = [pair for pair in pairs if _leaves_something(pair)]
    gain = _gain(open_pairs)
    leaky: tuple[str, ...] = ()
    if gain is not None and any(pair.result != "win" for pair in open_pairs):
        leaky = await _leaky(arms, edits, won, open_pairs)
        if gain < SHARE_OF_GAIN and not leaky:
            leaky = tuple(edit.edit_id for edit in edits)
    return Reskinned(len(open_pairs), gain, leaky, _rows(arms, pairs))


def _leaves_something(pair: Pair) -> bool:
    return pair.is_valid and not (pair.result == "tie" and pair.old_score == 1)


def _gain(pairs: Sequence[Pair]) -> float | None:
    """Net wins a task; null when there are too few tasks."""
    if len(pairs) < LEAST_PAIRS:
        return None
    net = sum((pair.result == "win") - (pair.result == "loss") for pair in pairs)
    return net / len(pairs)


async def _leaky(
    arms: Arms, edits: Sequence[Candidate], won: Sequence[Pair], pairs: Sequence[Pair]
) -> tuple[str, ...]:
    """Edits that turned enough of the originals and too few of the renamed."""
    ids = {pair.task.task_id for pair in pairs}
    originals = [pair for pair in won if pair.task.task_id in ids]
    credited = await credit_wins(arms.world, arms.old, edits, originals)
    found = []
    for edit in edits:
        own = [pair for pair in pairs if pair.task.task_id in credited.get(edit.edit_id, [])]
        gain = _gain(own)
        if gain is not None and gain < SHARE_OF_GAIN:
            found.append(edit.edit_id)
    return tuple(found)


def _rows(arms: Arms, pairs: Sequence[Pair]) -> tuple[PairedTrialRow, ...]:
    process, e_values = EProcess(float("inf")), list[float]()
    for pair in pairs:
        process = process.after(pair.result)
        e_values.append(process.e_value)
    return trial_rows(arms, trial_key(arms, "reskin"), "reskin", pairs, e_values)
