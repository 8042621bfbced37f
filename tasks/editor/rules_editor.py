"""The editor without a model: patterns and mined facts become layer-local edits."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.failures import FailurePatternRow
from tasks.editor.facts import Facts, mine
from tasks.editor.generators.draft import (
    Draft,
    Generator,
    Member,
    Target,
    read_target,
    signature_kind,
)
from tasks.editor.generators.plan import SWEEP, generators_for
from tasks.editor.manifest import MAX_TOKEN_INCREASE, Evidence, Manifest
from tasks.editor.protocols import Brief, Proposal
from tasks.harness import Harness, HarnessError

MAX_PER_TARGET = 3
"""Generators that may answer one target; later rounds go on with the next ones."""
MAX_PER_GENERATOR = 6
MAX_PROPOSALS = 24
MAX_EVIDENCE = 50
CHARS_PER_TOKEN = 4
TEXT_LAYERS = ("contract", "skills")
MIN_RUNS = 3
MIN_TASKS = 2


class RulesEditor:
    """Deterministic: equal briefs give equal proposals."""

    name = "rules"
    is_decoy = False

    async def propose(self, brief: Brief) -> list[Proposal]:
        """Propose edits for every cause that recurs, the most frequent first."""
        facts = mine(brief)
        targets = find_targets(facts, brief)
        found: dict[tuple[str, str], Proposal] = {}
        for target in targets:
            _answer(facts, target, found)
        if targets:
            _sweep(facts, targets, found)
        return list(found.values())[:MAX_PROPOSALS]

    async def revise(self, proposal: Proposal, findings: Sequence[str]) -> Proposal | None:  # noqa: ARG002
        """Give up: the same facts would give the same edit."""
        return None


def find_targets(facts: Facts, brief: Brief) -> list[Target]:
    """Put patterns of one kind together; small ones count when they recur together."""
    groups: dict[tuple[str, str], list[FailurePatternRow]] = {}
    for pattern in sorted(brief.patterns, key=lambda one: (-one.runs, one.pattern_id)):
        groups.setdefault((pattern.bullet, signature_kind(pattern)), []).append(pattern)
    targets = [read_target(facts, group) for group in groups.values()]
    recurring = [target for target in targets if _recurs(target)]
    recurring.sort(key=lambda target: (-len(target.run_ids), target.pattern.pattern_id))
    return recurring


def _recurs(target: Target) -> bool:
    if any(pattern.eligible for pattern in target.patterns) and target.members:
        return True
    tasks = {run.task_id for run in target.runs}
    return len(target.run_ids) >= MIN_RUNS and len(tasks) >= MIN_TASKS


def _answer(facts: Facts, target: Target, found: dict[tuple[str, str], Proposal]) -> None:
    """Add the edits of the first generators that have something new to say."""
    answered = 0
    for generate in generators_for(target):
        new = _new_proposals(facts, target, generate, found)
        answered += bool(new)
        if answered >= MAX_PER_TARGET:
            return


def _sweep(facts: Facts, targets: Sequence[Target], found: dict[tuple[str, str], Proposal]) -> None:
    """Add edits for causes that hide behind other labels, booked on the target they share most."""
    everything = Target(targets[0].patterns, tuple(Member(run, None) for run in facts.failures))
    for generate in SWEEP:
        for proposal in _new_proposals(facts, everything, generate, found):
            tasks = set(proposal.manifest.predicted_fixes)
            best = max(targets, key=lambda one: len(tasks & {run.task_id for run in one.runs}))
            pattern_id = best.pattern.pattern_id
            manifest = proposal.manifest.model_copy(update={"pattern_id": pattern_id})
            key = (proposal.layer, proposal.artifact)
            found[key] = replace(proposal, pattern_id=pattern_id, manifest=manifest)


def _new_proposals(
    facts: Facts, target: Target, generate: Generator, found: dict[tuple[str, str], Proposal]
) -> list[Proposal]:
    new: list[Proposal] = []
    for draft in generate(facts, target)[:MAX_PER_GENERATOR]:
        key = (draft.layer, draft.name)
        if key in found or _is_known(facts.brief, draft):
            continue
        increase = _token_increase(facts.brief, draft)
        proposal = propose_draft(facts.brief.harness, draft, target, token_increase=increase)
        if proposal and _acts_often(draft, target) and not _is_rejected(facts.brief, proposal):
            found[key] = proposal
            new.append(proposal)
    return new


def _acts_often(draft: Draft, target: Target) -> bool:
    """Whether a rule would act in as many failures as a cause needs to recur."""
    if draft.layer in TEXT_LAYERS:
        return True
    acted = [run for run in target.runs if run.task_id in draft.fixes]
    return len(acted) >= MIN_RUNS and len({run.task_id for run in acted}) >= MIN_TASKS


def _is_known(brief: Brief, draft: Draft) -> bool:
    """Whether the parent has this artifact, or the gate refused one with the same text."""
    for artifact in brief.harness.artifacts:
        if (artifact.layer, artifact.name) == (draft.layer, draft.name):
            return True
    return any(
        (edit.layer, edit.body.strip()) == (draft.layer, draft.body.strip())
        for edit in brief.rejected
    )


def _is_rejected(brief: Brief, proposal: Proposal) -> bool:
    child = proposal.child.harness_id
    return any(edit.child_harness_id == child for edit in brief.rejected)


def propose_draft(
    parent: Harness, draft: Draft, target: Target | None = None, *, token_increase: float = 0.0
) -> Proposal | None:
    """Put a draft into a harness; null when the harness does not take it or nothing changes."""
    try:
        child = parent.put(draft.layer, draft.name, draft.body)
    except HarnessError:
        return None
    if child.harness_id == parent.harness_id:
        return None
    return Proposal(
        parent=parent,
        child=child,
        layer=draft.layer,
        artifact=draft.name,
        kind=draft.kind,
        title=draft.title,
        manifest=_manifest(draft, target, token_increase),
        pattern_id=target.pattern.pattern_id if target else None,
    )


def _manifest(draft: Draft, target: Target | None, token_increase: float) -> Manifest:
    return Manifest(
        evidence=_evidence(target, set(draft.fixes)) if target else (),
        root_cause=draft.root_cause[:2000],
        predicted_fixes=draft.fixes[:500],
        predicted_risks=draft.risks[:500],
        token_increase=token_increase,
        why_safe=draft.why_safe,
        watch=draft.watch,
        pattern_id=target.pattern.pattern_id if target else None,
    )


def _evidence(target: Target, tasks: set[str]) -> tuple[Evidence, ...]:
    """Members of the target in which the edit acts; all of them when those are too few."""
    acted = [member for member in target.members if member.run.task_id in tasks]
    chosen = acted if len({member.run.run_id for member in acted}) >= MIN_RUNS else target.members
    ranked = sorted(chosen, key=lambda one: (one.run.run_id, one.step is None, one.step or 0))
    first = {member.run.run_id: member for member in reversed(ranked)}
    return tuple(
        Evidence(trajectory_id=run_id, step=first[run_id].step)
        for run_id in sorted(first)[:MAX_EVIDENCE]
    )


def _token_increase(brief: Brief, draft: Draft) -> float:
    """Share by which a text that stands in every prompt raises the tokens of an episode."""
    if draft.layer not in TEXT_LAYERS:
        return 0.0
    spent = [
        (row.prompt_tokens, row.steps)
        for row in (episode.trajectory for episode in brief.episodes)
        if row.prompt_tokens
    ]
    if not spent:
        return 0.0
    tokens, steps = sum(one[0] for one in spent), sum(one[1] for one in spent)
    added = len(draft.body) / CHARS_PER_TOKEN * steps
    return min(MAX_TOKEN_INCREASE, round(added / tokens, 3))
