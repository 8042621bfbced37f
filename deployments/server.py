"""A Prefect server of our own on loopback: start, adopt, share and stop it.

The server is recorded in the data folder (`server.json`). Every process that uses it holds a
lease (`server.leases/<pid>`); the last one to leave stops it. A process that was killed leaves
a record and a lease of a dead pid behind; the next one adopts the server.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from schemas.errors import ConfigError, TackroomError
from warehouse.lock import file_lock

HEALTH_WAIT_S = 120.0
LOCK_WAIT_S = 2 * HEALTH_WAIT_S
LOOPBACK = "127.0.0.1"
CONSOLE_LEVEL = "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL"
Meanwhile = Callable[[str], None]
"""Work to do while a server starts; it gets the address."""
_SPAWNED: list[subprocess.Popen[bytes]] = []
"""Held because a forgotten child that still runs is reported as a leak."""


@dataclass(frozen=True)
class ServerRecord:
    """A running server: process id, port, and whether it outlives its users."""

    pid: int
    port: int
    keep: bool = False

    @property
    def api_url(self) -> str:
        """Address for `PREFECT_API_URL`."""
        return f"http://{LOOPBACK}:{self.port}/api"


def client_environment(home: Path, api_url: str) -> dict[str, str]:
    """Environment variables under which flows reach the server, log to it and stay quiet here.

    What goes wrong in a flow is said once by whoever runs it; a user who sets
    `PREFECT_LOGGING_LEVEL` sees every line of that level.
    """
    quiet = {} if "PREFECT_LOGGING_LEVEL" in os.environ else {CONSOLE_LEVEL: "CRITICAL"}
    return server_environment(home, api_url) | quiet


def server_environment(home: Path, api_url: str) -> dict[str, str]:
    """Environment variables of the server."""
    return {
        "PREFECT_API_URL": api_url,
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
        "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
        "PREFECT_LOGGING_LEVEL": os.environ.get("PREFECT_LOGGING_LEVEL", "WARNING"),
    }


def is_healthy(api_url: str, timeout_s: float = 2.0) -> bool:
    """Tell whether a Prefect API answers at this address."""
    try:
        with urllib.request.urlopen(f"{api_url}/health", timeout=timeout_s) as response:
            return response.status == 200 and response.read(16).strip() == b"true"
    except (OSError, ValueError):
        return False


@contextmanager
def prefect_server(
    home: Path,
    *,
    environ: Mapping[str, str],
    port: int | None = None,
    keep: bool = False,
    meanwhile: Meanwhile = lambda _: None,
) -> Iterator[str]:
    """Give the address of a server: the user's own if it answers, else ours.

    `meanwhile` is called once, and while a server of ours starts.

    Raises:
        ConfigError: the wanted port is taken.
        TackroomError: the server did not become healthy.
    """
    own = environ.get("PREFECT_API_URL", "")
    if own and port is None and is_healthy(own):
        meanwhile(own)
        yield own
        return
    record = _lease(home, port, keep=keep, meanwhile=meanwhile)
    try:
        yield record.api_url
    finally:
        _release(home)


def _lease(home: Path, port: int | None, *, keep: bool, meanwhile: Meanwhile) -> ServerRecord:
    home.mkdir(parents=True, exist_ok=True)
    with file_lock(home / "server.lock", timeout_s=LOCK_WAIT_S):
        record = _adopt(home)
        if record is not None and port not in (None, record.port):
            what = f"a server of this data folder already runs on port {record.port}"
            raise ConfigError(what, hint=f"use that port, or end process {record.pid} first")
        if record is None:
            record = _start(home, port or free_port(), keep=keep, meanwhile=meanwhile)
        else:
            record = ServerRecord(record.pid, record.port, keep or record.keep)
            meanwhile(record.api_url)
        _write_record(home, record)
        leases = home / "server.leases"
        leases.mkdir(exist_ok=True)
        (leases / str(os.getpid())).touch()
    return record


def _release(home: Path) -> None:
    with file_lock(home / "server.lock", timeout_s=LOCK_WAIT_S):
        leases = home / "server.leases"
        (leases / str(os.getpid())).unlink(missing_ok=True)
        others = [lease for lease in leases.glob("*") if is_alive(int(lease.name))]
        record = read_record(home)
        if record is not None and not others and not record.keep:
            stop(home, record)


def _adopt(home: Path) -> ServerRecord | None:
    """Take over a recorded server that still answers; end one that does not."""
    record = read_record(home)
    if record is None:
        return None
    if not _is_our_server(record.pid):
        (home / "server.json").unlink(missing_ok=True)
        return None
    if _wait_healthy(record):
        return record
    stop(home, record)
    return None


def _start(home: Path, port: int, *, keep: bool, meanwhile: Meanwhile) -> ServerRecord:
    if not is_free(port):
        what = f"port {port} on {LOOPBACK} is already in use"
        raise ConfigError(what, hint="choose another with --port, or leave it out for a free one")
    record = ServerRecord(_spawn(home, port), port, keep=keep)
    # Recorded before it is healthy, so that a kill during start-up leaves nothing unknown.
    _write_record(home, record)
    try:
        meanwhile(record.api_url)
        healthy = _wait_healthy(record)
    except BaseException:
        stop(home, record)
        raise
    if not healthy:
        stop(home, record)
        what = f"the Prefect server on port {port} was not healthy after {HEALTH_WAIT_S:.0f} s"
        raise TackroomError(what, hint=f"see {home / 'server.log'}")
    return record


def _spawn(home: Path, port: int) -> int:
    command = [sys.executable, "-m", "prefect", "server", "start"]
    command += ["--host", LOOPBACK, "--port", str(port)]
    api_url = f"http://{LOOPBACK}:{port}/api"
    environment = {**os.environ, **server_environment(home, api_url)}
    environment.pop(CONSOLE_LEVEL, None)
    with (home / "server.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _SPAWNED.append(process)
    return process.pid


def _wait_healthy(record: ServerRecord) -> bool:
    deadline = time.monotonic() + HEALTH_WAIT_S
    while time.monotonic() < deadline:
        if is_healthy(record.api_url):
            return True
        if not is_alive(record.pid):
            return False
        time.sleep(0.1)
    return False


def stop(home: Path, record: ServerRecord) -> None:
    """End a server that this data folder recorded, and forget it."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if not _is_our_server(record.pid):
            break
        try:
            os.killpg(record.pid, sign)
        except ProcessLookupError:
            break
        _wait_gone(record.pid, 5.0)
    (home / "server.json").unlink(missing_ok=True)


def _wait_gone(pid: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and is_alive(pid):
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie child of ours is collected and counts as gone."""
    try:
        done, _ = os.waitpid(pid, os.WNOHANG)
    except OSError:
        done = 0
    if done == pid:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_our_server(pid: int) -> bool:
    """Guard against a pid that was given to a stranger since."""
    if not is_alive(pid):
        return False
    cmdline = Path(f"/proc/{pid}/cmdline")
    if not cmdline.exists():
        return True
    return b"prefect" in cmdline.read_bytes()


def read_record(home: Path) -> ServerRecord | None:
    """Read the recorded server; a torn record counts as none."""
    try:
        return ServerRecord(**json.loads((home / "server.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write_record(home: Path, record: ServerRecord) -> None:
    partial = home / "server.json.part"
    partial.write_text(json.dumps(asdict(record)), encoding="utf-8")
    partial.replace(home / "server.json")


def free_port() -> int:
    """Ask the system for a loopback port nobody uses."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Tell whether a loopback port can be bound."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
