"""Benefit gaps: expected success per task that a cure for each kind of gap would recover."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.benefit import BenefitGapRow
from schemas.fields import GapType
from tasks.benefit.effect import UNMEASURED, Effect
from tasks.benefit.use import Use

GAPS: tuple[GapType, ...] = ("activation", "following")
Effects = Mapping[tuple[str, GapType], Effect]
"""Effects by artifact id and gap."""


@dataclass(frozen=True)
class Subject:
    """Whose gaps they are."""

    cycle_id: str
    model: str
    environment: str


def benefit_gaps(subject: Subject, uses: Sequence[Use], effects: Effects) -> list[BenefitGapRow]:
    """One row for each family, artifact due in it, and kind of gap."""
    families: dict[str, list[Use]] = {}
    for use in uses:
        families.setdefault(use.episode.trajectory.family, []).append(use)
    rows: list[BenefitGapRow] = []
    for family, runs in sorted(families.items()):
        artifacts = sorted({use.due.artifact_id for use in runs if use.due})
        for artifact_id in artifacts:
            rows += [
                _gap(subject, family, runs, artifact_id, gap, effects.get((artifact_id, gap)))
                for gap in GAPS
            ]
    return rows


def has_gap(use: Use, gap: GapType) -> bool:
    """Whether a run shows a gap."""
    return use.has_activation_gap if gap == "activation" else use.has_following_gap


def _gap(
    subject: Subject,
    family: str,
    runs: Sequence[Use],
    artifact_id: str,
    gap: GapType,
    effect: Effect | None,
) -> BenefitGapRow:
    effect = effect or UNMEASURED
    due = [use for use in runs if use.due and use.due.artifact_id == artifact_id]
    failed = [use for use in runs if use.episode.is_failure]
    shown = {id(use) for use in due if any(has_gap(use, kind) for kind in GAPS)}
    reach, prevalence = len(due) / len(runs), sum(has_gap(use, gap) for use in due) / len(due)
    return BenefitGapRow(
        cycle_id=subject.cycle_id,
        model=subject.model,
        environment=subject.environment,
        family=family,
        gap_type=gap,
        artifact_id=artifact_id,
        reach=reach,
        prevalence=prevalence,
        effect=effect.value,
        effect_lcb=effect.lcb,
        severity=reach * prevalence * (effect.lcb or 0.0),
        points=effect.points,
        verdict=effect.verdict,
        failed_runs=sum(use.episode.is_failure and has_gap(use, gap) for use in due),
        unexplained_runs=sum(id(use) not in shown for use in failed),
    )
