"""Edits from imported failures, judged by replay alone: there is no live world to try them in."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from schemas.errors import ConfigError
from schemas.fields import Row
from schemas.forms import ImportedEvolutionForm
from schemas.gate import GateDecisionRow, ReplayCheckRow
from schemas.ids import canonical_json, make_id
from schemas.runs import CycleRow, CycleTrajectoryRow
from tasks.annotation import annotate_failures, annotation_rows
from tasks.annotator.declared import imported_profile
from tasks.annotator.patterns import find_patterns
from tasks.annotator.profile import EnvironmentProfile
from tasks.cycle import IMPORTED, release
from tasks.editor.protocols import Brief, Proposal
from tasks.editor.rules_editor import RulesEditor
from tasks.editor_rows import Place, edit_row
from tasks.gate.candidate import Candidate
from tasks.gate.imports import ImportedResult, gate_over_imports
from tasks.gate.static import StaticContext
from tasks.gate.touch import Replayer
from tasks.gating_inputs import candidate_of
from tasks.harness import Harness, Sandbox
from tasks.harness.bundle import apply, changes
from tasks.harness_rows import harness_rows
from tasks.progress import in_stage
from tasks.reporting import count_edits
from tasks.workbench import Workbench, load_harness, seed_harness

EDITOR = "rules"
CANDIDATE = "candidate"
_ENVIRONMENTS = """
SELECT DISTINCT environment FROM trajectories WHERE origin = 'import' ORDER BY environment
"""
_IMPORTED = """
SELECT trajectory_id FROM trajectories
WHERE origin = 'import' AND environment = ? AND fault IS NULL AND split = 'train'
ORDER BY trajectory_id
"""


@in_stage("evolve")
def evolve_from_imports(form: ImportedEvolutionForm) -> dict[str, Any]:
    """Turn patterns of imported failures into edits, and gate them over imported history.

    Every edit that history does not refuse is undecided for want of a live world; its harness is
    stored and can be exported.

    Raises:
        ConfigError: nothing is imported for the environment, or the candidate cannot be used.
    """
    bench = Workbench.open()
    given = load_harness(form.candidate) if form.candidate else None
    with bench.warehouse.read() as reader:
        imported = [str(row[0]) for row in reader.frame(_ENVIRONMENTS).rows()]
    wanted = [name for name in imported if form.environment in ("", name)]
    if not wanted:
        what = (
            f"nothing is imported for `{form.environment}`" if imported else "nothing is imported"
        )
        known = f"imported: {', '.join(imported)}" if imported else "run `tackroom import` first"
        raise ConfigError(what, hint=known)
    if given is not None and given.environment not in wanted:
        what = f"candidate {form.candidate} is for environment `{given.environment}`"
        raise ConfigError(what, hint=f"set `environment:` to one of {', '.join(wanted)}")
    results = [_evolve(bench, form, name, given) for name in wanted]
    bench.commit()
    edits = [edit for result in results for edit in result.pop("edits")]
    return {
        "environments": results,
        **count_edits(edits),
        "proposed_by_layer": dict(sorted(Counter(edit["layer"] for edit in edits).items())),
        "edits": edits,
    }


def _evolve(
    bench: Workbench, form: ImportedEvolutionForm, environment: str, given: Harness | None
) -> dict[str, Any]:
    with bench.warehouse.read() as reader:
        ids = [str(row[0]) for row in reader.frame(_IMPORTED, [environment]).rows()]
        episodes = reader.episodes(ids)
    profile = imported_profile(environment, episodes)
    base = seed_harness(environment)
    cycle = _cycle_row(bench, form, environment, base, ids, given)
    annotations = annotate_failures(episodes, profile)
    patterns = find_patterns(annotations, episodes)
    brief = Brief(
        environment=environment,
        harness=base,
        tools=profile.tools,
        terminal_tools=profile.terminal_tools,
        non_progress=profile.non_progress,
        talk_tools=profile.talk_tools,
        patterns=patterns,
        hits=tuple(hit for annotation in annotations for hit in annotation.hits),
        episodes=tuple(episodes),
        seed=form.seed,
    )
    mine = given if given is not None and given.environment == environment else None
    proposals, result = asyncio.run(_gate(brief, profile, cycle.cycle_id, mine))
    links = [
        CycleTrajectoryRow(cycle_id=cycle.cycle_id, trajectory_id=name, purpose="imported")
        for name in ids
    ]
    rows = [*annotation_rows(annotations, patterns), *result.decisions, *result.replays]
    bench.land(
        [cycle, *links, *rows, *result.predictions, *_edit_rows(bench, cycle, proposals)],
        "evolve_from_imports",
    )
    return {
        "environment": environment,
        "cycle_id": cycle.cycle_id,
        "base_harness_id": base.harness_id,
        "successes": sum(episode.is_success for episode in episodes),
        "failures": sum(episode.is_failure for episode in episodes),
        "patterns": len(patterns),
        "eligible": sum(pattern.eligible for pattern in patterns),
        "edits": _report(environment, proposals, result),
    }


Numbered = tuple[Candidate, Proposal, str]
"""A candidate, its proposal and its editor."""


async def _gate(
    brief: Brief, profile: EnvironmentProfile, cycle_id: str, given: Harness | None
) -> tuple[list[Numbered], ImportedResult]:
    proposals = [(proposal, EDITOR) for proposal in await RulesEditor().propose(brief)]
    if given is not None:
        proposals += [(one, CANDIDATE) for one in split_candidate(brief.harness, given)]
    numbered: list[Numbered] = []
    for ordinal, (proposal, editor) in enumerate(proposals):
        key = [cycle_id, 1, editor, ordinal, proposal.child.harness_id]
        candidate = candidate_of(make_id("edit", key), proposal, is_decoy=False)
        numbered.append((candidate, proposal, editor))
    async with Sandbox() as sandbox:
        result = await gate_over_imports(
            [candidate for candidate, _, _ in numbered],
            StaticContext(visible_text="\n".join(episode.task_text for episode in brief.episodes)),
            brief.episodes,
            Replayer(sandbox, profile.tools),
            cycle_id=cycle_id,
        )
    return numbered, result


def split_candidate(base: Harness, given: Harness) -> list[Proposal]:
    """One proposal for each artifact in which a harness of the user's differs from the base."""
    return [
        Proposal(
            parent=base,
            child=apply(base, [change]),
            layer=change.layer,
            artifact=change.name,
            kind="user_candidate",
            title=f"{change.layer} {change.name} of a candidate folder",
        )
        for change in changes(base, given)
    ]


