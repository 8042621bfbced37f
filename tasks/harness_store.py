"""Stored harnesses for people: list, find, describe, take out."""

import json
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from tasks.evidence_card import card_of, render_card
from tasks.harness import Harness, HarnessError
from tasks.workbench import Workbench
from warehouse.harness_store import list_harnesses

_COUNTS = "SELECT harness_id, count(*) AS artifacts FROM harness_artifacts GROUP BY harness_id"
_SCORES = """
SELECT harness_id, split, model, success, tasks
FROM evaluations
WHERE success IS NOT NULL AND model NOT IN ('gold', 'noop')
QUALIFY row_number() OVER (
    PARTITION BY harness_id, split, model ORDER BY tasks DESC, evaluation_id
) = 1
ORDER BY harness_id, split, model
"""
_STATES = "SELECT environment, harness_id, state, reason FROM harness_states_now"


def stored_harnesses(environment: str = "") -> list[dict[str, Any]]:
    """All stored harnesses: state, names, layers, number of artifacts, success where it is known.

    Success is told by split and model, each from the evaluation with most tasks; `gold` and
    `noop`, which read no harness, are left out.
    """
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        counts = dict(reader.frame(_COUNTS).rows())
        found = list_harnesses(reader, environment=environment or None)
        scores = reader.frame(_SCORES).to_dicts()
        states = {(row[0], row[1]): row[2] for row in reader.frame(_STATES).iter_rows()}
    success: dict[str, list[dict[str, Any]]] = {}
    for score in scores:
        success.setdefault(score.pop("harness_id"), []).append(score)
    return [
        {
            "harness_id": row.harness_id,
            "environment": row.environment,
            "state": states[row.environment, row.harness_id],
            "names": list(row.names),
            "artifact_count": counts.get(row.harness_id, 0),
            "layers": json.loads(row.layers),
            "delivery": row.delivery,
            "success": success.get(row.harness_id, []),
        }
        for row in found
    ]


def find_harness(word: str, environment: str = "") -> Harness:
    """The stored harness that an id, the start of one, or a name points to.

    Raises:
        ConfigError: nothing, or more than one, is meant.
    """
    return Workbench.open().harness(environment, word)


def describe_harness(harness: Harness) -> dict[str, Any]:
    """Everything about one harness; one that is not stored is a draft."""
    with Workbench.open().warehouse.read() as reader:
        where = " WHERE environment = ? AND harness_id = ?"
        states = reader.frame(_STATES + where, [harness.environment, harness.harness_id]).rows()
    return {
        "harness_id": harness.harness_id,
        "environment": harness.environment,
        "state": states[0][2] if states else "draft",
        "state_reason": states[0][3] if states else None,
        "layers": list(harness.layers),
        "delivery": harness.delivery,
        "artifacts": [
            {
                "artifact_id": artifact.artifact_id,
                "layer": artifact.layer,
                "name": artifact.name,
                "path": artifact.path,
                "description": artifact.description,
            }
            for artifact in harness.artifacts
        ],
        "files": dict(harness.content_files),
    }


def export_harness(word: str, environment: str, folder: str) -> dict[str, Any]:
    """Write a harness as a folder with its evidence and a manifest, by which it is checked.

    Raises:
        ConfigError: the harness is unknown, or the folder holds something else.
    """
    bench = Workbench.open()
    harness = bench.harness(environment, word)
    card = card_of(bench, harness)
    try:
        harness.export(Path(folder), evidence=render_card(card))
    except HarnessError as error:
        what = f"cannot write to {folder}: {error}"
        raise ConfigError(what, hint="name a new folder") from error
    return {
        "folder": folder,
        "harness_id": harness.harness_id,
        "files": sorted(harness.files),
        "evidence": card.status,
    }
