"""Drafts of both kinds as rows: checked, without doubles, each with its lineage."""

from collections.abc import Iterable

from schemas.data import TrainingExampleRow
from schemas.ids import canonical_json, make_id
from tasks.synthesizer.anchored import anchored_calls
from tasks.synthesizer.evidence import Draft, Evidence
from tasks.synthesizer.guards import is_clean
from tasks.synthesizer.pairs import faithful_pairs


def synthesize(evidence: Evidence) -> list[TrainingExampleRow]:
    """All examples that a diagnosis gives, sorted by id."""
    drafts = [*anchored_calls(evidence), *faithful_pairs(evidence)]
    rows = (_row(evidence, draft) for draft in drafts if is_clean(draft, evidence.closed_texts))
    return sorted(_unique(rows), key=lambda row: row.example_id)


def _unique(rows: Iterable[TrainingExampleRow]) -> list[TrainingExampleRow]:
    """Of examples that say the same, the one with the smallest id."""
    kept: dict[tuple[str, str, str | None, str], TrainingExampleRow] = {}
    for row in sorted(rows, key=lambda row: row.example_id):
        kept.setdefault((row.messages, row.chosen, row.rejected, row.tools), row)
    return list(kept.values())


def _row(evidence: Evidence, draft: Draft) -> TrainingExampleRow:
    trajectory = draft.episode.trajectory
    rejected_id = draft.rejected_episode.trajectory_id if draft.rejected_episode else None
    texts = {
        "messages": canonical_json(draft.messages),
        "chosen": canonical_json(draft.chosen),
        "rejected": None if draft.rejected is None else canonical_json(draft.rejected),
    }
    lineage = [trajectory.trajectory_id, draft.step_index, draft.artifact_id, rejected_id]
    key = [evidence.cycle_id, draft.kind, *lineage, *texts.values()]
    return TrainingExampleRow(
        example_id=make_id("ex", key),
        cycle_id=evidence.cycle_id,
        kind=draft.kind,
        path=draft.path,
        environment=evidence.environment,
        family=trajectory.family,
        task_id=trajectory.task_id,
        split=trajectory.split,
        model=evidence.model,
        trajectory_id=trajectory.trajectory_id,
        step_index=draft.step_index,
        artifact_id=draft.artifact_id,
        rejected_trajectory_id=rejected_id,
        tools=draft.episode.prompt_text(trajectory.tools_prompt_id) or "[]",
        simulated=evidence.is_simulated,
        **texts,
    )
