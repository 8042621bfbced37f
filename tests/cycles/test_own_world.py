"""A cycle over an HTTP service that can be reset and nothing more; its model is simulated.

The world is that of docs/own-world.md, over the desk of `tests/own_world`.
"""

import re
import threading
from pathlib import Path

import pytest

from tests.own_world import desk_service, faulty_model

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]
TUTORIAL = Path(__file__).parents[2] / "docs" / "own-world.md"
ADDRESS = "http://127.0.0.1:8765"


@pytest.fixture
def addresses():
    """The desk and the program that plays a model."""
    servers = [desk_service.serve(), faulty_model.serve()]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [f"http://127.0.0.1:{server.server_port}" for server in servers]
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def folder(tmp_path, addresses):
    """The folder of the tutorial, over the desk that runs here."""
    home = tmp_path / "desk"
    home.mkdir()
    [text] = re.findall(r"(?s)```toml\n(.*?)```", TUTORIAL.read_text())
    assert len(text.splitlines()) < 60
    (home / "world.toml").write_text(text.replace(ADDRESS, addresses[0]))
    desk_service.write_files(home)
    return home


def test_a_world_with_a_reset_alone_evolves_end_to_end(
    make_command_line, server, folder, addresses
):
    settings = {
        "TACKROOM_MODELS__FAULTY__BASE_URL": f"{addresses[1]}/v1",
        "TACKROOM_MODELS__FAULTY__MODEL": "faulty",
        "TACKROOM_MODELS__FAULTY__SAMPLING__TEMPERATURE": "0",
    }
    command = make_command_line("own_world", server | settings)
    model = ("--model", "openai:faulty", "--reference", "openai:faulty")
    arguments = ("cycle", "--environment", str(folder), *model, "--json")
    summary = command(*arguments, timeout=1500).json
    assert summary["environment"] == "desk"
    assert summary["noise"] == ""
    assert summary["final"]["sealed"] - summary["baseline"]["sealed"] >= 0.15
    assert len(summary["edits"]["by_layer"]) >= 2
    assert summary["validation"]["failed"] == 0
    faults = "SELECT count(*) AS faults FROM trajectories WHERE fault IS NOT NULL"
    assert command.sql(faults) == [{"faults": 0}]
    text = TUTORIAL.read_text()
    before, after = summary["baseline"]["sealed"], summary["final"]["sealed"]
    assert f"sealed    {before:.1%} -> {after:.1%}" in text
    again = command(*arguments, timeout=300).json
    assert again["already_done"]
    assert again["rollouts"] == 0
