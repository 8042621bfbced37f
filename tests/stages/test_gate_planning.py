from datetime import UTC, datetime

import pytest

from schemas.gate_forms import PlanForm
from schemas.ids import make_id, sha256_hex
from schemas.trajectories import TrajectoryRow
from tasks.gate_planning import plan_gate
from tasks.workbench import Workbench

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def stored(task, repeat, outcome):
    key = make_id("traj", [task, repeat])
    return TrajectoryRow(
        trajectory_id=key,
        environment="sqldesk",
        environment_fingerprint="fp",
        family="f",
        task_id=f"sqldesk/f/{task:03d}",
        split="train",
        model="openai:paid",
        model_fingerprint="paid",
        harness_id=make_id("harn", ["x"]),
        seed=7,
        repeat=repeat,
        arm="run",
        origin="import",
        outcome="success" if outcome else "failure",
        outcome_rule="checker",
        termination="finished",
        steps=0,
        prompt_tokens=900,
        completion_tokens=100,
        transcript_sha256=sha256_hex(key),
        created_at=NOW,
    )


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TACKROOM_MODELS__PAID__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TACKROOM_MODELS__PAID__MODEL", "some")
    monkeypatch.setenv("TACKROOM_MODELS__PAID__PRICE__PROMPT", "2")
    monkeypatch.setenv("TACKROOM_MODELS__PAID__PRICE__COMPLETION", "8")
    return Workbench.open()


@pytest.mark.gx
def test_cost_and_loss_rate_come_from_what_is_set_and_stored(bench):
    rows = [stored(task, repeat, task % 4 or repeat) for task in range(40) for repeat in (0, 1)]
    bench.land(rows, "test")
    bench.commit()
    plan = plan_gate(PlanForm(model="openai:paid"), bench)
    # One task in four differs between its two runs; a candidate loses half of those pairs.
    assert plan["loss_rate"] == pytest.approx(0.125)
    assert "40 stored tasks" in plan["loss_rate_from"]
    for row in plan["gains"]:
        assert row["tokens"] == row["rollouts"] * 1000
        assert row["cost_usd"] == pytest.approx(row["rollouts"] * (900 * 2 + 100 * 8) / 1e6)


def test_without_repeats_a_loss_rate_is_assumed_and_a_given_one_is_taken(bench):
    assert plan_gate(PlanForm(model="openai:paid"), bench)["loss_rate_from"] == "assumed"
    given = plan_gate(PlanForm(model="openai:paid", loss_rate=0.01), bench)
    assert (given["loss_rate"], given["loss_rate_from"]) == (0.01, "given")
