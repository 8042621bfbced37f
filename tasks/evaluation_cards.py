"""Stored evaluations, read back from the warehouse alone."""

import json
from typing import Any

from schemas.evaluation import (
    EvaluationCardRow,
    EvaluationContrastRow,
    EvaluationRow,
    EvaluationSummaryRow,
)
from schemas.fields import Row
from tasks.workbench import Workbench
from warehouse.reader import Reader

_JSON = ("models", "harnesses", "loops", "pools", "step_budgets", "noise", "cycles", "inputs")
_DONE = """
SELECT card_id FROM evaluation_cards WHERE inputs_id = ? AND faults = 0
ORDER BY created_at DESC, card_id LIMIT 1
"""
_WITHOUT = {
    "pairs": "pairs",
    "success": "old_success",
    "loss": "delta",
    "loss_lo": "delta_lo",
    "loss_hi": "delta_hi",
    "loss_bound": "delta_bound",
    "wins": "wins",
    "losses": "losses",
    "ties": "ties",
    "p_value": "p_value",
}


def finished_card(bench: Workbench, inputs_id: str) -> str:
    """The stored evaluation of these inputs that no fault is left in; empty when there is none."""
    with bench.warehouse.read() as reader:
        return str(reader.scalar(_DONE, [inputs_id]) or "")


def read_card(bench: Workbench, card_id: str) -> dict[str, Any]:
    """Everything about one evaluation: its card, cells, contrasts and what they say together."""
    with bench.warehouse.read() as reader:
        return card_record(reader, card_id)


def card_record(reader: Reader, card_id: str) -> dict[str, Any]:
    """As `read_card`, over an open snapshot."""
    one = [card_id]
    (card,) = reader.rows(EvaluationCardRow, "card_id = ?", one)
    cells = [_cell(row) for row in reader.rows(EvaluationRow, "card_id = ?", one)]
    order = {tuple(key): place for place, key in enumerate(json.loads(card.inputs)["cells"])}
    cells.sort(key=lambda row: order[_key(row)])
    contrasts = [_plain(row) for row in reader.rows(EvaluationContrastRow, "card_id = ?", one)]
    by_id = {row["evaluation_id"]: row for row in cells}
    both = ("new_evaluation_id", "old_evaluation_id")
    contrasts.sort(key=lambda row: (row["kind"], *(order[_key(by_id[row[name]])] for name in both)))
    summaries = reader.rows(EvaluationSummaryRow, "card_id = ?", one)
    return {
        "kind": "evaluation",
        "card_id": card_id,
        "protocol": card.protocol,
        "simulated": card.simulated,
        "noise": "; ".join(dict.fromkeys(json.loads(card.noise).values())),
        **_single(_named(card, cells), contrasts),
        "faults": card.faults,
        "constrained": sum(cell["constrained"] for cell in cells),
        "cells": cells,
        "contrasts": contrasts,
        "summaries": [_plain(row) for row in summaries],
        "card": _card(card),
    }


def _key(cell: dict[str, Any]) -> tuple[str, ...]:
    return (cell["environment"], cell["model"], cell["harness_id"], cell["split"])


def _named(card: EvaluationCardRow, cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Cells of harnesses that a user named; variants without a layer have no name."""
    named = {one["harness_id"] for one in json.loads(card.harnesses) if one["word"]}
    return [cell for cell in cells if cell["harness_id"] in named]


def _single(whole: list[dict[str, Any]], contrasts: list[dict[str, Any]]) -> dict[str, Any]:
    """The score itself, where one model was scored in one harness."""
    if len({_key(row)[:3] for row in whole}) != 1:
        return {}
    first = whole[0]
    tasks = sum(row["tasks"] for row in whole)
    single = {
        "environment": first["environment"],
        "model": first["model"],
        "harness_id": first["harness_id"],
        "success": sum(row["successes"] for row in whole) / tasks if tasks else None,
        "tasks": tasks,
        "splits": {row["split"]: row["success"] for row in whole},
    }
    left_out = [row for row in contrasts if row["kind"] == "without_layer"]
    if len(left_out) == 1:
        loss = {name: left_out[0][column] for name, column in _WITHOUT.items()}
        single["without"] = {"layer": left_out[0]["subject"], **loss}
    return single


def _cell(row: EvaluationRow) -> dict[str, Any]:
    hidden = {"cycle_id", "round", "purpose", "card_id"}
    told = row.model_dump(mode="json", exclude=hidden)
    parsed = {name: json.loads(told[name]) for name in ("pass_hat", "by_trial")}
    return told | parsed


def _card(row: EvaluationCardRow) -> dict[str, Any]:
    told = row.model_dump(mode="json")
    return told | {name: json.loads(told[name]) for name in _JSON}


def _plain(row: Row) -> dict[str, Any]:
    return row.model_dump(mode="json")
