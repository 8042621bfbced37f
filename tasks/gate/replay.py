"""The replay gate: what a candidate would have done to stored train episodes, without a model.

Refused as `inert`: a candidate that acts nowhere, or that names a pattern and acts by the
decisive step in less than half of it. Refused as `false_fire`: a block, rewrite, rescue, forced
call or stop that changes an action of any success (`effects` says what clears one), or a hint on
more than 5 % of them. Contract and skill texts cannot be replayed for effect. Passing tasks that
an edit touches at all are named in `tasks_at_risk`; those that it is expected to break (`risk`)
are its forecast of regressions.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.gate import ReplayCheckRow
from schemas.harness import EditPredictionRow
from schemas.ids import canonical_json
from tasks.agent.clearance import HINT_LIMIT, MIN_COVERAGE, deadline, is_false_fire
from tasks.gate.candidate import TEXT_LAYERS, Candidate
from tasks.gate.effects import Effects, classify
from tasks.gate.findings import Finding
from tasks.gate.risk import endangered_tasks
from tasks.gate.touch import Replayer

MAX_NAMED = 5


@dataclass(frozen=True)
class ReplayResult:
    """Outcome of the replay of one candidate; `acted` are members in which it acts in time."""

    row: ReplayCheckRow
    findings: tuple[Finding, ...]
    predictions: tuple[EditPredictionRow, ...]
    acted: frozenset[str]


async def replay_candidate(
    candidate: Candidate, episodes: Sequence[Episode], replayer: Replayer
) -> ReplayResult:
    """Replay a candidate over stored runs of train tasks that were made under its parent.

    Runs with a fault or an unknown outcome, forks and runs under other harnesses are passed
    over; imported runs count whatever harness they carry, since nothing of ours acted in them.
    """
    comparisons = await asyncio.gather(
        *(
            replayer.compare(candidate.parent, candidate.child, episode)
            for episode in usable(candidate, episodes)
        )
    )
    seen = [classify(comparison) for comparison in comparisons]
    endangered = await endangered_tasks(candidate, comparisons, seen, replayer)
    counts = _count(candidate, seen, endangered)
    findings = _judge(candidate, counts)
    return ReplayResult(
        row=_row(candidate, counts, findings),
        findings=tuple(findings),
        predictions=_predict(candidate, counts),
        acted=counts.acted,
    )


def usable(candidate: Candidate, episodes: Sequence[Episode]) -> list[Episode]:
    """Runs that say something about a candidate, in a fixed order."""
    kept = [
        episode
        for episode in episodes
        if (episode.is_success or episode.is_failure)
        and episode.trajectory.arm == "run"
        and (
            episode.trajectory.origin == "import"
            or episode.trajectory.harness_id == candidate.parent.harness_id
        )
    ]
    return sorted(kept, key=lambda episode: episode.trajectory_id)


@dataclass(frozen=True)
class _Counts:
    failures: tuple[Effects, ...]
    successes: tuple[Effects, ...]
    members: tuple[tuple[Effects, int | None], ...]
    endangered: frozenset[str]

    @property
    def fires_on_failures(self) -> int:
        return sum(run.fires for run in self.failures)

    @property
    def fires_on_successes(self) -> int:
        return sum(_touches(run) for run in self.successes)

    @property
    def changed(self) -> list[Effects]:
        return [run for run in self.successes if run.changes_action]

    @property
    def hinted(self) -> list[Effects]:
        return [run for run in self.successes if run.hints]

    @property
    def acts(self) -> bool:
        return any(run.fires for run in (*self.failures, *self.successes))

    @property
    def acted(self) -> frozenset[str]:
        in_time = [run for run, step in self.members if _acts_in_time(run, step)]
        return frozenset(run.episode.trajectory_id for run in in_time)

    @property
    def coverage(self) -> float | None:
        members = {run.episode.trajectory_id for run, _ in self.members}
        return len(self.acted) / len(members) if members else None

    def tasks_at_risk(self) -> list[str]:
        return sorted({run.episode.trajectory.task_id for run in self.successes if _touches(run)})


def _touches(run: Effects) -> bool:
    return any(effect != "same" for _, effect in run.found)


def _acts_in_time(run: Effects, step: int | None) -> bool:
    """Whether it acts within three turns of a step; a missing step is the end of the run."""
    last = deadline(run.episode, step)
    return any(last is None or difference.step_index <= last for difference, _ in run.found)


def _count(candidate: Candidate, seen: Sequence[Effects], endangered: frozenset[str]) -> _Counts:
    by_id = {run.episode.trajectory_id: run for run in seen}
    members = [
        (by_id[member.trajectory_id], member.step_index)
        for member in candidate.members
        if member.trajectory_id in by_id
    ]
    return _Counts(
        failures=tuple(run for run in seen if run.episode.is_failure),
        successes=tuple(run for run in seen if run.episode.is_success),
        members=tuple(members),
        endangered=endangered,
    )


def _judge(candidate: Candidate, counts: _Counts) -> list[Finding]:
    if not counts.acts:
        if not counts.failures and not counts.successes:
            return []
        return [Finding("inert", _inert_text(candidate))]
    if candidate.layer in TEXT_LAYERS:
        return _judge_coverage(counts)
    return [*_judge_false_fire(counts), *_judge_coverage(counts)]


def _judge_false_fire(counts: _Counts) -> list[Finding]:
    total = len(counts.successes)
    if not is_false_fire([run.effects for run in counts.successes]):
        return []
    if counts.changed:
        named = _name(counts.changed)
        text = f"It changes what was executed in {len(counts.changed)} of {total} successful runs"
        return [Finding("false_fire", f"{text}, such as {named}; none is allowed.")]
    share = len(counts.hinted) / total
    named = _name(counts.hinted)
    text = f"It hints in {share:.0%} of {total} successful runs, such as {named};"
    return [Finding("false_fire", f"{text} {HINT_LIMIT:.0%} are allowed.")]


def _judge_coverage(counts: _Counts) -> list[Finding]:
    coverage = counts.coverage
    if coverage is None or coverage >= MIN_COVERAGE:
        return []
    members = len({run.episode.trajectory_id for run, _ in counts.members})
    text = f"It acts in time in {coverage:.0%} of the {members} failures it is meant for;"
    return [Finding("inert", f"{text} {MIN_COVERAGE:.0%} are needed.", is_partial=coverage > 0)]


def _inert_text(candidate: Candidate) -> str:
    if candidate.layer == "skills":
        return "The skill is retrieved for none of the stored tasks."
    if candidate.layer == "contract":
        return "The text reaches the prompt of none of the stored tasks."
    return "The rule acts in none of the stored runs."


def _name(runs: Sequence[Effects]) -> str:
    places = []
    for run in runs[:MAX_NAMED]:
        step = min(d.step_index for d, effect in run.found if effect in ("change", "hint"))
        places.append(f"{run.episode.trajectory_id} step {step}")
    return ", ".join(places)


def _row(candidate: Candidate, counts: _Counts, findings: Sequence[Finding]) -> ReplayCheckRow:
    fires = counts.fires_on_failures + counts.fires_on_successes
    total = len(counts.successes)
    is_text = candidate.layer in TEXT_LAYERS
    false = {run.episode.trajectory_id for run in [*counts.changed, *counts.hinted]}
    return ReplayCheckRow(
        edit_id=candidate.edit_id,
        artifact=candidate.artifact,
        fires_on_failures=counts.fires_on_failures,
        fires_on_successes=counts.fires_on_successes,
        failures=len(counts.failures),
        successes=total,
        trigger_precision=counts.fires_on_failures / fires if fires else None,
        false_fire=len(false) / total if total and not is_text else None,
        coverage=counts.coverage,
        tasks_at_risk=canonical_json(counts.tasks_at_risk()),
        passed=not findings,
        reason=findings[0].reason if findings else "evidence",
    )


def _predict(candidate: Candidate, counts: _Counts) -> tuple[EditPredictionRow, ...]:
    touched = {run.episode.trajectory.task_id for run in counts.failures if run.fires}
    rows = [(task, "risk", "replay") for task in sorted(counts.endangered)]
    rows += [(task, "touch", "replay") for task in sorted(touched)]
    rows += [(task, "fix", "editor") for task in sorted(candidate.predicted_fixes)]
    rows += [(task, "risk", "editor") for task in sorted(candidate.predicted_risks)]
    return tuple(
        EditPredictionRow.model_validate(
            {
                "edit_id": candidate.edit_id,
                "task_id": task,
                "prediction": prediction,
                "forecaster": forecaster,
            }
        )
        for task, prediction, forecaster in rows
    )
