"""A data folder with rows of cycles and of production, and the command line over it."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from deployments.cli import run
from schemas.fields import Outcome
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from schemas.ids import make_id
from schemas.runs import CycleRow
from schemas.traffic import TrafficSessionRow
from schemas.trajectories import TrajectoryRow
from warehouse.batch import insert_rows
from warehouse.database import open_database
from warehouse.store import Warehouse

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CYCLE = make_id("cyc", 1)
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


def accepted_edit(number, parent, child, trial_id):
    edit_id = make_id("edit", number)
    return [
        EditRow(
            edit_id=edit_id,
            cycle_id=CYCLE,
            round=1,
            ordinal=number,
            editor="rules",
            parent_harness_id=parent.harness_id,
            child_harness_id=child.harness_id,
            layer="contract",
            artifact="Extra",
            kind="contract_sentence",
            pattern_id=None,
            title="a sentence",
            manifest="{}",
            diff="",
            created_at=NOW,
        ),
        GateDecisionRow(
            edit_id=edit_id,
            cycle_id=CYCLE,
            stage="paired",
            verdict="accepted",
            reason="evidence",
            trial_id=trial_id,
            slot=1,
            wins=10,
            losses=0,
            ties=2,
            e_value=30,
            threshold=20,
            delta=0.1,
            delta_lo=0.0,
            delta_hi=0.2,
            regressions=0,
            findings="[]",
        ),
    ]


def evolved_rows(base, children, *, trial_id=None):
    """A cycle that started from a harness, with an accepted edit for each child of it."""
    cycle = CycleRow(
        cycle_id=CYCLE,
        environment=base.environment,
        model="simulated:weak",
        reference="simulated:strong",
        editor="rules",
        seed=7,
        base_harness_id=base.harness_id,
        inputs='{"environment_fingerprint":"f1"}',
        created_at=NOW,
    )
    edits = [accepted_edit(n, base, one, trial_id) for n, one in enumerate(children)]
    return [cycle, *(row for rows in edits for row in rows)]


@pytest.fixture(scope="session")
def evolved():
    """Rows of a cycle and its accepted edits."""
    return evolved_rows


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
