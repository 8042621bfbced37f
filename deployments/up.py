"""`tackroom up`: a server and every deployment served from this process, the cycle scheduled."""

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from deployments.server import client_environment, prefect_server
from schemas.errors import ConfigError
from schemas.settings import load_settings

MANIFEST = Path(__file__).with_name("prefect.yaml")
SCHEDULED = "evolution-cycle"


def serve_all(*, port: int | None, schedule: str, note: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Raises:
        ConfigError: the port is taken, or the schedule is no cron expression.
    """
    home = load_settings().home
    home.mkdir(parents=True, exist_ok=True)
    home = home.resolve()
    note("starting the server")
    with prefect_server(home, environ=os.environ, port=port) as api_url:
        os.environ.update(client_environment(home, api_url))
        os.environ["TACKROOM_HOME"] = str(home)
        from prefect import serve

        deployments = [to_deployment(block, schedule) for block in read_blocks()]
        note(f"open {api_url.removesuffix('/api')}/deployments - Ctrl-C stops")
        serve(*deployments, print_starting_message=False)


def read_blocks() -> list[dict[str, Any]]:
    """Deployment blocks of `prefect.yaml`."""
    return yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))["deployments"]


def to_deployment(block: dict[str, Any], schedule: str) -> Any:
    """A served deployment of one block; the cycle gets the schedule.

    Raises:
        ConfigError: the schedule is no cron expression.
    """
    path, name = block["entrypoint"].split(":")
    flow = getattr(import_module(path.removesuffix(".py").replace("/", ".")), name)
    cron = schedule if block["name"] == SCHEDULED else None
    try:
        return flow.to_deployment(
            name=block["name"],
            description=block["description"],
            tags=block["tags"],
            cron=cron or None,
        )
    except ValueError as error:
        what = f"--schedule: {schedule!r} is no cron expression"
        raise ConfigError(what, hint="five fields, such as '0 2 * * *'") from error
