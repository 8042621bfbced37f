"""A diagnosis as rows."""

from dataclasses import asdict

from schemas.benefit import (
    BenefitRateRow,
    CounterfactualRow,
    DecisionPointRow,
    FollowingCheckRow,
)
from schemas.fields import Row
from schemas.ids import make_id
from tasks.benefit.diagnose import Diagnosis
from tasks.benefit.profile import Subject, benefit_gaps
from tasks.benefit.trial import Forked
from tasks.benefit.use import Use, activation_rate, following_rate


def diagnosis_rows(
    subject: Subject, reference: str, base_id: str, final_id: str, found: Diagnosis
) -> list[Row]:
    """All rows of a diagnosis."""
    rate = BenefitRateRow(
        cycle_id=subject.cycle_id,
        environment=subject.environment,
        model=subject.model,
        reference=reference,
        base_harness_id=base_id,
        updated_harness_id=final_id,
        activation=activation_rate(found.uses),
        following=following_rate(found.uses),
        **asdict(found.rate),
    )
    checks = {
        (row.trajectory_id, row.artifact_id, row.checkpoint): row
        for use in found.watched
        for row in _checks(use)
    }
    return [
        rate,
        *_points(subject, found),
        *_counterfactuals(subject, found),
        *checks.values(),
        *benefit_gaps(subject, found.uses, found.effects),
    ]


def _point_id(subject: Subject, use: Use, step_index: int, artifact_id: str) -> str:
    return make_id("dp", [subject.cycle_id, use.episode.trajectory_id, step_index, artifact_id])


def _points(subject: Subject, found: Diagnosis) -> list[DecisionPointRow]:
    """Every step at which a skill was due, and the steps at which runs left theirs."""
    forked = {
        (point.use.episode.trajectory_id, point.step_index): point
        for trial in found.trials
        for point in trial.points
    }
    due = {
        (use.episode.trajectory_id, use.step_index): use
        for use in found.uses
        if use.due is not None
    }
    places = due | {place: point.use for place, point in forked.items()}
    return [
        _point(subject, use, step_index, is_forked=(trajectory_id, step_index) in forked)
        for (trajectory_id, step_index), use in places.items()
    ]


def _point(subject: Subject, use: Use, step_index: int, *, is_forked: bool) -> DecisionPointRow:
    artifact_id = use.due.artifact_id if use.due else ""
    trajectory = use.episode.trajectory
    return DecisionPointRow(
        decision_point_id=_point_id(subject, use, step_index, artifact_id),
        cycle_id=subject.cycle_id,
        trajectory_id=trajectory.trajectory_id,
        step_index=step_index,
        artifact_id=artifact_id,
        family=trajectory.family,
        model=trajectory.model,
        called=use.is_called,
        followed=use.is_followed,
        outcome=trajectory.outcome,
        forked=is_forked,
        snapshot_id=None,
    )


def _counterfactuals(subject: Subject, found: Diagnosis) -> list[CounterfactualRow]:
    return [
        _counterfactual(subject, trial.artifact_id, fork)
        for trial in found.trials
        for fork in trial.forks
    ]


def _counterfactual(subject: Subject, artifact_id: str, fork: Forked) -> CounterfactualRow:
    point = fork.job.point
    return CounterfactualRow.model_validate(
        {
            "decision_point_id": _point_id(subject, point.use, point.step_index, artifact_id),
            "arm": fork.arm,
            "repeat": fork.job.repeat,
            "trajectory_id": fork.use.episode.trajectory_id,
            "invoked": fork.is_invoked,
            "success": fork.outcome.is_success,
        }
    )


def _checks(use: Use) -> list[FollowingCheckRow]:
    if use.due is None:
        return []
    return [
        FollowingCheckRow(
            trajectory_id=use.episode.trajectory_id,
            artifact_id=use.due.artifact_id,
            checkpoint=check.position,
            text=check.text,
            verdict=check.verdict,
            step_index=check.step_index,
        )
        for check in use.checks
    ]
