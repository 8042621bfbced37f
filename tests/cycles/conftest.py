"""One Prefect server for all cycles of a test session, and one full cycle of each world."""

import os
from pathlib import Path

import pytest

from deployments.server import prefect_server

FULL = ("--model", "simulated:weak", "--seed", "7", "--json")


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Address of a server that outlives every cycle."""
    home = Path(tmp_path_factory.mktemp("server"))
    environ = {k: v for k, v in os.environ.items() if k != "PREFECT_API_URL"}
    with prefect_server(home, environ=environ) as api_url:
        yield {"PREFECT_API_URL": api_url}


@pytest.fixture(scope="session", params=["sqldesk", "household"])
def finished(request, make_command_line, server):
    """(world, command line, summary) of one full cycle."""
    command = make_command_line(request.param, server)
    ran = command("cycle", "--environment", request.param, *FULL, timeout=900)
    return request.param, command, ran.json
