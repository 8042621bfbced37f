"""One Prefect server for all cycles of a test session, and one full cycle of each world."""

import os
from pathlib import Path

import pytest

from deployments.server import prefect_server

WORLDS = ("sqldesk", "household")
FULL = ("--model", "simulated:weak", "--seed", "7", "--json")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Address of a server that outlives every cycle."""
    home = Path(tmp_path_factory.mktemp("server"))
    environ = {k: v for k, v in os.environ.items() if k != "PREFECT_API_URL"}
    with prefect_server(home, environ=environ) as api_url:
        yield {"PREFECT_API_URL": api_url}


@pytest.fixture(scope="session")
def cycles(make_command_line, server):
    """World -> (command line, summary) of one full cycle, run when it is first asked for."""
    done = {}

    def run(world: str):
        if world not in done:
            command = make_command_line(world, server)
            ran = command("cycle", "--environment", world, *FULL, timeout=900)
            done[world] = (command, ran.json)
        return done[world]

    return run


@pytest.fixture(params=WORLDS)
def finished(request, cycles):
    """(world, command line, summary) of one full cycle."""
    return request.param, *cycles(request.param)
