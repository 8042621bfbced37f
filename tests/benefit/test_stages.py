"""Diagnosis, synthesis and export of a small cycle on the desk, in a real warehouse."""

import json
from types import SimpleNamespace

import pytest

from schemas.errors import ConfigError
from schemas.forms import CycleForm, DiagnoseForm, SynthesizeForm
from tasks.cycle import close_cycle, open_cycle
from tasks.diagnosis import diagnose_benefit, diagnose_cycle
from tasks.evaluation import score_sealed
from tasks.exporting import export_examples
from tasks.harness_rows import harness_rows
from tasks.synthesis import synthesize_cycle, synthesize_data
from tasks.workbench import Workbench, seed_harness

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(400)]

SKILL = """---
name: stored-values-first
description: Steps to record, change, correct or mark a row whose code is told in words.
trigger: [record, change, for every]
checkpoints:
- {text: Look the stored values up., tool: execute_sql, contains: [select, distinct]}
- {text: Hand in., tool: commit_final_answer}
---
1. Call `execute_sql` with SELECT DISTINCT of the column that is told in words.
2. Call `execute_sql` with the INSERT or UPDATE, the value as it is stored.
3. Call `commit_final_answer`.
"""
CONTRACT = """
- Send one SQL statement in each call of `execute_sql`.
- Put column names that contain spaces in double quotes, as in `SELECT "Unit Price" FROM stock`.
- `commit_final_answer` takes `answers`, a list of strings such as ["42"], never a sentence.
- After an INSERT or UPDATE you must still call `commit_final_answer`.
"""
TRACED = """
SELECT count(*) FROM training_examples AS e
JOIN example_lineage AS l USING (example_id)
WHERE l.role IS NOT NULL AND l.artifact IS NOT NULL AND l.outcome IS NOT NULL
"""


# Whether the call helps at the few points that were forked differs from model to model.
WORTH_CALLING = """
SELECT count(*) FROM decision_points AS p
WHERE NOT p.called AND (
    EXISTS (
        SELECT 1 FROM benefit_gaps AS g
        WHERE g.artifact_id = p.artifact_id AND g.gap_type = 'activation'
        AND (g.effect > 0 OR coalesce(g.effect, 0) = 0
             AND g.verdict IN ('unmeasured', 'not_called', 'undecided'))
    )
    OR EXISTS (
        SELECT 1 FROM counterfactuals AS c
        WHERE c.decision_point_id = p.decision_point_id
        AND c.arm = 'reference' AND c.invoked AND c.success
    )
)
"""


@pytest.fixture(scope="module")
def cycle(tmp_path_factory):
    """One cycle whose final harness has a skill and whose stages have been run."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("TACKROOM_HOME", str(home))
        plan = open_cycle(CycleForm(environment="sqldesk", model="simulated:weak", tasks=60))
        bench = Workbench.open()
        final = seed_harness("sqldesk").put("contract", "Calls", CONTRACT)
        final = final.put("skills", "stored-values-first", SKILL)
        bench.land(harness_rows(final), "test")
        bench.commit()
        score_sealed(plan, final.harness_id, "final")
        diagnosis = diagnose_benefit(plan, final.harness_id)
        synthesis = synthesize_data(plan, final.harness_id)
        close_cycle(plan, final.harness_id)
        yield SimpleNamespace(
            home=home, plan=plan, diagnosis=diagnosis, synthesis=synthesis, final=final
        )


def count(sql) -> int:
    with Workbench.open().warehouse.read() as reader:
        return int(reader.scalar(sql) or 0)


def test_the_rate_has_a_status_and_points_were_found(cycle):
    assert cycle.diagnosis.status in ("ok", "unbounded")
    assert cycle.diagnosis.points > 0
    assert count("SELECT count(*) FROM benefit_rates WHERE activation > 0") == 1
    assert count("SELECT count(*) FROM counterfactuals") > 0


def test_a_severity_is_the_product_of_its_parts(cycle):
    wrong = """
    SELECT count(*) FROM benefit_gaps
    WHERE abs(severity - reach * prevalence * coalesce(effect_lcb, 0)) > 1e-12
    """
    assert count("SELECT count(*) FROM benefit_gaps") > 0
    assert count(wrong) == 0


def test_examples_arise_where_forks_say_so_and_trace_to_their_steps(cycle):
    assert cycle.synthesis.examples.get("anchored_call", 0) == count(WORTH_CALLING)
    assert cycle.synthesis.examples["faithful_pair"] > 0
    assert count(TRACED) == sum(cycle.synthesis.examples.values())
    assert count("SELECT count(*) FROM training_examples WHERE NOT simulated") == 0


def test_every_run_and_fork_is_linked_to_the_cycle(cycle):
    unlinked = """
    SELECT count(*) FROM trajectories AS t
    WHERE NOT EXISTS (SELECT 1 FROM cycle_trajectories AS l WHERE l.trajectory_id = t.trajectory_id)
    """
    assert count("SELECT count(*) FROM trajectories WHERE starts_with(arm, 'fork:')") > 0
    assert count(unlinked) == 0


def test_no_check_failed(cycle):
    assert count("SELECT count(*) FROM validation_results WHERE NOT success") == 0
    assert count("SELECT count(*) FROM quarantine") == 0


def test_a_finished_cycle_is_read_back_without_new_runs(cycle):
    before = count("SELECT count(*) FROM trajectories")
    told = diagnose_cycle(DiagnoseForm())
    assert told["cycle_id"] == cycle.plan.cycle_id
    assert told["status"] == cycle.diagnosis.status
    assert told["simulated"]
    assert len(told["gaps"]) == cycle.diagnosis.gaps
    assert json.dumps(told)
    made = synthesize_cycle(SynthesizeForm(cycle_id=cycle.plan.cycle_id))
    assert made["examples"] == cycle.synthesis.examples
    assert count("SELECT count(*) FROM trajectories") == before


def test_an_unknown_cycle_is_named(cycle):
    with pytest.raises(ConfigError, match="no cycle `cyc_0000000000000000`"):
        diagnose_cycle(DiagnoseForm(cycle_id="cyc_0000000000000000"))
    with pytest.raises(ConfigError, match="no cycle"):
        export_examples("trl-sft", "", "cyc_0000000000000000")


def test_exported_files_hold_what_the_table_holds(cycle, tmp_path):
    sft = export_examples("trl-sft", str(tmp_path / "sft.jsonl"), "")
    dpo = export_examples("trl-dpo", "", cycle.plan.cycle_id)
    rows = [json.loads(line) for line in (tmp_path / "sft.jsonl").read_text("utf-8").splitlines()]
    manifest = json.loads((tmp_path / "sft.jsonl.manifest.json").read_text("utf-8"))
    assert len(rows) == sft["rows"] == len(manifest["examples"])
    examples = {line["example_id"] for line in manifest["examples"]}
    assert len(examples) == sum(cycle.synthesis.examples.values()) - sft["refused"]
    assert dpo["rows"] + dpo["refused"] == cycle.synthesis.examples["faithful_pair"]
    assert dpo["file"].startswith(str(cycle.home))
    assert count("SELECT count(*) FROM exports") == 2


def test_the_same_export_again_is_the_same_file_and_no_new_row(cycle, tmp_path):
    first = export_examples("trl-sft", str(tmp_path / "again.jsonl"), "")
    rows = count("SELECT count(*) FROM exports")
    assert export_examples("trl-sft", str(tmp_path / "again.jsonl"), "") == first
    assert count("SELECT count(*) FROM exports") == rows
