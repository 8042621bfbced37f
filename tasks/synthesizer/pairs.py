"""Faithful pairs: one prefix, a continuation that obeys the skill, and one that leaves it."""

from collections.abc import Sequence

from schemas.benefit import DecisionPointRow
from schemas.episode import Episode
from tasks.agent.conversation import messages_before
from tasks.synthesizer.evidence import Draft, Evidence, turns_from
from tasks.synthesizer.lengths import equalised


def faithful_pairs(evidence: Evidence) -> list[Draft]:
    """At most one pair for each step at which a run left its skill."""
    drafts = [
        _pair(evidence, point)
        for point in evidence.points
        if point.forked and point.called and point.followed is False
    ]
    return [draft for draft in drafts if draft]


def _pair(evidence: Evidence, point: DecisionPointRow) -> Draft | None:
    """Pair a followed success with a deviating failure; a tie in either teaches nothing."""
    chosen, rejected = _chosen(evidence, point), _rejected(evidence, point)
    step = point.step_index
    for good in chosen:
        for bad in rejected:
            messages = messages_before(good, step)
            if messages != messages_before(bad, step):
                continue
            least = _turns_needed(evidence, point, good)
            sides = equalised(turns_from(good, step), turns_from(bad, step), least)
            if not all(sides) or sides[0] == sides[1]:
                continue
            return Draft(
                kind="faithful_pair",
                path="following",
                episode=good,
                step_index=step,
                artifact_id=point.artifact_id,
                messages=messages,
                chosen=sides[0],
                rejected=sides[1],
                rejected_episode=bad,
            )
    return None


def _chosen(evidence: Evidence, point: DecisionPointRow) -> list[Episode]:
    """Forks that obeyed and succeeded; the model's own before those that were repaired."""
    ids = [
        fork.trajectory_id
        for fork in evidence.forks_of(point)
        if fork.arm in ("none", "repaired") and fork.invoked and fork.success
    ]
    return _stored(evidence, ids)


def _rejected(evidence: Evidence, point: DecisionPointRow) -> list[Episode]:
    """The run itself when it failed, then natural forks that deviated and failed too."""
    own = [point.trajectory_id] if point.outcome == "failure" else []
    forks = [
        fork.trajectory_id
        for fork in evidence.forks_of(point)
        if fork.arm == "none" and not fork.invoked and fork.success is False
    ]
    return _stored(evidence, [*own, *forks])


def _stored(evidence: Evidence, ids: Sequence[str]) -> list[Episode]:
    return [evidence.episodes[name] for name in ids if name in evidence.episodes]


def _turns_needed(evidence: Evidence, point: DecisionPointRow, good: Episode) -> int:
    """Turns of the chosen side until it has made up for everything the run left out."""
    kept = evidence.checks_of(good.trajectory_id, point.artifact_id)
    left_out = evidence.checks_of(point.trajectory_id, point.artifact_id)
    steps = [
        made_up.step_index
        for position, row in left_out.items()
        if row.verdict in ("omitted", "violated")
        and (made_up := kept.get(position)) is not None
        and made_up.step_index is not None
    ]
    return max([point.step_index, *steps]) - point.step_index + 1
