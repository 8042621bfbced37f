from types import SimpleNamespace

import duckdb
import pytest

from schemas.ids import make_id
from schemas.tables import TABLES
from warehouse.batch import insert_rows
from warehouse.checks import checks_of_release, run_checks
from warehouse.migrate import migrate

HARNESS_OF_RUNS = "seed"


@pytest.fixture
def broken_by():
    """Names of the rules that rows break, each with the keys it lists."""

    def check(rows):
        with duckdb.connect() as connection:
            migrate(connection)
            insert_rows(connection, rows)
            connection.execute("CREATE TEMP TABLE batch_trajectories (trajectory_id VARCHAR)")
            connection.execute(
                "INSERT INTO batch_trajectories SELECT trajectory_id FROM trajectories "
                "UNION SELECT trajectory_id FROM steps UNION SELECT trajectory_id FROM tool_calls "
                "UNION SELECT trajectory_id FROM failure_labels"
            )
            results = run_checks(connection, frozenset(TABLES))
        return {found.check.name: found.failing for found in results if found.failing}

    return check


@pytest.fixture
def failed(make):
    """An episode that failed."""
    return make.episode(1, outcome="failure")


def changed(rows, position, **values):
    rows = list(rows)
    rows[position] = rows[position].model_copy(update=values)
    return rows


def test_every_rule_says_what_must_hold_and_names_tables_that_exist():
    for check in checks_of_release():
        assert check.comment.endswith(".")
        assert set(check.tables) <= set(TABLES)


def test_sound_rows_break_no_rule(broken_by, make, failed):
    rows = [*failed, make.task(1), make.label(1), make.hit(1), *make.harness("seed")]
    assert broken_by([*rows, make.intervention(1, "seed")]) == {}


def test_an_untouched_table_starts_no_rule(make):
    with duckdb.connect() as connection:
        migrate(connection)
        assert run_checks(connection, frozenset({"prompts"})) == []


BROKEN = {
    "a call without its step": (
        lambda make, rows: changed(rows, 3, step_index=9),
        {"call_has_step"},
    ),
    "steps without a trajectory": (
        lambda make, rows: rows[1:],
        {"parts_have_trajectory"},
    ),
    "a result nobody asked for": (
        lambda make, rows: [*rows, rows[2].model_copy(update={"step_index": 5, "role": "tool"})],
        {"result_has_call"},
    ),
    "a task in two splits": (
        lambda make, rows: [*rows, make.task(1, split="sealed")],
        {"splits_disjoint"},
    ),
    "a label on a success": (
        lambda make, rows: [*changed(rows, 0, outcome="success"), make.label(1)],
        {"label_on_failure"},
    ),
    "a label on a fault": (
        lambda make, rows: [*changed(rows, 0, fault="endpoint"), make.label(1)],
        {"label_on_failure"},
    ),
    "a label on nothing": (
        lambda make, rows: [*rows, make.label(7, step_index=None)],
        {"label_on_failure"},
    ),
    "an annotated failure without a label": (
        lambda make, rows: [*rows, make.hit(1)],
        {"failure_has_label"},
    ),
    "a bullet of another category": (
        lambda make, rows: [*rows, make.label(1, bullet="TD1")],
        {"bullet_fits_category"},
    ),
    "a label at a step that is not there": (
        lambda make, rows: [*rows, make.label(1, step_index=9)],
        {"label_at_step"},
    ),
    "a wrong number of steps": (
        lambda make, rows: changed(rows, 0, steps=3),
        {"steps_total"},
    ),
    "more imported steps than turns": (
        lambda make, rows: changed(rows, 0, steps=3, origin="import"),
        {"steps_total_imported"},
    ),
    "a prompt that is not there": (
        lambda make, rows: [rows[0], *rows[2:]],
        {"prompts_stored"},
    ),
    "an intervention of a foreign artifact": (
        lambda make, rows: [*rows, *make.harness("seed"), make.intervention(1, "other")],
        {"intervention_of_harness"},
    ),
    "files of no harness": (
        lambda make, rows: [*rows, *make.harness("seed")[1:]],
        {"harness_parts_have_version"},
    ),
}


@pytest.mark.parametrize(("spoil", "names"), BROKEN.values(), ids=BROKEN)
def test_a_rule_finds(broken_by, make: SimpleNamespace, failed, spoil, names):
    assert set(broken_by(spoil(make, failed))) == names


def test_a_rule_lists_the_keys_of_what_breaks_it(broken_by, make, failed):
    found = broken_by([*failed, make.label(1, step_index=9)])
    assert found == {"label_at_step": (f"{make_id('traj', 1)}:9",)}


def test_an_intervention_is_not_judged_while_its_harness_is_not_stored(broken_by, make, failed):
    assert broken_by([*failed, make.intervention(1, "other")]) == {}


def test_a_forced_turn_may_count_as_a_step_or_not(broken_by, make, failed):
    forced = changed(failed, 2, forced=True)
    assert broken_by(forced) == {}
    assert broken_by(changed(forced, 0, steps=1)) == {}
    assert set(broken_by(changed(forced, 0, steps=0))) == {"steps_total"}
