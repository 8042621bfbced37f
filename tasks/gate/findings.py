"""What a stage of the gate found about one edit, and the rows that say so."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.fields import Reason, Verdict
from schemas.gate import GateDecisionRow, GateStage, ReplayCheckRow
from schemas.harness import EditPredictionRow
from tasks.gate.candidate import Candidate
from tasks.gate.paired import Trial

VERDICTS: dict[Reason, Verdict] = {
    "evidence": "accepted",
    "static": "rejected",
    "duplicate": "rejected",
    "inert": "rejected",
    "false_fire": "rejected",
    "regression": "rejected",
    "token_budget": "rejected",
    "leak": "rejected",
    "insufficient_evidence": "undecided",
    "futile": "undecided",
    "no_slot": "undecided",
    "no_live_world": "undecided",
}
"""A reason settles the verdict: rejected is what was shown to be wrong, undecided what was not
shown to be right."""

MAX_FINDING = 400
MAX_FINDINGS = 40


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with an edit: a reason code and a sentence for its editor.

    `is_partial`: it only serves too small a part of its pattern, which other edits may complete.
    """

    reason: Reason
    text: str
    is_partial: bool = False


@dataclass(frozen=True)
class Checked:
    """An edit after static checks and replay; `findings` is empty when it is clean.

    Attributes:
        notes: facts for the record that are no objection.
        predictions: tasks that replay expects the edit to touch or endanger.
    """

    candidate: Candidate
    stage: Literal["static", "replay"]
    findings: tuple[Finding, ...] = ()
    replay: ReplayCheckRow | None = None
    predictions: tuple[EditPredictionRow, ...] = ()
    notes: tuple[str, ...] = ()
    acted: frozenset[str] = frozenset()
    """Members of its pattern in which it acts in time."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing speaks against trying it in live pairs."""
        return not self.findings

    @property
    def reason(self) -> Reason:
        """Reason code of the first finding; `evidence` when there is none."""
        return self.findings[0].reason if self.findings else "evidence"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What goes back to the editor."""
        return tuple(finding.text for finding in self.findings)


def decide_early(
    checked: Checked, cycle_id: str, reason: Reason, resolvable_gain: float | None = None
) -> GateDecisionRow:
    """Decide an edit without a paired trial."""
    return GateDecisionRow(
        edit_id=checked.candidate.edit_id,
        cycle_id=cycle_id,
        stage=checked.stage,
        verdict=VERDICTS[reason],
        reason=reason,
        trial_id=None,
        slot=None,
        wins=0,
        losses=0,
        ties=0,
        e_value=None,
        threshold=None,
        delta=None,
        delta_lo=None,
        delta_hi=None,
        regressions=0,
        resolvable_gain=resolvable_gain,
        findings=as_json([*checked.sentences, *checked.notes]),
    )


def decide_by_trial(
    edit_id: str,
    cycle_id: str,
    trial: Trial,
    slot: int,
    outcome: "Outcome",
) -> GateDecisionRow:
    """Decide an edit by the paired trial it was part of."""
    process, delta = trial.process, trial.delta
    return GateDecisionRow(
        edit_id=edit_id,
        cycle_id=cycle_id,
        stage=outcome.stage,
        verdict=VERDICTS[outcome.reason],
        reason=outcome.reason,
        trial_id=trial.trial_id,
        slot=slot,
        wins=process.wins,
        losses=process.losses,
        ties=process.ties,
        e_value=process.e_value,
        threshold=process.threshold,
        delta=delta.value,
        delta_lo=delta.lo,
        delta_hi=delta.hi,
        regressions=len(trial.regressions),
        resolvable_gain=outcome.resolvable_gain,
        token_increase=outcome.token_increase,
        flip_rate=outcome.flip_rate,
        rare_families=as_json(outcome.rare_families),
        reskin_pairs=outcome.reskin_pairs,
        reskin_gain=outcome.reskin_gain,
        findings=as_json(outcome.notes),
    )


@dataclass(frozen=True)
class Outcome:
    """How a group of edits came out of the paired gate and its budgets."""

    stage: GateStage
    reason: Reason
    notes: tuple[str, ...] = ()
    resolvable_gain: float | None = None
    """Smallest gain that the pairs could have shown; only when they decided nothing."""
    token_increase: float | None = None
    flip_rate: float | None = None
    rare_families: tuple[str, ...] = ()
    reskin_pairs: int | None = None
    reskin_gain: float | None = None


def as_json(sentences: Sequence[str]) -> str:
    """Render sentences as a bounded JSON list."""
    bounded = [clean(text)[:MAX_FINDING] for text in sentences[:MAX_FINDINGS]]
    return json.dumps(bounded, ensure_ascii=False)


def clean(text: str) -> str:
    """Make untrusted text safe to store: no NUL, no lone surrogate."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
