"""Approval by a person: a run pauses with its evidence and goes on with the answer, or without."""

import time

import duckdb
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
COMMITS = {"environment": "depot", "tasks": 24, "rounds": 1, "slots": 1, "seed": 1}


def start(served, **more) -> str:
    deployment = served.deployment("evolution-cycle")
    form = COMMITS | {"approval": "required"} | more
    path = f"/deployments/{deployment['id']}/create_flow_run"
    return served.call(path, {"parameters": {"form": form}})["id"]


def wait_for(served, run_id: str, states: set[str]) -> dict:
    deadline = time.monotonic() + 200
    while (run := served.call(f"/flow_runs/{run_id}"))["state"]["type"] not in states:
        assert time.monotonic() < deadline, run["state"]
        time.sleep(0.5)
    return run


def question(served, run: dict) -> str:
    """What the Resume dialog says; it is stored a moment after the run has paused."""
    run_id = run["id"]
    key = run["state"]["state_details"]["run_input_keyset"]["description"]
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = served.call(f"/flow_runs/{run_id}/input/filter", {"prefix": key})
        if found:
            return found[0]["value"]
        time.sleep(0.5)
    pytest.fail(f"the run asks nothing: {served.call('/flow_runs/' + run_id)['state']}")


def one(served, sql: str) -> tuple:
    with duckdb.connect(str(served.home / "current.duckdb"), read_only=True) as connection:
        return connection.execute(sql).fetchone() or ()


def test_a_run_pauses_with_diff_and_evidence_and_an_approved_harness_comes_into_force(served):
    run_id = start(served)
    paused = wait_for(served, run_id, {"PAUSED", "FAILED", "CRASHED"})
    assert paused["state"]["type"] == "PAUSED", paused["state"]["message"]
    asked = question(served, paused)
    assert "```diff" in asked
    assert "won," in asked
    assert "tasks at risk" in asked
    answer = {"run_input": {"approve": True, "note": "looks right"}}
    served.call(f"/flow_runs/{run_id}/resume", answer)
    assert wait_for(served, run_id, {"COMPLETED", "FAILED", "CRASHED"})["state"]["type"] == (
        "COMPLETED"
    )
    answer, decided_by, note, new = one(
        served, "SELECT answer, decided_by, note, new_harness_id FROM approvals"
    )
    assert (answer, decided_by, note) == ("approved", "person", "looks right")
    ((in_force,),) = [one(served, "SELECT harness_id FROM evaluations WHERE purpose = 'final'")]
    assert in_force == new


def test_without_an_answer_in_time_the_edits_are_rejected_and_the_run_completes(served):
    run_id = start(served, approval_timeout_s=10, reference="simulated:mid")
    ended = wait_for(served, run_id, {"COMPLETED", "FAILED", "CRASHED"})
    assert ended["state"]["type"] == "COMPLETED", ended["state"]["message"]
    cycle_id, old, decided_by = one(
        served,
        "SELECT cycle_id, old_harness_id, decided_by FROM approvals WHERE answer = 'rejected'",
    )
    assert decided_by == "timeout"
    final = (
        f"SELECT harness_id FROM evaluations WHERE purpose = 'final' AND cycle_id = '{cycle_id}'"  # noqa: S608
    )
    assert one(served, final) == (old,)
    verdicts = f"SELECT count(*) FILTER (verdict = 'accepted'), count(*) FILTER (reason = 'approval') FROM edit_history WHERE cycle_id = '{cycle_id}'"  # noqa: S608, E501
    accepted, turned_down = one(served, verdicts)
    assert accepted == 0
    assert turned_down >= 1
