"""A data folder with conversations that passed the runtime, and the command line over it."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from deployments.cli import run
from schemas.fields import Outcome
from schemas.ids import make_id
from schemas.traffic import TrafficSessionRow
from schemas.trajectories import TrajectoryRow
from warehouse.batch import insert_rows
from warehouse.database import open_database
from warehouse.store import Warehouse

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TREATED, CONTROL = make_id("harn", "treated"), make_id("harn", "control")


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


def conversation(
    number,
    *,
    outcome: Outcome = "unknown",
    session=None,
    environment="desk",
    arm="treatment",
    **changes,
):
    """The trajectory and the session row of one conversation; `changes` are of the latter."""
    trajectory_id = make_id("traj", [environment, number])
    harness = TREATED if arm == "treatment" else CONTROL
    trajectory = TrajectoryRow(
        trajectory_id=trajectory_id,
        environment=environment,
        environment_fingerprint="traffic",
        family="unknown",
        task_id=f"{environment}/unknown/{number}",
        split="train",
        model="openai:some",
        model_fingerprint="m",
        harness_id=harness,
        seed=0,
        repeat=0,
        arm="run",
        origin="traffic",
        outcome=outcome,
        outcome_rule="none",
        termination="finished",
        steps=1,
        transcript_sha256=f"t{number}",
        created_at=NOW,
    )
    values = {
        "trajectory_id": trajectory_id,
        "session": session or f"s{number}",
        "environment": environment,
        "mode": "split",
        "arm": arm,
        "propensity": 0.5,
        "treatment_harness_id": TREATED,
        "control_harness_id": CONTROL,
        "started_at": NOW + timedelta(seconds=number),
    }
    return [trajectory, TrafficSessionRow.model_validate(values | changes)]


@pytest.fixture(scope="session")
def talk():
    """Rows of one conversation."""
    return conversation


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def fill(home):
    """Puts rows into the warehouse of the data folder, without validation."""

    def put(rows):
        store = Warehouse(home)
        with open_database(store.paths.live, read_only=False) as connection:
            insert_rows(connection, rows)
        store.publish()

    return put


@pytest.fixture
def tackroom(capsys, home):
    """Runs a command here, so that libraries are loaded once."""

    def call(*arguments):
        code = run(list(arguments))
        return Ran(code, *capsys.readouterr())

    return call
