"""The recorded cycle of a real model: SmolLM2-135M at the order desk, told again reply by reply.

What was run and what it means stands in docs/results.md.
"""

from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(900)]

RECORDING = Path(__file__).parent / "recordings" / "smollm2-orderdesk.jsonl.gz"
CYCLE = (
    *("cycle", "--environment", "orderdesk?steps=4", "--model", f"replay:{RECORDING}"),
    *("--editor", "rules", "--objective", "executable", "--tasks", "8", "--rounds", "1"),
    *("--slots", "1", "--exposures", "0", "--json"),
)
MOST_BYTES = 5_000_000


@pytest.fixture(scope="module")
def told(make_command_line, server):
    """The command line and the summary of the cycle; more episodes at once than were recorded."""
    command = make_command_line("recorded", server)
    return command, command(*CYCLE, "--concurrency", "16", timeout=600).json


def test_the_share_of_executable_actions_rises_on_sealed_tasks(told):
    _, summary = told
    assert summary["objective"] == "executable"
    assert summary["baseline"]["executable"] < 0.10
    assert summary["final"]["executable"] >= 0.60


def test_no_task_is_solved_before_or_after(told):
    _, summary = told
    assert (summary["baseline"]["sealed"], summary["final"]["sealed"]) == (0, 0)


def test_no_reply_was_held_to_a_schema(told):
    command, summary = told
    assert summary["constrained"] == 0
    assert command.sql("SELECT * FROM interventions WHERE kind = 'constrain'") == []


def test_every_request_of_the_cycle_is_in_the_recording(told):
    command, _ = told
    rows = command.sql("SELECT fault FROM trajectories WHERE fault IS NOT NULL")
    assert rows == []


def test_the_recording_is_small():
    assert RECORDING.stat().st_size < MOST_BYTES
