"""Prompt evolution through the stages: its rollouts are stored and counted, its edits are judged.

The reflection model is scripted: an endpoint on loopback that always writes the same text.
"""

import json

import pytest

from schemas.forms import CycleForm
from schemas.harness import EditRow
from tasks.annotation import annotate_round
from tasks.collection import collect_train
from tasks.cycle import open_cycle
from tasks.editing import propose_edits
from warehouse.store import Warehouse

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(900)]

TEXT = """Work on the task with the tools you are given, one call at a time.

## Calls

- `execute_sql` takes `query` (string): {"query": "value"}.
- Send exactly one statement in each call of `execute_sql`; a second one is a second call.
- In `query` of `execute_sql` put names with a space in double quotes: "Target City".
- Call `execute_sql` before `commit_final_answer`: use only what it has returned.
- `commit_final_answer` takes `answers` (list of strings): {"answers": ["first value"]}.
- Every task ends with a call of `commit_final_answer`.
"""
ROLLOUTS = 150


def test_its_rollouts_are_stored_counted_and_of_train_tasks_only(
    scripted_endpoint, tmp_path, monkeypatch
):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    for name, value in scripted_endpoint(lambda body: f"```\n{TEXT}\n```").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TACKROOM_EDITOR__ROLLOUTS", str(ROLLOUTS))
    form = CycleForm(environment="sqldesk", editor="prompt:scripted", tasks=48, rounds=1)
    plan = open_cycle(form)
    collect_train(plan, plan.base_harness_id, 1)
    annotate_round(plan, plan.base_harness_id, 1)
    result = propose_edits(plan, plan.base_harness_id, 1)
    with Warehouse(tmp_path / "home").read() as reader:
        edits = reader.rows(EditRow)
        [session] = reader.frame(
            "SELECT turns, rollouts, proposals, prompt_tokens, stop FROM editor_sessions"
        ).rows(named=True)
        linked = reader.frame(
            "SELECT t.split, count(*) FROM cycle_trajectories c JOIN trajectories t "
            "USING (trajectory_id) WHERE c.purpose = 'editor:1' GROUP BY t.split"
        ).rows()
        outcomes = {
            (harness_id, task_id): outcome
            for harness_id, task_id, outcome in reader.frame(
                "SELECT harness_id, task_id, outcome FROM trajectories"
            ).rows()
        }
    promised = [
        (edit.child_harness_id, task_id)
        for edit in edits
        for task_id in json.loads(edit.manifest)["predicted_fixes"]
    ]
    assert promised
    for child, task_id in promised:
        assert outcomes[(plan.base_harness_id, task_id)] == "failure"
        assert outcomes[(child, task_id)] == "success"
    assert result.proposed == session["proposals"] == len(edits)
    assert {edit.layer for edit in edits} <= {"contract"}
    assert session["stop"] == "rollouts"
    assert session["prompt_tokens"] == 900 * session["turns"] > 0
    [(split, runs)] = linked
    assert split == "train"
    assert 0 < runs <= session["rollouts"] <= ROLLOUTS
