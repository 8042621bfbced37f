"""`tackroom up`: a server and every deployment served from this process, the cycle scheduled."""

import fcntl
import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from deployments.server import client_environment, prefect_server
from deployments.signals import ended_by_signals
from schemas.errors import ConfigError
from schemas.settings import load_settings

MANIFEST = Path(__file__).with_name("prefect.yaml")
SCHEDULED = "evolution-cycle"
CRON_HINT = "five fields, such as '0 2 * * *'; empty for no schedule"
_CRON = re.compile(r"[\w*/,#?-]+( +[\w*/,#?-]+){4}")


def serve_all(*, port: int | None, schedule: str, note: Callable[[str], None]) -> None:
    """Serve until interrupted, which is the usual end; the server ends with us.

    Raises:
        ConfigError: the port is taken or none, or the schedule is no cron expression.
    """
    check_inputs(port, schedule)
    home = load_settings().home
    home.mkdir(parents=True, exist_ok=True)
    home = home.resolve()
    deployments: list[Any] = []

    def load(api_url: str) -> None:
        os.environ.update(client_environment(home, api_url))
        os.environ["TACKROOM_HOME"] = str(home)
        deployments.extend(to_deployment(block, schedule.strip()) for block in read_blocks())

    try:
        with ended_by_signals(), served_once(home):
            note("starting the server")
            with prefect_server(home, environ=os.environ, port=port, meanwhile=load) as api_url:
                note(f"open {api_url.removesuffix('/api')}/deployments - Ctrl-C stops")
                _serve(deployments)
    except KeyboardInterrupt:
        pass  # the usual end
    note("stopped")


def _serve(deployments: list[Any]) -> None:
    """Serve until interrupted. Runs are silent here; what goes wrong in serving itself is shown."""
    from prefect import serve

    for handler in logging.getLogger().handlers:
        handler.setLevel(min(handler.level, logging.ERROR))
    serve(*deployments, print_starting_message=False)


def check_inputs(port: int | None, schedule: str) -> None:
    """Refuse what cannot work before a server is started for it.

    Raises:
        ConfigError: no such port, or not the form of a cron expression.
    """
    if port is not None and not 1 <= port <= 65535:
        what = f"--port: {port} is no port"
        raise ConfigError(what, hint="1 to 65535, or leave it out for a free one")
    if schedule.strip() and not _CRON.fullmatch(schedule.strip()):
        what = f"--schedule: {schedule!r} is no cron expression"
        raise ConfigError(what, hint=CRON_HINT)


@contextmanager
def served_once(home: Path) -> Iterator[None]:
    """Hold the right to serve a data folder; a killed holder frees it.

    Raises:
        ConfigError: another process serves it. The first to leave would pause the deployments of
            both.
    """
    with (home / "up.lock").open("a+", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            what = f"{home} is already served by process {handle.read(20).strip() or 'unknown'}"
            raise ConfigError(what, hint="end that one, or set TACKROOM_HOME") from None
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        yield


def read_blocks() -> list[dict[str, Any]]:
    """Deployment blocks of `prefect.yaml`."""
    return yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))["deployments"]


def to_deployment(block: dict[str, Any], schedule: str) -> Any:
    """A served deployment of one block; the cycle gets the schedule.

    The flow is named by its module, not by its file: each run is a process of its own that must
    find the installed packages from any folder.

    Raises:
        ConfigError: the schedule is no cron expression.
    """
    from prefect.types.entrypoint import EntrypointType

    path, name = block["entrypoint"].split(":")
    flow = getattr(import_module(path.removesuffix(".py").replace("/", ".")), name)
    cron = schedule if block["name"] == SCHEDULED else None
    try:
        return flow.to_deployment(
            name=block["name"],
            description=block["description"],
            tags=block["tags"],
            cron=cron or None,
            paused=False,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
    except ValueError as error:
        what = f"--schedule: {schedule!r} is no cron expression"
        raise ConfigError(what, hint=CRON_HINT) from error
