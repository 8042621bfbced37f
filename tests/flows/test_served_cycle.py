"""A cycle started through the server's API from its deployment, as a scheduler would."""

from pathlib import Path

import duckdb
import pytest
import yaml

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
MANIFEST = Path(__file__).parents[2] / "deployments" / "prefect.yaml"
SMALL = {"form": {"tasks": 12, "rounds": 1, "reference": "simulated:strong"}}


@pytest.fixture(scope="module")
def finished(served):
    """A small cycle, run from its deployment."""
    deployment = served.deployment("evolution-cycle")
    path = f"/deployments/{deployment['id']}/create_flow_run"
    return served.wait(served.call(path, {"parameters": SMALL})["id"])


def test_the_cycle_completes_and_its_rows_are_in_the_warehouse(served, finished):
    assert finished["state"]["type"] == "COMPLETED", finished["state"]["message"]
    with duckdb.connect(str(served.home / "current.duckdb"), read_only=True) as connection:
        cycles = connection.execute("SELECT cycle_id, environment FROM cycles WHERE seed = 7")
        ((cycle_id, environment),) = cycles.fetchall()
        scores = connection.execute(
            "SELECT purpose FROM evaluations WHERE cycle_id = ?", [cycle_id]
        ).fetchall()
    assert environment == "sqldesk"
    assert {("baseline",), ("final",)} <= set(scores)


def test_the_run_leaves_a_summary_a_table_of_decisions_and_finished_progress(served, finished):
    found = {one["key"]: one for one in served.call("/artifacts/filter", {}) if one["key"]}
    assert "*simulated* model" in found["evolution-cycle"]["data"]
    assert "█" in found["evolution-cycle"]["data"]
    assert found["evolution-cycle-progress"]["data"] == 100
    assert (
        "edit\\_" in found["gate-decisions"]["data"] or "edit_" in found["gate-decisions"]["data"]
    )


def test_one_task_run_is_made_for_each_stage(served, finished):
    wanted = {"flow_runs": {"id": {"any_": [finished["id"]]}}}
    tasks = served.call("/task_runs/filter", wanted)
    assert 0 < len(tasks) <= 40
    assert {one["state"]["type"] for one in tasks} == {"COMPLETED"}


def test_the_schedule_stands_on_the_cycle_alone(served):
    found = served.call("/deployments/filter", {})
    scheduled = [one["name"] for one in found if one["schedules"]]
    assert scheduled == ["evolution-cycle"]
    written = yaml.safe_load(MANIFEST.read_text())["deployments"]
    assert {one["name"] for one in found} == {one["name"] for one in written}
    assert not any(one["paused"] for one in found)


def test_what_the_form_does_not_know_is_refused(served):
    deployment = served.deployment("evolution-cycle")
    path = f"/deployments/{deployment['id']}/create_flow_run"
    with pytest.raises(OSError, match=r"409|422"):
        served.call(path, {"parameters": {"form": {"tusks": 12}}})
