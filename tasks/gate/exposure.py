"""Exposure trials: stored train runs are forked where an edit would act, with and without it.

They rank the edits of a round and refuse those that clearly do harm; they never commit, because
edits were made from these very runs.

Both arms are forks with the same luck. A model that always replies alike goes on from the start as
it did, so there the stored run is the arm without the edit.

With more edits than the budget can
follow, the edits race: each rung halves the edits, keeps the better half and doubles their forks.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.gate import ExposureTrialRow
from schemas.harness import EditPredictionRow
from tasks.agent.clearance import deadline
from tasks.gate.candidate import TEXT_LAYERS, Candidate, GateWorld, History, Moment
from tasks.gate.exposed import Exposed, harm_of, predict, rank
from tasks.gate.pairs import score_of
from tasks.gate.replay import usable
from tasks.gate.touch import Replayer
from tasks.harness import Harness
from tasks.statistics.evidence import PairResult

_Key = tuple[str, str, int]
FIRST_RUNG = 4
"""Forks of each edit in the first rung, half of them of passing runs."""
MOST = 16
"""Forks after which an edit needs no more."""


@dataclass(frozen=True)
class Exposures:
    """The exposure trials of a round."""

    order: tuple[str, ...]
    """Ids of the edits, best first."""
    refused: dict[str, str]
    """Ids of harmful edits, with the sentence that says what was seen."""
    rows: tuple[ExposureTrialRow, ...]
    predictions: tuple[EditPredictionRow, ...]


async def expose(world: GateWorld, edits: Sequence[Candidate]) -> Exposures:
    """Race the edits over forks of stored train runs, within the budget of the settings."""
    entries: list[Exposed] = []
    if world.fork is not None and world.history is not None and world.settings.exposures > 0:
        history = world.history
        entries = await asyncio.gather(
            *(_find_moments(edit, history, world.seed) for edit in edits)
        )
        entries = [entry for entry in entries if entry.passing or entry.failing]
        await _race(world, entries)
    standing = {entry.candidate.edit_id: entry.standing for entry in entries}
    ids = [edit.edit_id for edit in edits]
    refused = {entry.candidate.edit_id: why for entry in entries if (why := harm_of(world, entry))}
    return Exposures(
        order=tuple(sorted(ids, key=lambda edit_id: -standing.get(edit_id, 0.0))),
        refused=refused,
        rows=tuple(row for entry in entries for row in entry.rows),
        predictions=tuple(row for entry in entries for row in predict(entry)),
    )


async def _find_moments(candidate: Candidate, history: History, seed: int) -> Exposed:
    """Where the edit would act: first passing runs, then failures, each in a seeded order."""
    runs = sorted(
        usable(candidate, history.episodes), key=lambda run: rank(seed, run.trajectory_id)
    )
    evidence = {member.trajectory_id: member.step_index for member in candidate.members}
    found = Exposed(candidate, [], [])
    for group, outcomes in ((found.passing, True), (found.failing, False)):
        for run in (run for run in runs if run.is_success == outcomes):
            if len(group) == MOST // 2:
                break
            step = await _acts_at(candidate, run, history.replayer, evidence)
            if step is not None and step < len(run.steps):
                group.append(Moment(run, step))
    return found


async def _acts_at(
    candidate: Candidate, run: Episode, replayer: Replayer, evidence: dict[str, int | None]
) -> int | None:
    """Step at which an edit first acts in a run; null when it acts nowhere."""
    if candidate.layer in TEXT_LAYERS:
        # Text is there from the start. In a failure it is known when it would be needed.
        if run.is_failure and run.trajectory_id not in evidence:
            return None
        if not replayer.prompt_differs(candidate.parent, candidate.child, run):
            return None
        return evidence.get(run.trajectory_id) or 0
    comparison = await replayer.compare(candidate.parent, candidate.child, run)
    steps = [difference.step_index for difference in comparison.differences]
    last = deadline(run, evidence.get(run.trajectory_id)) if run.is_failure else None
    in_time = [step for step in steps if last is None or step <= last]
    return min(in_time, default=None)


async def _race(world: GateWorld, entries: Sequence[Exposed]) -> None:
    racing, left, rung = list(entries), world.settings.exposures, 1
    while racing and left > 0:
        each = min(FIRST_RUNG * 2 ** (rung - 1), left // len(racing))
        if each == 0:
            racing = racing[:left]
            each = 1
        offers = [(entry, entry.take(each, world.seed)) for entry in racing]
        taken = [(entry, moments) for entry, moments in offers if moments]
        await _fork_all(world, taken, rung)
        left -= sum(len(moments) for _, moments in taken)
        racing = [e for e in racing if _is_open(world, e)]
        racing = sorted(racing, key=lambda e: -e.standing)[: max(1, (len(entries) >> rung))]
        rung += 1


def _is_open(world: GateWorld, entry: Exposed) -> bool:
    has_more = len(entry.rows) < min(MOST, len(entry.passing) + len(entry.failing))
    return has_more and not harm_of(world, entry)


async def _fork_all(
    world: GateWorld, taken: Sequence[tuple[Exposed, list[Moment]]], rung: int
) -> None:
    """Run the forks of a rung: first those without edits, which edits share, then the others."""
    assert world.fork is not None
    olds = await _unedited(world, taken)
    arms = await asyncio.gather(
        *(world.fork(entry.candidate.child, moments, (0,)) for entry, moments in taken)
    )
    for (entry, moments), news in zip(taken, arms, strict=True):
        for moment, new in zip(moments, news, strict=True):
            old = olds[_key(entry, moment)]
            row = _row(world, entry, moment, (old, new), rung)
            entry.add(row, was_passing=score_of(old) == 1)


async def _unedited(
    world: GateWorld, taken: Sequence[tuple[Exposed, list[Moment]]]
) -> dict[_Key, Episode]:
    """Forks with the harness in force by harness, run and step, each run once."""
    assert world.fork is not None
    olds: dict[_Key, Episode] = {}
    missing: dict[Harness, dict[_Key, Moment]] = {}
    for entry, moments in taken:
        for moment in moments:
            if world.is_deterministic and moment.step_index == 0:
                olds[_key(entry, moment)] = moment.source
            else:
                wanted = missing.setdefault(entry.candidate.parent, {})
                wanted[_key(entry, moment)] = moment
    for harness, wanted in missing.items():
        forks = await world.fork(harness, list(wanted.values()), (0,))
        olds |= dict(zip(wanted, forks, strict=True))
    return olds


def _key(entry: Exposed, moment: Moment) -> _Key:
    return (entry.candidate.parent.harness_id, moment.source.trajectory_id, moment.step_index)


def _row(
    world: GateWorld,
    entry: Exposed,
    moment: Moment,
    arms: tuple[Episode, Episode],
    rung: int,
) -> ExposureTrialRow:
    old, new = score_of(arms[0]), score_of(arms[1])
    result: PairResult = "invalid"
    if old is not None and new is not None:
        result = "win" if new > old else "loss" if new < old else "tie"
    return ExposureTrialRow(
        edit_id=entry.candidate.edit_id,
        source_trajectory_id=moment.source.trajectory_id,
        repeat=0,
        cycle_id=world.cycle_id,
        task_id=moment.source.trajectory.task_id,
        step_index=moment.step_index,
        rung=rung,
        old_trajectory_id=arms[0].trajectory_id,
        new_trajectory_id=arms[1].trajectory_id,
        result=result,
    )


def reorder(edits: Sequence[Candidate], order: Sequence[str]) -> list[Candidate]:
    """Edits in the order of a ranking."""
    places = {edit_id: place for place, edit_id in enumerate(order)}
    return sorted(edits, key=lambda edit: places.get(edit.edit_id, len(places)))
