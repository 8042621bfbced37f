"""The editor without a model: patterns and mined facts become layer-local edits."""

from collections.abc import Iterator, Sequence

from tasks.editor.facts import Facts, mine
from tasks.editor.generators.draft import Draft, Generator, Target, read_target
from tasks.editor.generators.plan import generators_for
from tasks.editor.manifest import Evidence, Manifest
from tasks.editor.protocols import Brief, Proposal
from tasks.harness import Harness, HarnessError

MAX_PER_PATTERN = 3
MAX_PER_GENERATOR = 3
MAX_PROPOSALS = 16
MAX_EVIDENCE = 12


class RulesEditor:
    """Deterministic: equal briefs give equal proposals."""

    name = "rules"
    is_decoy = False

    async def propose(self, brief: Brief) -> list[Proposal]:
        """Propose edits for every pattern, the most frequent pattern first."""
        facts = mine(brief)
        found: dict[tuple[str, str], Proposal] = {}
        for target in _targets(facts, brief):
            for proposal in _answers(facts, brief, target, set(found)):
                found[proposal.layer, proposal.artifact] = proposal
        return list(found.values())[:MAX_PROPOSALS]

    async def revise(self, proposal: Proposal, findings: Sequence[str]) -> Proposal | None:  # noqa: ARG002
        """Give up: the same facts would give the same edit."""
        return None


def _targets(facts: Facts, brief: Brief) -> list[Target]:
    eligible = [pattern for pattern in brief.patterns if pattern.eligible]
    eligible.sort(key=lambda pattern: (-pattern.runs, pattern.pattern_id))
    return [read_target(facts, pattern) for pattern in eligible]


def _answers(
    facts: Facts, brief: Brief, target: Target, taken: set[tuple[str, str]]
) -> list[Proposal]:
    """At most three edits for one pattern, taken from its generators in turn."""
    found: list[Proposal] = []
    for draft in _drafts(facts, target, generators_for(target)):
        if len(found) >= MAX_PER_PATTERN:
            break
        if (draft.layer, draft.name) in taken or _is_known(brief, draft):
            continue
        proposal = propose_draft(brief.harness, draft, target)
        if proposal and not _is_rejected(brief, proposal):
            taken.add((draft.layer, draft.name))
            found.append(proposal)
    return found


def _drafts(facts: Facts, target: Target, chosen: Sequence[Generator]) -> Iterator[Draft]:
    for generate in chosen:
        yield from generate(facts, target)[:MAX_PER_GENERATOR]


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


def propose_draft(parent: Harness, draft: Draft, target: Target | None = None) -> Proposal | None:
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
        manifest=_manifest(draft, target),
        pattern_id=target.pattern.pattern_id if target else None,
    )


def _manifest(draft: Draft, target: Target | None) -> Manifest:
    members = target.members[:MAX_EVIDENCE] if target else ()
    return Manifest(
        evidence=tuple(
            Evidence(trajectory_id=member.run.run_id, step=member.step) for member in members
        ),
        root_cause=draft.root_cause[:2000],
        predicted_fixes=draft.fixes[:500],
        predicted_risks=draft.risks[:500],
        why_safe=draft.why_safe,
        watch=draft.watch,
        pattern_id=target.pattern.pattern_id if target else None,
    )
