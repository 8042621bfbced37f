"""Small hand-made files in the formats, and one way to import them."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from schemas.ids import make_id
from tasks.importers.draft import ReadOptions
from tasks.importers.engine import import_files
from tasks.importers.results import ImportResult, Known

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SHARED = Path(__file__).resolve().parents[3] / "shared" / "trajectories"


def harness_of(environment: str) -> str:
    return make_id("harn", environment)


def _call(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def _tau_episode(**changes: Any) -> dict[str, Any]:
    episode = {
        "task_id": 3,
        "trial": 0,
        "reward": 1.0,
        "info": {
            "task": {
                "user_id": "u1",
                "instruction": "Cancel your reservation.",
                "actions": [{"name": "cancel_reservation", "kwargs": {"reservation_id": "R1"}}],
                "outputs": [],
            },
            "reward_info": {"reward": 1.0, "info": {"r_actions": 1.0}, "actions": []},
            "user_cost": 0.01,
        },
        "traj": [
            {"role": "system", "content": "# Airline Agent Policy\n\nBe nice."},
            {"role": "user", "content": "Please cancel R1."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [_call("cancel_reservation", {"reservation_id": "R1"})],
            },
            {"role": "tool", "tool_call_id": "c1", "name": "cancel_reservation", "content": "{}"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Thanks ###STOP###"},
        ],
    }
    return {**episode, **changes}


def _simulation(**changes: Any) -> dict[str, Any]:
    simulation = {
        "id": "sim-1",
        "task_id": "7",
        "trial": 0,
        "seed": 11,
        "termination_reason": "user_stop",
        "agent_cost": 0.2,
        "reward_info": {
            "reward": 0.0,
            "db_check": {"db_match": False, "db_reward": 0.0},
            "action_checks": [
                {
                    "action": {"name": "send_certificate", "arguments": {"amount": 50}},
                    "action_match": False,
                    "action_reward": 0.0,
                }
            ],
            "reward_basis": ["DB", "COMMUNICATE"],
            "communicate_checks": None,
        },
        "messages": [
            {"role": "assistant", "content": "Hi! How can I help you today?"},
            {"role": "user", "content": "My flight is late."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "k1",
                        "name": "get_flight_status",
                        "arguments": {"flight": "F1"},
                        "requestor": "assistant",
                    }
                ],
                "usage": {"prompt_tokens": 10, "completion_tokens": 3},
            },
            {
                "role": "tool",
                "id": "k1",
                "content": "late",
                "requestor": "assistant",
                "error": False,
            },
            {"role": "assistant", "content": "It is late."},
            {"role": "user", "content": "###STOP###"},
        ],
    }
    return {**simulation, **changes}


def _tau2_file(*simulations: dict[str, Any], **changes: Any) -> dict[str, Any]:
    task = {
        "id": "7",
        "user_scenario": {"instructions": {"reason_for_call": "Ask for a certificate."}},
        "evaluation_criteria": {
            "actions": [{"name": "send_certificate", "arguments": {"amount": 50}}]
        },
    }
    head = {
        "info": {
            "git_commit": "abc",
            "max_steps": 200,
            "agent_info": {"llm": "gpt-x", "llm_args": {"temperature": 0.0}},
            "environment_info": {"domain_name": "airline", "policy": "Policy", "tool_defs": None},
        },
        "tasks": [task],
        "simulations": list(simulations),
    }
    return {**head, **changes}


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("no recorded trajectories beside the repository")
    return SHARED


@pytest.fixture
def call() -> Callable[..., dict[str, Any]]:
    return _call


@pytest.fixture
def tau_episode() -> Callable[..., dict[str, Any]]:
    return _tau_episode


@pytest.fixture
def simulation() -> Callable[..., dict[str, Any]]:
    return _simulation


@pytest.fixture
def tau2_file() -> Callable[..., dict[str, Any]]:
    return _tau2_file


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a value (or raw text, or bytes) to a file and say where it is."""

    def write_file(value: Any, name: str = "run.json") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    return write_file


@pytest.fixture
def load() -> Callable[..., ImportResult]:
    """Import files with fixed harness ids and time."""

    def load_files(*paths: Path, known: Known | None = None, **options: Any) -> ImportResult:
        return import_files(
            paths, harness_of=harness_of, now=NOW, options=ReadOptions(**options), known=known
        )

    return load_files
