"""The noise floor of a round: the harness in force against itself, on a tenth of the pairs.

Whatever differs there differs by chance, so its share is the floor under every effect. Evidence
that the harness beats itself, either way, means that the pairing is broken - an endpoint that has
changed, a world that is not reset - and nothing may be committed on such pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from schemas.episode import Episode
from schemas.gate import PairedTrialRow
from tasks.agent.protocols import Task
from tasks.gate.arms import Arms
from tasks.gate.candidate import GateWorld
from tasks.gate.paired import trial_key, trial_rows
from tasks.gate.pairs import Pair, judge_pair
from tasks.harness import Harness
from tasks.statistics.evidence import EProcess, e_uniform

BROKEN = 20.0
"""e-value at which the harness in force is seen to differ from itself."""
LEAST_TASKS = 8


@dataclass(frozen=True)
class Noise:
    """What two runs of one harness on the same tasks differ by."""

    flips: int
    pairs: int
    wins: int
    losses: int
    rows: tuple[PairedTrialRow, ...]

    @property
    def flip_rate(self) -> float | None:
        """Share of pairs that differ; null when none could be judged."""
        return self.flips / self.pairs if self.pairs else None

    @property
    def is_broken(self) -> bool:
        """Whether the harness in force differs from itself by more than chance."""
        strongest = max(e_uniform(self.wins, self.losses), e_uniform(self.losses, self.wins))
        return strongest >= BROKEN


async def measure_noise(world: GateWorld, base: Harness, order: Sequence[Task]) -> Noise | None:
    """Run the harness in force twice on the first tasks of the order; null where it is not asked.

    The second arm takes repeats that no trial and no rerun has used.
    """
    if not world.measures_noise or not order:
        return None
    count = max(LEAST_TASKS, ceil(len(order) * world.settings.noise_share))
    tasks = order[:count]
    first = len(world.repeats) + world.settings.fresh_repeats
    again = tuple(range(first, first + len(world.repeats)))
    one = _by_task(await world.run(base, tasks, world.repeats))
    other = _by_task(await world.run(base, tasks, again))
    arms = Arms(world, base, base)
    pairs = [_pair(arms, task, i, (one, other), first) for i, task in enumerate(tasks)]
    return _noise(arms, pairs)


def _by_task(episodes: Sequence[Episode]) -> dict[str, list[Episode]]:
    found: dict[str, list[Episode]] = {}
    for episode in sorted(episodes, key=lambda episode: episode.trajectory.repeat):
        found.setdefault(episode.trajectory.task_id, []).append(episode)
    return found


def _pair(
    arms: Arms,
    task: Task,
    ordinal: int,
    runs: tuple[dict[str, list[Episode]], dict[str, list[Episode]]],
    first: int,
) -> Pair:
    one, other = runs
    shifted = [
        replace(
            e, trajectory=e.trajectory.model_copy(update={"repeat": e.trajectory.repeat - first})
        )
        for e in other.get(task.task_id, [])
    ]
    return judge_pair(task, ordinal, one.get(task.task_id, []), shifted, arms.objective)


def _noise(arms: Arms, pairs: Sequence[Pair]) -> Noise:
    process, e_values = EProcess(BROKEN), list[float]()
    for pair in pairs:
        process = process.after(pair.result)
        e_values.append(process.e_value)
    rows = trial_rows(arms, trial_key(arms, "noise"), "noise", pairs, e_values)
    return Noise(
        flips=process.wins + process.losses,
        pairs=process.pairs,
        wins=process.wins,
        losses=process.losses,
        rows=rows,
    )
