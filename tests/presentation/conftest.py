"""Rows about one failed run, one pair of runs and one edit, some of them hostile."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.episode import Episode
from schemas.failures import FailureLabelRow, RuleHitRow
from schemas.fields import Row
from schemas.gate import GateDecisionRow, PairedTrialRow, ReplayCheckRow
from schemas.harness import EditRow
from schemas.ids import make_id
from schemas.runs import CycleRow, CycleTrajectoryRow, StageEventRow
from schemas.trajectories import (
    InterventionRow,
    PromptRow,
    StepRow,
    ToolCallRow,
    TrajectoryRow,
    TrajectorySourceRow,
)
from warehouse.batch import insert_rows
from warehouse.database import open_database
from warehouse.store import Warehouse

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
OLD, NEW = make_id("harn", "old"), make_id("harn", "new")
CYCLE, TRIAL, EDIT = make_id("cyc", 1), make_id("trial", 1), make_id("edit", 1)


def build_episode(name: str = "one", *, texts: tuple[str, ...] = ("hello",), **changes) -> Episode:
    """An episode with one call a step; `changes` overwrite its trajectory row."""
    trajectory_id = make_id("traj", name)
    prompt = PromptRow(prompt_id=make_id("prm", name), kind="task", text=f"the task of {name}")
    values = {
        "trajectory_id": trajectory_id,
        "environment": "sqldesk",
        "environment_fingerprint": "f1",
        "family": "lookup",
        "task_id": "sqldesk/lookup/1",
        "split": "train",
        "model": "simulated:weak",
        "model_fingerprint": "m1",
        "harness_id": OLD,
        "seed": 7,
        "repeat": 0,
        "arm": "run",
        "origin": "rollout",
        "outcome": "failure",
        "outcome_rule": "checker",
        "termination": "budget",
        "steps": len(texts),
        "task_prompt_id": prompt.prompt_id,
        "transcript_sha256": name,
        "created_at": NOW,
    }
    steps = tuple(
        StepRow(
            trajectory_id=trajectory_id,
            step_index=index,
            role="assistant",
            text=text,
            observation=f"result {index}",
        )
        for index, text in enumerate(texts)
    )
    calls = tuple(
        ToolCallRow(
            tool_call_id=make_id("call", [name, index]),
            trajectory_id=trajectory_id,
            step_index=index,
            call_index=0,
            tool="execute_sql",
            arguments_raw=f'{{"query": "SELECT {text[:20]}"}}',
            arguments=json.dumps({"query": f"SELECT {text[:20]}"}),
            executed=True,
            executed_tool="execute_sql",
            executed_arguments=json.dumps({"query": f"SELECT {text[:20]}"}),
            result=f"result {index}",
            is_error=False,
        )
        for index, text in enumerate(texts)
    )
    return Episode(
        trajectory=TrajectoryRow.model_validate(values | changes),
        steps=steps,
        calls=calls,
        prompts={prompt.prompt_id: prompt},
    )


def build_label(episode: Episode, **changes) -> FailureLabelRow:
    values = {
        "trajectory_id": episode.trajectory_id,
        "source": "rules",
        "taxonomy_version": "1",
        "category": "environment_contract",
        "bullet": "EC3",
        "step_index": 1,
        "rule": "answer_shape",
        "evidence": '{"hit_steps":[0,1],"value":"a sentence"}',
        "uses_gold": False,
        "signature": '{"kind":"answer_shape"}',
        "runner_ups": "[]",
    }
    return FailureLabelRow.model_validate(values | changes)


def build_edit(**changes) -> EditRow:
    values = {
        "edit_id": EDIT,
        "cycle_id": CYCLE,
        "round": 1,
        "ordinal": 0,
        "editor": "rules",
        "parent_harness_id": OLD,
        "child_harness_id": NEW,
        "layer": "contract",
        "artifact": "Answers",
        "kind": "contract_sentence",
        "pattern_id": None,
        "title": "Say the shape of an answer",
        "manifest": json.dumps({"root_cause": "answers are sentences", "predicted_fixes": ["t1"]}),
        "diff": "--- a/contract.md\n+++ b/contract.md\n@@ -1 +1,2 @@\n same\n-gone\n+added\n",
        "created_at": NOW,
    }
    return EditRow.model_validate(values | changes)


def build_decision(**changes) -> GateDecisionRow:
    values = {
        "edit_id": EDIT,
        "cycle_id": CYCLE,
        "stage": "paired",
        "verdict": "accepted",
        "reason": "evidence",
        "trial_id": TRIAL,
        "slot": 1,
        "wins": 9,
        "losses": 1,
        "ties": 50,
        "e_value": 186.1,
        "threshold": 120.0,
        "delta": 0.133,
        "delta_lo": 0.05,
        "delta_hi": 0.22,
        "regressions": 0,
        "findings": '["Kept."]',
    }
    return GateDecisionRow.model_validate(values | changes)


def build_pair(number: int, result: str, old: Episode, new: Episode) -> PairedTrialRow:
    scores = {"win": (0.0, 1.0), "loss": (1.0, 0.0), "tie": (0.0, 0.0)}[result]
    return PairedTrialRow.model_validate(
        {
            "trial_id": TRIAL,
            "task_id": f"sqldesk/lookup/{number}",
            "ordinal": number,
            "cycle_id": CYCLE,
            "purpose": "gate",
            "old_harness_id": OLD,
            "new_harness_id": NEW,
            "old_trajectory_id": old.trajectory_id,
            "new_trajectory_id": new.trajectory_id,
            "old_score": scores[0],
            "new_score": scores[1],
            "result": result,
            "by_construction": False,
            "e_value": 1.0,
        }
    )


def build_cycle(**changes) -> CycleRow:
    values = {
        "cycle_id": CYCLE,
        "environment": "sqldesk",
        "model": "simulated:weak",
        "reference": "simulated:strong",
        "editor": "rules",
        "seed": 7,
        "base_harness_id": OLD,
        "inputs": '{"rounds":3,"slots":6,"tasks":0}',
        "created_at": NOW,
    }
    return CycleRow.model_validate(values | changes)


def build_replay(**changes) -> ReplayCheckRow:
    values = {
        "edit_id": EDIT,
        "artifact": "Answers",
        "fires_on_failures": 8,
        "fires_on_successes": 1,
        "failures": 80,
        "successes": 40,
        "trigger_precision": 0.888,
        "false_fire": None,
        "coverage": 0.5,
        "tasks_at_risk": '["sqldesk/lookup/9"]',
        "passed": True,
        "reason": "evidence",
    }
    return ReplayCheckRow.model_validate(values | changes)


def build_rows(episode: Episode) -> list[Row]:
    """Every row of an episode."""
    return [
        episode.trajectory,
        *episode.steps,
        *episode.calls,
        *episode.interventions,
        *episode.prompts.values(),
        *episode.sources,
    ]


class Build:
    """Builders of rows, and the ids they share."""

    cycle_id, edit_id, trial_id = CYCLE, EDIT, TRIAL
    now = NOW
    episode = staticmethod(build_episode)
    label = staticmethod(build_label)
    edit = staticmethod(build_edit)
    decision = staticmethod(build_decision)
    pair = staticmethod(build_pair)
    cycle = staticmethod(build_cycle)
    replay = staticmethod(build_replay)
    rows = staticmethod(build_rows)
    hit = RuleHitRow
    intervention = InterventionRow
    source = TrajectorySourceRow
    use = CycleTrajectoryRow
    event = StageEventRow


@pytest.fixture
def build() -> type[Build]:
    return Build


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an empty warehouse, to be copied."""
    home = tmp_path_factory.mktemp("empty") / "home"
    Warehouse(home)
    return home


@pytest.fixture
def fill_home(
    tmp_path: Path, empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[Row]], Path]:
    """Make a data folder that holds rows, and point the settings to it."""

    def fill(rows: list[Row]) -> Path:
        home = tmp_path / "home"
        shutil.copytree(empty_home, home, symlinks=True)
        store = Warehouse(home)
        if rows:
            with open_database(store.paths.live, read_only=False) as connection:
                insert_rows(connection, rows)
            store.publish()
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("TACKROOM_HOME", str(home))
        return home

    return fill
