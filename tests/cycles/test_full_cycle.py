"""A full cycle on each embedded world does what it promises, and does it again."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]

KEYS = {
    *("cycle_id", "environment", "model", "harness_id", "baseline", "final", "rounds", "edits"),
    *("labels", "benefit", "examples", "rollouts", "tables", "validation", "startup_s", "wall_s"),
}
LAYERS = {"contract", "skills", "actions", "regulation"}


def test_sealed_success_rises_by_a_quarter_with_edits_in_three_layers(finished):
    _, _, summary = finished
    assert summary.keys() >= KEYS
    assert summary["final"]["sealed"] - summary["baseline"]["sealed"] >= 0.25
    assert len(summary["edits"]["by_layer"]) >= 3
    assert set(summary["edits"]["by_layer"]) <= LAYERS
    assert summary["edits"]["accepted"] == sum(summary["edits"]["by_layer"].values())


def test_nothing_that_was_landed_failed_a_check(finished):
    _, _, summary = finished
    assert summary["validation"]["checks"] > 0
    assert summary["validation"]["failed"] == 0


def test_every_example_traces_to_its_step(finished):
    _, command, summary = finished
    assert set(summary["examples"]) == {"anchored_call", "faithful_pair"}
    rows = command.sql(
        "SELECT count(*) AS examples, count(role) AS steps, count(artifact) AS artifacts "
        "FROM example_lineage"
    )
    total = sum(summary["examples"].values())
    assert rows == [{"examples": total, "steps": total, "artifacts": total}]


def test_only_train_tasks_become_examples(finished):
    _, command, _ = finished
    assert command.sql("SELECT DISTINCT split FROM training_examples") == [{"split": "train"}]


def test_the_same_command_again_is_already_done_and_rolls_nothing_out(finished):
    world, command, summary = finished
    arguments = ("cycle", "--environment", world, "--model", "simulated:weak", "--seed", "7")
    again = command(*arguments, "--json").json
    volatile = {"already_done", "rollouts", "startup_s", "wall_s"}
    assert again["already_done"] is True
    assert again["rollouts"] == 0
    assert {k: v for k, v in again.items() if k not in volatile} == {
        k: v for k, v in summary.items() if k not in volatile
    }


def test_another_data_folder_gets_the_same_digest(finished, make_command_line, server):
    world, command, _ = finished
    other = make_command_line(f"{world}-again", server)
    arguments = ("cycle", "--environment", world, "--model", "simulated:weak", "--seed", "7")
    other(*arguments, "--json", timeout=900)
    assert other.digest() == command.digest()


@pytest.mark.parametrize(("model", "success"), [("gold", 1.0), ("noop", 0.0)])
def test_gold_passes_everything_and_noop_nothing(finished, model, success):
    world, command, _ = finished
    result = command("evaluate", "--environment", world, "--model", model, "--json").json
    assert result["success"] == success
    assert set(result["splits"].values()) == {success}


def test_each_accepted_edit_is_held_to_its_promises_and_has_a_story(finished):
    _, command, summary = finished
    followed = command.sql("SELECT edit_id, runs, observed_fixes, verdict FROM edit_follow_ups")
    accepted = command.sql("SELECT edit_id FROM edit_history WHERE verdict = 'accepted'")
    assert {row["edit_id"] for row in accepted} <= {row["edit_id"] for row in followed}
    assert all(row["runs"] >= 20 for row in followed)
    stories = command("harness", "history", "--json").json["artifacts"]
    in_force = [one for one in stories if one["in_force"]]
    assert len(in_force) >= len(summary["edits"]["by_layer"])
    assert all(edit["verdict"] for one in in_force for edit in one["edits"])


def test_the_trial_of_an_accepted_edit_repeats_on_tasks_it_has_not_read(cycles):
    command, _ = cycles("sqldesk")
    query = "SELECT edit_id, trial_id FROM edit_history WHERE verdict = 'accepted' LIMIT 1"
    ((edit_id, trial_id),) = [tuple(row.values()) for row in command.sql(query)]
    result = command("gate", "repeat", edit_id, "--json").json
    assert result["verdict"] == "repeats"
    again = f"""
        SELECT count(*) AS pairs FROM paired_trials
        WHERE trial_id = '{result["trial_id"]}' AND old_trajectory_id IN (
            SELECT old_trajectory_id FROM paired_trials WHERE trial_id = '{trial_id}'
        )
    """  # noqa: S608
    assert command.sql(again) == [{"pairs": 0}]


def test_sql_refuses_what_is_not_one_query(finished):
    _, command, _ = finished
    for query in (
        "DROP TABLE steps",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY steps TO 'x.csv'",
    ):
        ran = command("sql", query, check=False)
        assert ran.code == 2
        assert len(ran.err.strip().splitlines()) == 1
