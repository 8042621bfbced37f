"""Rows to land, and a warehouse in a temporary folder."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from schemas.failures import FailureLabelRow, RuleHitRow
from schemas.fields import Row
from schemas.harness import (
    HarnessArtifactRow,
    HarnessFileRow,
    HarnessNameRow,
    HarnessVersionRow,
)
from schemas.ids import make_id
from schemas.runs import StageEventRow
from schemas.trajectories import (
    InterventionRow,
    PromptRow,
    StepRow,
    TaskRow,
    ToolCallRow,
    TrajectoryRow,
)
from warehouse.batch import insert_rows
from warehouse.database import open_database
from warehouse.store import Warehouse

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
HARNESS = make_id("harn", "seed")


def trajectory(number: int, **changes: object) -> TrajectoryRow:
    values: dict[str, object] = {
        "trajectory_id": make_id("traj", number),
        "environment": "sqldesk",
        "environment_fingerprint": "f1",
        "family": "lookup",
        "task_id": f"sqldesk/lookup/{number}",
        "split": "train",
        "model": "simulated:weak",
        "model_fingerprint": "m1",
        "harness_id": HARNESS,
        "seed": 7,
        "repeat": 0,
        "arm": "run",
        "origin": "rollout",
        "outcome": "success",
        "outcome_rule": "checker",
        "termination": "finished",
        "steps": 2,
        "task_prompt_id": make_id("prm", number),
        "transcript_sha256": f"t{number}",
        "created_at": NOW,
    }
    return TrajectoryRow.model_validate(values | changes)


def episode(number: int, **changes: object) -> list[Row]:
    """Rows of one episode of two steps and two calls."""
    owner = trajectory(number, **changes)
    rows: list[Row] = [
        owner,
        PromptRow(prompt_id=make_id("prm", number), kind="task", text=f"task {number}"),
    ]
    for index in range(2):
        rows.append(
            StepRow(
                trajectory_id=owner.trajectory_id,
                step_index=index,
                role="assistant",
                text=f"step {index} of {number}",
                observation="ok",
                latency_s=0.5,
            )
        )
        rows.append(
            ToolCallRow(
                tool_call_id=make_id("call", [number, index]),
                trajectory_id=owner.trajectory_id,
                step_index=index,
                call_index=0,
                tool="execute_sql",
                arguments_raw='{"sql": "SELECT 1"}',
                arguments='{"sql":"SELECT 1"}',
                executed=True,
                result="1",
                is_error=False,
            )
        )
    return rows


def task(number: int, **changes: object) -> TaskRow:
    values: dict[str, object] = {
        "environment": "sqldesk",
        "task_id": f"sqldesk/lookup/{number}",
        "family": "lookup",
        "split": "train",
        "text": f"task {number}",
        "environment_fingerprint": "f1",
    }
    return TaskRow.model_validate(values | changes)


def label(number: int, **changes: object) -> FailureLabelRow:
    values: dict[str, object] = {
        "trajectory_id": make_id("traj", number),
        "source": "rules",
        "taxonomy_version": "1",
        "category": "action_realization",
        "bullet": "AR1",
        "step_index": 0,
        "rule": "prose_call",
        "evidence": "{}",
        "uses_gold": False,
        "signature": "s",
        "runner_ups": "[]",
    }
    return FailureLabelRow.model_validate(values | changes)


def hit(number: int, **changes: object) -> RuleHitRow:
    values: dict[str, object] = {
        "trajectory_id": make_id("traj", number),
        "taxonomy_version": "1",
        "rule": "prose_call",
        "category": "action_realization",
        "bullet": "AR1",
        "step_index": 0,
        "decisive": True,
        "uses_gold": False,
        "signature": "s",
        "evidence": "{}",
    }
    return RuleHitRow.model_validate(values | changes)


def event(stage: str, **changes: object) -> StageEventRow:
    values: dict[str, object] = {
        "cycle_id": "c",
        "stage": stage,
        "state": "started",
        "detail": "{}",
        "created_at": NOW,
    }
    return StageEventRow.model_validate(values | changes)


def harness(name: str, environment: str = "sqldesk") -> list[Row]:
    """Rows of a stored harness with one rule, set as `current`."""
    harness_id = make_id("harn", name)
    return [
        HarnessVersionRow(
            harness_id=harness_id,
            environment=environment,
            api=1,
            layers='["actions"]',
            delivery="injected",
        ),
        HarnessFileRow(harness_id=harness_id, path="actions.py", sha256="x", text=f"# {name}\n"),
        HarnessArtifactRow(
            harness_id=harness_id,
            artifact_id=make_id("art", name),
            layer="actions",
            name="rule_quote",
            path="actions.py",
            description="",
            body=f"# {name}",
        ),
        HarnessNameRow(
            environment=environment,
            name="current",
            ordinal=0,
            harness_id=harness_id,
            created_at=NOW,
        ),
    ]


def intervention(number: int, artifact: str) -> InterventionRow:
    return InterventionRow(
        trajectory_id=make_id("traj", number),
        step_index=0,
        ordinal=0,
        layer="actions",
        artifact_id=make_id("art", artifact),
        artifact="rule_quote",
        kind="rewrite",
    )


@pytest.fixture(scope="session")
def make() -> SimpleNamespace:
    """Factories of rows."""
    factories: dict[str, Callable[..., object]] = {
        "trajectory": trajectory,
        "episode": episode,
        "task": task,
        "label": label,
        "hit": hit,
        "event": event,
        "harness": harness,
        "intervention": intervention,
    }
    return SimpleNamespace(**factories)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(home)


@pytest.fixture(scope="session")
def fill() -> Callable[[Warehouse, list[Row]], None]:
    """Put rows into the live file without validation, and publish."""

    def put(store: Warehouse, rows: list[Row]) -> None:
        with open_database(store.paths.live, read_only=False) as connection:
            insert_rows(connection, rows)
        store.publish()

    return put


@pytest.fixture(scope="session")
def two_stages() -> list[list[Row]]:
    """Rows of two stages."""
    collected = [row for number in range(3) for row in episode(number, outcome="failure")]
    return [[*collected, *(task(number) for number in range(3))], [label(0), label(1), label(2)]]
