"""A trajectory or an edit as plain values: the rows behind it, under the names of columns."""

from collections.abc import Iterable
from typing import Any

from schemas.fields import Row
from schemas.gate import PairedTrialRow
from tasks.presentation.edit import EditFacts
from tasks.presentation.trajectory import TrajectoryFacts, is_simulated

Record = dict[str, Any]


def trajectory_record(found: TrajectoryFacts) -> Record:
    """Everything stored about a trajectory."""
    episode = found.episode
    return {
        "kind": "trajectory",
        "id": episode.trajectory_id,
        "simulated": is_simulated(episode.trajectory.model),
        "trajectory": _plain(episode.trajectory),
        "task": episode.task_text,
        "prompts": _all(episode.prompts.values()),
        "steps": _all(episode.steps),
        "calls": _all(episode.calls),
        "interventions": _all(episode.interventions),
        "faults": _all(episode.faults),
        "notes": _all(episode.notes),
        "labels": _all(found.labels),
        "hits": _all(found.hits),
        "verdicts": _all(found.verdicts),
        "uses": _all(found.uses),
        "sources": _all(episode.sources),
        "examples": list(found.examples),
        "forks": found.forks,
    }


def edit_record(found: EditFacts, pairs: Iterable[PairedTrialRow]) -> Record:
    """Everything stored about an edit, and pairs of its trial."""
    return {
        "kind": "edit",
        "id": found.edit.edit_id,
        "simulated": is_simulated(found.model),
        "edit": _plain(found.edit),
        "decision": _plain(found.decision) if found.decision else None,
        "pattern": _plain(found.pattern) if found.pattern else None,
        "replays": _all(found.replays),
        "predictions": _all(found.predictions),
        "bundle": list(found.bundle),
        "results": dict(found.results or {}),
        "pairs": _all(pairs),
    }


def _all(rows: Iterable[Row]) -> list[Record]:
    return [_plain(row) for row in rows]


def _plain(row: Row) -> Record:
    return row.model_dump(mode="json")
