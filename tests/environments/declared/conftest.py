"""A real order desk on loopback, and folders of worlds that stand on it."""

import csv
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.settings import Settings
from tasks.environments.declared.environment import open_folder
from tasks.environments.registry import close
from tests.own_world import desk_service

COLUMNS = ("task_id", "family", "text", "order_id", "expected", "answer")
WORLD = """
name = "desk"
kind = "http"
tasks = "tasks.csv"
{top}

[service]
openapi = "openapi.json"
base_url = "{url}"
{service}

{reset}

[verdict]
{verdict}
"""
BY_STATE = 'by = "state"\nlook = "GET /orders/{order_id}"'
RESET = '[reset]\nurl = "/reset"'


@pytest.fixture(scope="session")
def desk() -> Iterator[str]:
    """Address of a running desk."""
    server = desk_service.serve()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def make_folder(tmp_path, desk):
    """Make a folder with a world over the desk."""

    def make(*, top="", service="", reset=RESET, verdict=BY_STATE, url=desk, rows=None) -> Path:
        folder = tmp_path / "desk"
        folder.mkdir(exist_ok=True)
        text = WORLD.format(top=top, service=service, reset=reset, verdict=verdict, url=url)
        (folder / "world.toml").write_text(text)
        (folder / "openapi.json").write_text(json.dumps(desk_service.openapi()))
        with (folder / "tasks.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS)
            writer.writeheader()
            writer.writerows(desk_service.tasks() if rows is None else rows)
        return folder

    return make


@pytest.fixture
def open_world(make_folder):
    """Open such a world; it is closed at the end."""
    opened = []

    def make(settings: Settings | None = None, **changes):
        environment = open_folder(make_folder(**changes), settings or Settings())
        opened.append(environment)
        return environment

    yield make
    for environment in opened:
        close(environment)
