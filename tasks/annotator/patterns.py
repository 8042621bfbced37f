"""Causes that recur: hits of many failed episodes clustered into what an editor works on.

A failed run often shows several curable faults, and its one label names only the first by
priority. Every decisive hit therefore supports its own cluster; hits that were repaired in time
are listed as members, too, but do not make a cluster eligible.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.failures import FailureLabelRow, FailurePatternRow, RuleHitRow
from schemas.fields import Layer
from schemas.ids import canonical_json, make_id
from schemas.trajectories import TrajectoryRow
from tasks.annotator.engine import Annotation
from tasks.annotator.signatures import KINDS


@dataclass(frozen=True)
class PatternRule:
    """When a cluster recurs often enough to be edited for (methods.md C.3)."""

    min_runs: int = 3
    min_tasks: int = 2


@dataclass(frozen=True)
class _Member:
    hit: RuleHitRow
    trajectory: TrajectoryRow
    is_label: bool

    @property
    def role(self) -> str:
        """`label`, `runner_up` (decisive, lower priority) or `repaired`."""
        if self.is_label:
            return "label"
        return "runner_up" if self.hit.decisive else "repaired"


_Key = tuple[str, ...]


def find_patterns(
    annotations: Sequence[Annotation], episodes: Iterable[Episode], rule: PatternRule | None = None
) -> tuple[FailurePatternRow, ...]:
    """Cluster the hits of annotated episodes; sorted by support, then by id.

    Not attributable failures form no pattern: nothing is evolved from them.
    """
    limits = rule or PatternRule()
    trajectories = {episode.trajectory_id: episode.trajectory for episode in episodes}
    clusters: dict[_Key, list[_Member]] = defaultdict(list)
    for annotation in annotations:
        trajectory = trajectories.get(annotation.trajectory_id)
        label = annotation.label
        if trajectory is None or label is None or label.category == "not_attributable":
            continue
        for hit in annotation.hits:
            clusters[_key(hit, trajectory)].append(
                _Member(hit, trajectory, is_label=_is_label(hit, label))
            )
    rows = [_row(members, limits) for members in clusters.values()]
    return tuple(sorted(rows, key=lambda row: (not row.eligible, -row.runs, row.pattern_id)))


def _is_label(hit: RuleHitRow, label: FailureLabelRow) -> bool:
    return (hit.rule, hit.signature) == (label.rule, label.signature)


def signature_kind(signature: str) -> str:
    """Kind of a signature; empty when the text is none of ours."""
    try:
        value = json.loads(signature)
    except (ValueError, RecursionError):
        return ""
    kind = value.get("kind") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) else ""


def layer_of(signature: str) -> Layer:
    """Earliest lifecycle point at which the cause can be detected."""
    kind = KINDS.get(signature_kind(signature))
    return kind.layer if kind else "contract"


def _key(hit: RuleHitRow, trajectory: TrajectoryRow) -> _Key:
    kind = KINDS.get(signature_kind(hit.signature))
    family = trajectory.family if kind is None or kind.by_family else ""
    return (
        hit.category,
        hit.bullet,
        hit.rule,
        trajectory.environment,
        trajectory.model,
        trajectory.harness_id,
        hit.signature,
        family,
    )


def _row(members: list[_Member], limits: PatternRule) -> FailurePatternRow:
    members = sorted(members, key=lambda item: item.trajectory.trajectory_id)
    first = members[0]
    trajectory, hit = first.trajectory, first.hit
    counted = [member for member in members if member.hit.decisive] or members
    families = {member.trajectory.family for member in members}
    listed = [
        {
            "trajectory_id": member.trajectory.trajectory_id,
            "step_index": member.hit.step_index,
            "role": member.role,
        }
        for member in members
    ]
    runs = {member.trajectory.trajectory_id for member in counted}
    tasks = {member.trajectory.task_id for member in counted}
    is_decisive = any(member.hit.decisive for member in members)
    family = trajectory.family if len(families) == 1 else None
    key = [hit.category, hit.rule, trajectory.environment, trajectory.model]
    key += [trajectory.harness_id, family, hit.signature, listed]
    return FailurePatternRow(
        pattern_id=make_id("pat", key),
        environment=trajectory.environment,
        model=trajectory.model,
        harness_id=trajectory.harness_id,
        category=hit.category,
        bullet=hit.bullet,
        rule=hit.rule,
        signature=hit.signature,
        family=family,
        layer=layer_of(hit.signature),
        runs=len(runs),
        tasks=len(tasks),
        eligible=is_decisive and len(runs) >= limits.min_runs and len(tasks) >= limits.min_tasks,
        members=canonical_json(listed),
    )
