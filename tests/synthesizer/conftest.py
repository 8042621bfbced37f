"""Hand-made evidence: runs of one task that share a prefix, told by the tools they call."""

import json
from datetime import UTC, datetime

import pytest

from schemas.benefit import (
    BenefitGapRow,
    CounterfactualRow,
    DecisionPointRow,
    FollowingCheckRow,
)
from schemas.episode import Episode
from schemas.fields import Outcome, Split
from schemas.ids import make_id
from schemas.trajectories import PromptRow, StepRow, ToolCallRow, TrajectoryRow
from tasks.synthesizer.evidence import Evidence

NOW = datetime(2030, 1, 1, tzinfo=UTC)
CYCLE = "cyc_0123456789abcdef"
ARTIFACT = "art_0123456789abcdef"
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("look", "write", "hand_in", "load_skill")
]


def prompt(kind, text):
    return PromptRow(prompt_id=make_id("prm", [kind, text]), kind=kind, text=text)


@pytest.fixture
def episode():
    """An episode of the tools it calls, each with an argument text."""

    def build(
        *tools,
        outcome: Outcome = "failure",
        task="ledger/books/1",
        split: Split = "train",
        text="Make it.",
    ):
        identity = make_id("traj", [tools, outcome, task])
        prompts = [
            prompt("system", "You keep a ledger."),
            prompt("task", text),
            prompt("tools", json.dumps(TOOLS)),
        ]
        trajectory = TrajectoryRow(
            trajectory_id=identity,
            environment="ledger",
            environment_fingerprint="f",
            family="books",
            task_id=task,
            split=split,
            model="m",
            model_fingerprint="m",
            harness_id="harn_0123456789abcdef",
            seed=7,
            repeat=0,
            arm="run",
            origin="rollout",
            outcome=outcome,
            outcome_rule="checker",
            termination="finished",
            steps=len(tools),
            system_prompt_id=prompts[0].prompt_id,
            task_prompt_id=prompts[1].prompt_id,
            tools_prompt_id=prompts[2].prompt_id,
            transcript_sha256="0",
            created_at=NOW,
        )
        steps = [
            StepRow(
                trajectory_id=identity,
                step_index=i,
                role="assistant",
                text="",
                observation=f"{tool} done",
            )
            for i, tool in enumerate(tools)
        ]
        calls = [
            ToolCallRow(
                tool_call_id=make_id("call", [identity, i]),
                trajectory_id=identity,
                step_index=i,
                call_index=0,
                tool=tool,
                arguments_raw="{}",
                arguments="{}",
                executed=True,
                executed_tool=tool,
                executed_arguments="{}",
                observation=f"{tool} done",
                is_error=False,
            )
            for i, tool in enumerate(tools)
        ]
        return Episode(
            trajectory,
            tuple(steps),
            tuple(calls),
            prompts={row.prompt_id: row for row in prompts},
        )

    return build


@pytest.fixture
def point():
    """A decision point of an episode."""

    def build(episode, step_index=0, *, called=False, followed=None, forked=True):
        return DecisionPointRow(
            decision_point_id=make_id("dp", [episode.trajectory_id, step_index]),
            cycle_id=CYCLE,
            trajectory_id=episode.trajectory_id,
            step_index=step_index,
            artifact_id=ARTIFACT,
            family="books",
            model="m",
            called=called,
            followed=followed,
            outcome=episode.trajectory.outcome,
            forked=forked,
            snapshot_id=None,
        )

    return build


@pytest.fixture
def fork():
    """A fork of a point."""

    def build(point, arm, episode, *, invoked, repeat=0):
        return CounterfactualRow(
            decision_point_id=point.decision_point_id,
            arm=arm,
            repeat=repeat,
            trajectory_id=episode.trajectory_id,
            invoked=invoked,
            success=episode.is_success,
        )

    return build


@pytest.fixture
def check():
    """A checkpoint of an episode."""

    def build(episode, checkpoint, verdict, step_index=None):
        return FollowingCheckRow(
            trajectory_id=episode.trajectory_id,
            artifact_id=ARTIFACT,
            checkpoint=checkpoint,
            text="do it",
            verdict=verdict,
            step_index=step_index,
        )

    return build


@pytest.fixture
def gap():
    """A gap of the artifact with an effect."""

    def build(effect, gap_type="activation", verdict="cures"):
        return BenefitGapRow.model_validate(
            {
                "cycle_id": CYCLE,
                "model": "m",
                "environment": "ledger",
                "family": "books",
                "gap_type": gap_type,
                "artifact_id": ARTIFACT,
                "reach": 1.0,
                "prevalence": 0.5,
                "effect": effect,
                "effect_lcb": 0.0,
                "severity": 0.0,
                "points": 8,
                "verdict": verdict,
                "failed_runs": 1,
                "unexplained_runs": 0,
            }
        )

    return build


@pytest.fixture
def evidence():
    """Evidence around episodes."""

    def build(*episodes, **parts):
        return Evidence(
            cycle_id=CYCLE,
            model="m",
            environment="ledger",
            episodes={episode.trajectory_id: episode for episode in episodes},
            skills={ARTIFACT: "look-first"},
            is_simulated=True,
            **parts,
        )

    return build
