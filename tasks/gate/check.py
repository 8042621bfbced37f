"""The gate before any rollout: static checks, the sandbox probe, replay over train episodes."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from schemas.episode import Episode
from schemas.fields import Layer
from tasks.agent.clearance import MIN_COVERAGE
from tasks.gate.candidate import Candidate
from tasks.gate.findings import Checked, Finding
from tasks.gate.replay import replay_candidate
from tasks.gate.static import StaticContext, changed_artifacts, check_static
from tasks.gate.touch import RULE_LAYERS, Replayer
from tasks.harness.probe import Finding as Probed
from tasks.harness.probe import probe

SLOW_TRIES = 3
"""Probes in which a rule must be slow each time before it counts as slow."""


async def check_candidate(
    candidate: Candidate,
    context: StaticContext,
    episodes: Sequence[Episode],
    replayer: Replayer,
) -> Checked:
    """Everything that can be said about a candidate without a rollout; never spends a slot."""
    findings = check_static(candidate, context)
    if not findings:
        findings = await probe_rules(candidate, replayer)
    if findings:
        return Checked(candidate, "static", tuple(findings))
    result = await replay_candidate(candidate, episodes, replayer)
    return Checked(
        candidate,
        "replay",
        result.findings,
        result.row,
        result.predictions,
        notes=() if result.row.successes else ("There was no successful run to replay it on.",),
        acted=result.acted,
    )


async def check_candidates(
    candidates: Sequence[Candidate],
    context: StaticContext,
    episodes: Sequence[Episode],
    replayer: Replayer,
) -> list[Checked]:
    """Check the candidates of a round.

    A second one that makes the same harness is a duplicate. An editor may answer one pattern with
    several rules, or several skills, each for a part of it: their coverage counts together. What
    is refused here is remembered, so that no revision brings it back in another form.
    """
    contexts: list[StaticContext] = []
    made: dict[str, str] = dict(context.known)
    for candidate in candidates:
        contexts.append(context.with_known(dict(made)))
        made.setdefault(candidate.child.harness_id, f"made by {candidate.edit_id}")
    checked = await asyncio.gather(
        *(
            check_candidate(candidate, current, episodes, replayer)
            for candidate, current in zip(candidates, contexts, strict=True)
        )
    )
    completed = [_complete(entry, checked) for entry in checked]
    for entry in completed:
        if not entry.is_clean and entry.reason != "duplicate":
            context.refusals.add(entry.candidate.parent, entry.candidate.child)
    return completed


def _complete(entry: Checked, others: Sequence[Checked]) -> Checked:
    """Clear an edit that covers part of a pattern which the edits of its layer cover together."""
    if not entry.findings or entry.replay is None:
        return entry
    if not all(finding.is_partial for finding in entry.findings):
        return entry
    siblings = [other for other in others if _answers_the_same(entry, other)]
    together = frozenset[str]().union(*(other.acted for other in siblings))
    members = {member.trajectory_id for member in entry.candidate.members}
    if len(together) < MIN_COVERAGE * len(members):
        return entry
    row = entry.replay.model_copy(update={"passed": True, "reason": "evidence"})
    note = f"With {len(siblings) - 1} other edits it covers {len(together)} of {len(members)}."
    return replace(entry, findings=(), replay=row, notes=(*entry.notes, note))


def _answers_the_same(entry: Checked, other: Checked) -> bool:
    """Whether two edits serve one pattern by the same means, and the other may stand."""
    groups = [
        ("rules" if one.candidate.layer in RULE_LAYERS else one.candidate.layer)
        for one in (entry, other)
    ]
    may_stand = all(finding.is_partial for finding in other.findings)
    same = entry.candidate.members == other.candidate.members
    return may_stand and same and groups[0] == groups[1] != "contract"


async def probe_rules(candidate: Candidate, replayer: Replayer) -> list[Finding]:
    """Try the changed rules on fixtures: they must run, be quick and keep their contract."""
    findings: list[Finding] = []
    changed = set(changed_artifacts(candidate.parent, candidate.child).values())
    for layer in RULE_LAYERS:
        if candidate.parent.files[f"{layer}.py"] == candidate.child.files[f"{layer}.py"]:
            continue
        findings += await _probe_layer(candidate, layer, changed, replayer)
    return findings


async def _probe_layer(
    candidate: Candidate, layer: Layer, changed: set[str], replayer: Replayer
) -> list[Finding]:
    if layer not in ("actions", "regulation"):
        return []
    source = candidate.child.files[f"{layer}.py"]
    concerned: list[Probed] = []
    for _ in range(SLOW_TRIES):
        found = await probe(layer, source, replayer.sandbox)
        concerned = [one for one in found if not one.rule or one.rule in changed]
        # A busy machine makes quick rules slow now and then, but not each time.
        if not any(one.kind == "slow" for one in concerned):
            break
    return [
        Finding("static", f"{one.rule or layer}: {one.kind}: {one.message}."[:400])
        for one in concerned
    ]
