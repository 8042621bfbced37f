"""The paired trial: fixed blocks, an e-process read in task order, three ways to stop.

Order, blocks and repeats are fixed before a candidate exists. A block that was started is run to
its end, so that the store does not depend on when somebody stopped reading; losses in the rest of
a block that was stopped in are known, so the budget counts them too. The trial ends

- at the first pair at which the e-value reaches the threshold *and* the regression budget holds:
  `evidence` (a stopping time, so the error bound of the e-process stands);
- when no continuation can end there: `regression` when even the budget of the full cap is spent
  or the evidence points the other way at 20, `futile` when winning every remaining pair would not
  reach the threshold, or when at the end of a block even the best gain that the pairs allow would
  hardly reach it;
- at the cap: `regression` when the threshold was reached but the budget never held, else
  `insufficient_evidence`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from schemas.gate import PairedTrialRow
from schemas.ids import make_id
from tasks.agent.protocols import Task
from tasks.gate.arms import Arms
from tasks.gate.budget import LossLedger, allowed_regressions
from tasks.gate.pairs import Pair
from tasks.statistics.evidence import EProcess, e_uniform
from tasks.statistics.resampling import PairedDelta, paired_delta

Stop = Literal["evidence", "regression", "futile", "insufficient_evidence"]
Purpose = Literal["gate", "prune", "ablation", "noise", "reskin", "repeat"]

HARM_THRESHOLD = 20
"""e-value of losses against wins at which a candidate counts as harmful."""


@dataclass(frozen=True)
class Trial:
    """A finished trial. `read` are the pairs the verdict rests on, `spare` the block's rest."""

    trial_id: str
    stop: Stop
    process: EProcess
    read: tuple[Pair, ...]
    spare: tuple[Pair, ...]
    regressions: tuple[Pair, ...]
    delta: PairedDelta
    rows: tuple[PairedTrialRow, ...]

    @property
    def all_pairs(self) -> tuple[Pair, ...]:
        """Every pair that was run or proven a tie."""
        return self.read + self.spare


@dataclass
class _Reading:
    process: EProcess
    read: list[Pair] = field(default_factory=list[Pair])
    e_values: list[float] = field(default_factory=list[float])
    seen: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def take(self, pair: Pair, *, once: bool) -> None:
        """Read one pair; with `once`, an identical observation does not count again."""
        key = _observation(pair)
        if once and key in self.seen:
            pair = replace(
                pair, result="invalid", old_score=None, new_score=None, success="invalid"
            )
        self.seen.add(key)
        self.process = self.process.after(pair.result)
        self.read.append(pair)
        self.e_values.append(self.process.e_value)


async def run_trial(
    arms: Arms,
    tasks: Sequence[Task],
    ledger: LossLedger,
    *,
    first_ordinal: int = 0,
    purpose: Purpose = "gate",
) -> Trial:
    """Run pairs in the given order until the evidence decides; `tasks` is the cap."""
    settings = arms.world.settings
    reading = _Reading(EProcess(settings.threshold))
    stop: Stop | None = None
    spare: list[Pair] = []
    for start in range(0, len(tasks), settings.block):
        block = await arms.pair(tasks[start : start + settings.block], first_ordinal + start)
        for position, pair in enumerate(block):
            reading.take(pair, once=arms.world.is_deterministic)
            spare = block[position + 1 :]
            stop = await _stop(reading, spare, ledger, len(tasks))
            if stop:
                break
        if stop:
            break
    return await _finish(arms, ledger, reading, stop, spare, purpose)


async def _stop(
    reading: _Reading, spare: Sequence[Pair], ledger: LossLedger, cap: int
) -> Stop | None:
    process, share = reading.process, ledger.arms.world.settings.regression_share
    known = [*reading.read, *spare]
    if process.e_value >= process.threshold:
        counted = len(await ledger.regressions(known))
        if counted <= allowed_regressions(_valid(known), share):
            return "evidence"
    if ledger.certain(known) > allowed_regressions(cap, share):
        return "regression"
    if e_uniform(process.losses, process.wins) >= HARM_THRESHOLD:
        return "regression"
    if process.crossed_at is not None:
        return None
    remaining = cap - process.read
    # The rest of a block is paid for, so reading on costs nothing before its end.
    is_futile = not process.can_reach(remaining) or (not spare and process.is_hopeless(remaining))
    return "futile" if is_futile else None


async def _finish(
    arms: Arms,
    ledger: LossLedger,
    reading: _Reading,
    stop: Stop | None,
    spare: Sequence[Pair],
    purpose: Purpose,
) -> Trial:
    process = reading.process
    crossed = process.crossed_at is not None
    decided: Stop = stop or ("regression" if crossed else "insufficient_evidence")
    known = [*reading.read, *spare]
    counted = await ledger.regressions(known) if crossed or decided == "regression" else []
    trial_id = trial_key(arms, purpose, reading.read[0].ordinal if reading.read else 0)
    return Trial(
        trial_id=trial_id,
        stop=decided,
        process=process,
        read=tuple(reading.read),
        spare=tuple(spare),
        regressions=tuple(counted),
        delta=delta_of(reading.read, trial_id),
        rows=trial_rows(arms, trial_id, purpose, reading.read, reading.e_values),
    )


def trial_key(arms: Arms, purpose: Purpose, start: int = 0) -> str:
    """Id of a trial: everything that determines its pairs and their order."""
    world = arms.world
    key = [world.cycle_id, arms.old.harness_id, arms.new.harness_id, "select", world.seed]
    return make_id("trial", [*key, purpose, start])


def delta_of(pairs: Sequence[Pair], trial_id: str) -> PairedDelta:
    """Mean paired difference of the objective over the valid pairs, with its bootstrap interval."""
    old = {p.task.task_id: [p.old_score] for p in pairs if p.old_score is not None}
    new = {p.task.task_id: [p.new_score] for p in pairs if p.new_score is not None}
    return paired_delta(old, new, seed=int(trial_id.removeprefix("trial_")[:8], 16))


def trial_rows(
    arms: Arms,
    trial_id: str,
    purpose: Purpose,
    pairs: Sequence[Pair],
    e_values: Sequence[float],
) -> tuple[PairedTrialRow, ...]:
    """Rows of the pairs that were read."""
    return tuple(
        PairedTrialRow(
            trial_id=trial_id,
            task_id=pair.task.task_id,
            ordinal=pair.ordinal,
            cycle_id=arms.world.cycle_id,
            purpose=purpose,
            old_harness_id=arms.old.harness_id,
            new_harness_id=arms.new.harness_id,
            old_trajectory_id=pair.old[0].trajectory_id if pair.old else None,
            new_trajectory_id=pair.new[0].trajectory_id if pair.new else None,
            old_score=pair.old_score,
            new_score=pair.new_score,
            result=pair.result,
            by_construction=pair.by_construction,
            e_value=e_value,
            new_first=pair.new_first,
            objective=arms.objective,
        )
        for pair, e_value in zip(pairs, e_values, strict=True)
    )


def _valid(pairs: Sequence[Pair]) -> int:
    return sum(pair.is_valid for pair in pairs)


def _observation(pair: Pair) -> tuple[str, ...]:
    runs = [*pair.old[:1], *pair.new[:1]]
    return (pair.task.text, *(run.trajectory.transcript_sha256 for run in runs))
