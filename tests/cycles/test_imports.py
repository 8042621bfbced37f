"""Recorded tau trajectories become labels and gated edits."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

OVER_TRIGGERING = '''
def rule_block_everything(action, context):
    """Blocks each and every call."""
    return {"kind": "block", "message": "Not now."}
'''


@pytest.fixture(scope="module")
def imported(make_command_line, recorded):
    command = make_command_line("imports")
    patterns = [str(recorded / "tau-bench" / "*.json"), str(recorded / "tau2-bench" / "*.json")]
    result = command("import", *patterns, "--json").json
    command("annotate", "--json")
    return command, result


def test_every_episode_is_imported_or_named(imported):
    command, result = imported
    assert result["episodes"] == result["imported"] + result["duplicates"] + result["refused"]
    assert len(result["refusals"]) == result["refused"]
    stored = command.sql("SELECT count(*) AS n FROM trajectories WHERE origin = 'import'")
    assert stored[0]["n"] == result["imported"]


def test_each_failure_has_exactly_one_label_with_step_and_evidence(imported):
    command, _ = imported
    rows = command.sql(
        "SELECT trajectories.trajectory_id, count(labels.rule) AS labels, "
        "bool_or(labels.step_index IS NULL AND labels.category <> 'not_attributable') AS stepless, "
        "min(length(labels.evidence)) AS evidence "
        "FROM trajectories LEFT JOIN failure_labels AS labels USING (trajectory_id) "
        "WHERE outcome = 'failure' AND fault IS NULL GROUP BY ALL"
    )
    assert rows
    assert all(row["labels"] == 1 and not row["stepless"] and row["evidence"] > 2 for row in rows)


def test_imported_patterns_become_edits_and_an_over_triggering_candidate_is_rejected(
    imported, tmp_path
):
    command, _ = imported
    environment = "tau2_airline"
    folder = tmp_path / "candidate"
    command("harness", "export", "seed", "--environment", environment, "--out", str(folder))
    (folder / "actions.py").write_text(OVER_TRIGGERING)
    arguments = ("evolve", "--from-imports", "--candidate", str(folder), "--json")
    result = command(*arguments).json
    ours = [edit for edit in result["edits"] if edit["editor"] == "rules"]
    open_edits = [edit for edit in ours if edit["verdict"] == "undecided"]
    assert {edit["reason"] for edit in open_edits} == {"no_live_world"}
    assert len({edit["pattern_id"] for edit in ours}) >= 3
    assert len({edit["layer"] for edit in ours}) >= 2
    rules = [edit for edit in open_edits if edit["layer"] in ("actions", "regulation")]
    assert rules
    assert all((edit["false_fire"] or 0) <= 0.05 for edit in rules)
    texts = [edit for edit in open_edits if edit["layer"] in ("contract", "skills")]
    assert any(edit["tasks_at_risk"] for edit in texts)
    [planted] = [edit for edit in result["edits"] if edit["editor"] == "candidate"]
    assert (planted["verdict"], planted["reason"]) == ("rejected", "false_fire")


def test_an_edit_that_history_lets_through_can_be_exported(imported, tmp_path):
    command, _ = imported
    edits = command("evolve", "--from-imports", "--json").json["edits"]
    harness_id = next(e["child_harness_id"] for e in edits if e["verdict"] == "undecided")
    out = tmp_path / "out"
    command("harness", "export", harness_id, "--out", str(out))
    assert (out / "harness.yaml").exists()
