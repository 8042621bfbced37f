"""The editor without a model: patterns and mined facts become layer-local edits."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.failures import FailurePatternRow
from tasks.editor.booking import (
    Booking,
    book,
    cause_of,
    evidence_of,
    mined_from_all,
    own_evidence,
    reaches,
)
from tasks.editor.facts import Facts, mine
from tasks.editor.generators.draft import (
    Draft,
    Generator,
    Member,
    Target,
    read_target,
    signature_kind,
)
from tasks.editor.generators.plan import SWEEP, generators_for, patterns_for
from tasks.editor.manifest import MAX_TOKEN_INCREASE, Manifest
from tasks.editor.protocols import Brief, Proposal
from tasks.harness import Harness, HarnessError

MAX_PER_TARGET = 3
"""Generators that may answer one target; later rounds go on with the next ones."""
MAX_PER_GENERATOR = 6
MAX_PROPOSALS = 24
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
        round_ = _Round(facts)
        targets = find_targets(facts, brief)
        for target in targets:
            round_.answer(target)
        if targets:
            round_.sweep()
        return round_.proposals()[:MAX_PROPOSALS]

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


@dataclass(frozen=True)
class _Entry:
    """A draft that the harness takes, and the pattern it is booked on."""

    draft: Draft
    booking: Booking | None
    is_swept: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.draft.layer, self.draft.name


@dataclass
class _Round:
    """Edits found so far, in order, and those that reach too little of their pattern alone."""

    facts: Facts
    found: dict[tuple[str, str], _Entry] = field(default_factory=dict[tuple[str, str], _Entry])
    partial: dict[tuple[str, str], _Entry] = field(default_factory=dict[tuple[str, str], _Entry])

    def answer(self, target: Target) -> None:
        """Add the edits of the first generators that have something new to say."""
        answered = 0
        for generate in generators_for(target):
            answered += self._take(generate, target, is_swept=False)
            if answered >= MAX_PER_TARGET:
                return

    def sweep(self) -> None:
        """Add edits for causes that hide behind other labels: they look at all failures."""
        facts = self.facts
        everything = Target((), tuple(Member(run, None) for run in facts.failures))
        for generate in SWEEP:
            self._take(generate, everything, is_swept=True)

    def _take(self, generate: Generator, target: Target, *, is_swept: bool) -> bool:
        """Take what is new of a generator; whether there was anything."""
        is_new = False
        patterns = patterns_for(generate, self.facts.brief.patterns)
        for draft in generate(self.facts, target)[:MAX_PER_GENERATOR]:
            key = (draft.layer, draft.name)
            if key in self.found or not self._is_wanted(draft, target):
                continue
            entry = _Entry(draft, book(self.facts, draft, patterns), is_swept)
            if entry.booking is None and not (is_swept and not patterns):
                continue
            if entry.booking is not None and not entry.booking.is_fit:
                self.partial.setdefault(key, entry)
                continue
            self.found[key] = entry
            is_new = True
        return is_new

    def _is_wanted(self, draft: Draft, target: Target) -> bool:
        brief = self.facts.brief
        if _is_known(brief, draft) or not _acts_often(draft, target):
            return False
        child = put_draft(brief.harness, draft)
        return child is not None and not _is_rejected(brief, child)

    def proposals(self) -> list[Proposal]:
        """All edits, those included that reach enough of their pattern only together."""
        late = [entry for key, entry in self.partial.items() if key not in self.found]
        entries = [*self.found.values(), *(one for one in late if self._is_completed(one, late))]
        made = [self._propose(entry) for entry in entries]
        return [proposal for proposal in made if proposal]

    def _is_completed(self, entry: _Entry, late: Sequence[_Entry]) -> bool:
        """Whether edits of the same means, booked on the same pattern, reach enough together."""
        booking = entry.booking
        if booking is None:
            return False
        siblings = [
            one.booking.acted
            for one in (*self.found.values(), *late)
            if one.booking is not None
            and one.booking.pattern.pattern_id == booking.pattern.pattern_id
            and _means(one.draft) == _means(entry.draft) != "contract"
        ]
        return reaches(frozenset[str]().union(*siblings), booking.members)

    def _propose(self, entry: _Entry) -> Proposal | None:
        manifest = self._manifest(entry)
        return propose_draft(self.facts.brief.harness, entry.draft, manifest)

    def _manifest(self, entry: _Entry) -> Manifest:
        facts, draft, booking = self.facts, entry.draft, entry.booking
        acts = draft.acts
        runs = facts.failures if acts is None else [facts.by_id[run_id] for run_id in acts]
        if booking and not entry.is_swept:
            cause = cause_of(booking, draft)
        else:
            cause = mined_from_all(facts, draft, booking)
        return Manifest(
            evidence=evidence_of(booking) if booking else own_evidence(draft),
            root_cause=cause[:2000],
            predicted_fixes=tuple(sorted({run.task_id for run in runs}))[:500],
            predicted_risks=draft.risks[:500],
            token_increase=_token_increase(facts.brief, draft),
            why_safe=draft.why_safe,
            watch=draft.watch,
            pattern_id=booking.pattern.pattern_id if booking else None,
        )


def _means(draft: Draft) -> str:
    """Edits complete one another when all are rules or all are skills."""
    return draft.layer if draft.layer in TEXT_LAYERS else "rules"


def _acts_often(draft: Draft, target: Target) -> bool:
    """Whether a rule would act in as many failures as a cause needs to recur."""
    if draft.layer in TEXT_LAYERS or draft.acts is None:
        return True
    acted = [run for run in target.runs if run.run_id in draft.acts]
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


def _is_rejected(brief: Brief, child: Harness) -> bool:
    return any(edit.child_harness_id == child.harness_id for edit in brief.rejected)


def put_draft(parent: Harness, draft: Draft) -> Harness | None:
    """Put a draft into a harness; null when the harness does not take it or nothing changes."""
    try:
        child = parent.put(draft.layer, draft.name, draft.body)
    except HarnessError:
        return None
    return None if child.harness_id == parent.harness_id else child


def propose_draft(parent: Harness, draft: Draft, manifest: Manifest) -> Proposal | None:
    """Make a draft a proposal; null when the harness does not take it or nothing changes."""
    child = put_draft(parent, draft)
    if child is None:
        return None
    return Proposal(
        parent=parent,
        child=child,
        layer=draft.layer,
        artifact=draft.name,
        kind=draft.kind,
        title=draft.title,
        manifest=manifest,
        pattern_id=manifest.pattern_id,
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
