"""A cycle in a world of other people, where `make worlds` has installed it."""

from pathlib import Path

import pytest

from tasks.environments.catalogue import BFCL
from tasks.environments.installation import WorldFolder

FOLDER = Path(__file__).parents[2] / ".worlds" / "worlds"
GAIN = 0.15
pytestmark = [
    pytest.mark.slow,
    pytest.mark.gx,
    pytest.mark.timeout(3600),
    pytest.mark.xdist_group("bfcl_cycle"),
]


@pytest.fixture(scope="module")
def evolved(make_command_line, server):
    """(command line, summary) of a full cycle of a simulated model."""
    if not WorldFolder(FOLDER).is_current(BFCL):
        pytest.skip("the world `bfcl` is not installed: make worlds")
    command = make_command_line("bfcl", server)
    command.home.mkdir(parents=True, exist_ok=True)
    (command.home / "worlds").symlink_to(FOLDER)
    words = ("cycle", "--environment", "bfcl_base", "--model", "simulated:weak", "--seed", "7")
    return command, command(*words, "--json", timeout=3000).json


def test_sealed_success_rises_through_several_layers(evolved):
    _, summary = evolved
    assert summary["final"]["sealed"] - summary["baseline"]["sealed"] >= GAIN
    assert len(summary["edits"]["by_layer"]) >= 3


def test_an_agent_with_other_faults_gains_from_the_harness_as_it_is(evolved):
    command, summary = evolved
    words = (
        "evaluate",
        "--environment",
        "bfcl_base",
        "--model",
        "simulated:mid",
        "--split",
        "select",
    )
    before, after = (
        command(*words, "--harness", harness, "--json").json["success"]
        for harness in ("seed", summary["harness_id"])
    )
    assert after > before
