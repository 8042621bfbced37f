"""Forecasts of what edits do to train tasks, scored by the trials that followed."""

import pytest

from schemas.gate import GateDecisionRow, PairedTrialRow
from schemas.harness import EditPredictionRow, EditRow
from schemas.ids import make_id
from schemas.runs import CycleRow

OLD, NEW = make_id("harn", "seed"), make_id("harn", "child")
CYCLE, EDIT, TRIAL = make_id("cyc", 1), make_id("edit", 1), make_id("trial", 1)
BEFORE = ("failure", "failure", "success", "success")
AFTER = ("success", "failure", "failure", "success")
FORETOLD = ((0, "fix"), (1, "touch"), (2, "risk"), (3, "risk"))


def task_id(number):
    return f"sqldesk/lookup/{number}"


def runs(make):
    for number, (was, now) in enumerate(zip(BEFORE, AFTER, strict=True)):
        yield make.trajectory(number, task_id=task_id(number), harness_id=OLD, outcome=was)
        yield make.trajectory(10 + number, task_id=task_id(number), harness_id=NEW, outcome=now)


def decided(make):
    """A cycle with one edit, its trial and its decision."""
    now = make.trajectory(0).created_at
    texts = dict.fromkeys(("inputs", "manifest", "findings"), "{}")
    common = {"cycle_id": CYCLE, "created_at": now} | texts
    values = common | {
        **{"edit_id": EDIT, "trial_id": TRIAL, "environment": "sqldesk", "seed": 7, "round": 1},
        **{"model": "simulated:weak", "reference": "x", "editor": "rules", "ordinal": 0},
        **{"base_harness_id": OLD, "parent_harness_id": OLD, "child_harness_id": NEW},
        **{"old_harness_id": OLD, "new_harness_id": NEW, "layer": "contract", "artifact": "A"},
        **{"kind": "k", "pattern_id": None, "title": "t", "diff": "d", "task_id": task_id(0)},
        **{"purpose": "gate", "old_score": 0.0, "new_score": 1.0, "result": "win"},
        **{"old_trajectory_id": None, "new_trajectory_id": None, "by_construction": False},
        **{"stage": "paired", "verdict": "undecided", "reason": "futile", "slot": 1},
        **{"wins": 1, "losses": 0, "ties": 0, "regressions": 0, "e_value": 1.5},
        **{"threshold": 120.0, "delta": None, "delta_lo": None, "delta_hi": None},
    }
    for model in (CycleRow, EditRow, PairedTrialRow, GateDecisionRow):
        yield model.model_validate({k: v for k, v in values.items() if k in model.model_fields})


def predictions(words=("fix", "touch", "risk")):
    for number, word in FORETOLD:
        if word in words:
            yield EditPredictionRow.model_validate(
                {
                    "edit_id": EDIT,
                    "task_id": task_id(number),
                    "prediction": word,
                    "forecaster": "replay",
                }
            )


@pytest.fixture
def scored(store, fill, make):
    """Rows of the view, by kind."""

    def go(foretold):
        fill(store, [*runs(make), *decided(make), *foretold])
        with store.read() as reader:
            found = reader.frame("SELECT * FROM edit_forecasts").to_dicts()
        return {row["kind"]: row for row in found}

    return go


def test_precision_and_recall_of_fixes_and_of_regressions(scored):
    found = scored(predictions())
    assert set(found) == {"fix", "regression"}
    for row in found.values():
        assert (row["editor"], row["forecaster"], row["tasks"]) == ("rules", "replay", 4)
        assert (row["foretold"], row["happened"], row["hits"]) == (2, 1, 1)
        assert (row["precision"], row["recall"]) == (0.5, 1.0)


def test_what_was_not_foretold_has_no_precision_but_is_missed(scored):
    row = scored(predictions(words=("risk",)))["fix"]
    assert row["precision"] is None
    assert row["recall"] == 0.0


def test_without_forecasts_there_is_nothing_to_score(scored):
    assert scored([]) == {}
