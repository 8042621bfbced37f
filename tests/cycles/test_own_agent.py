"""A cycle around an agent program that knows nothing of us; its model is simulated."""

import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]
PLAIN = Path(__file__).parents[1] / "own_agent" / "plain_agent.py"


def test_a_plain_program_gains_through_the_endpoint_alone(make_command_line, server):
    assert "tackroom" not in PLAIN.read_text().lower().replace("tackroom_agent_url", "")
    command = make_command_line("own", server)
    agent = f"command:{sys.executable} {PLAIN}"
    options = ("--environment", "sqldesk", "--model", "simulated:weak", "--agent", agent)
    summary = command("cycle", *options, "--rounds", "1", "--json", timeout=1500).json
    assert summary["final"]["sealed"] - summary["baseline"]["sealed"] >= 0.15
    assert summary["edits"]["accepted"] >= 1
    assert summary["validation"]["failed"] == 0
    assert summary["simulated"]
    again = command("cycle", *options, "--rounds", "1", "--json", timeout=300).json
    assert again["already_done"]
    assert again["rollouts"] == 0