def _cycle_row(
    bench: Workbench,
    form: ImportedEvolutionForm,
    environment: str,
    base: Harness,
    ids: Sequence[str],
    given: Harness | None,
) -> CycleRow:
    inputs = {
        "kind": "imports",
        "environment": environment,
        "trajectories": list(ids),
        "base": base.harness_id,
        "candidate": given.harness_id if given else None,
        "seed": form.seed,
        "release": release(),
    }
    return CycleRow(
        cycle_id=make_id("cyc", inputs),
        environment=environment,
        model=IMPORTED,
        reference=IMPORTED,
        editor=EDITOR,
        seed=form.seed,
        base_harness_id=base.harness_id,
        inputs=canonical_json(inputs),
        created_at=bench.now,
    )


def _edit_rows(bench: Workbench, cycle: CycleRow, numbered: Sequence[Numbered]) -> list[Row]:
    rows: dict[Row, None] = {}
    for ordinal, (candidate, proposal, editor) in enumerate(numbered):
        rows |= dict.fromkeys(harness_rows(candidate.child))
        place = Place(cycle.cycle_id, 1, ordinal, editor)
        row = edit_row(candidate.edit_id, proposal, place, now=bench.now)
        rows[row] = None
    return list(rows)


def _report(
    environment: str, numbered: Sequence[Numbered], result: ImportedResult
) -> list[dict[str, Any]]:
    replays: dict[str, ReplayCheckRow] = {row.edit_id: row for row in result.replays}
    decisions: dict[str, GateDecisionRow] = {row.edit_id: row for row in result.decisions}
    edits: list[dict[str, Any]] = []
    for candidate, proposal, editor in numbered:
        replay, decision = replays.get(candidate.edit_id), decisions[candidate.edit_id]
        edits.append(
            {
                "edit_id": candidate.edit_id,
                "environment": environment,
                "editor": editor,
                "layer": candidate.layer,
                "artifact": candidate.artifact,
                "kind": proposal.kind,
                "title": proposal.title,
                "pattern_id": proposal.pattern_id,
                "child_harness_id": candidate.child.harness_id,
                "verdict": decision.verdict,
                "reason": decision.reason,
                "rate_on_failures": _share(
                    replay and replay.fires_on_failures, replay and replay.failures
                ),
                "rate_on_successes": _share(
                    replay and replay.fires_on_successes, replay and replay.successes
                ),
                "false_fire": replay.false_fire if replay else None,
                "tasks_at_risk": json.loads(replay.tasks_at_risk) if replay else [],
                "findings": json.loads(decision.findings),
            }
        )
    return edits


def _share(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None
