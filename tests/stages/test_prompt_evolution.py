"""Prompt evolution through the stages: its rollouts are stored and counted, its edits are judged.

The reflection model is scripted: an endpoint on loopback that always writes the same text.
"""

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

## Answers

`commit_final_answer` takes `answers`, a JSON list of bare values such as ["42"], never a sentence.
Every task ends with a call of `commit_final_answer`. `execute_sql` takes one statement a call.
Quote names with spaces in SQL, such as "Target City".
"""
ROLLOUTS = 60


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
    assert result.proposed == session["proposals"] == len(edits)
    assert {edit.layer for edit in edits} <= {"contract"}
    assert session["stop"] == "rollouts"
    assert session["prompt_tokens"] == 900 * session["turns"] > 0
    [(split, runs)] = linked
    assert split == "train"
    assert 0 < runs <= session["rollouts"] <= ROLLOUTS
