"""`tackroom up` in an empty folder, once for all tests that start flows."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
STARTED_IN_S, RUN_IN_S = 120, 200
ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


@dataclass(frozen=True)
class Served:
    """A running `tackroom up`."""

    process: subprocess.Popen[str]
    port: int
    home: Path

    def call(self, path: str, body: object = None) -> object:
        """Ask the API of the server."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api{path}",
            data=data,
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read())

    def deployment(self, name: str) -> dict:
        """The served deployment of this name."""
        found = self.call("/deployments/filter", {})
        return next(one for one in found if one["name"] == name)

    def runs(self) -> list[dict]:
        """Flow runs, the newest first; those that wait for their schedule left out."""
        found = self.call("/flow_runs/filter", {"sort": "EXPECTED_START_TIME_DESC"})
        return [one for one in found if "auto-scheduled" not in one["tags"]]

    def wait(self, flow_run_id: str) -> dict:
        """The run once it has ended."""
        deadline = time.monotonic() + RUN_IN_S
        while time.monotonic() < deadline:
            run = self.call(f"/flow_runs/{flow_run_id}")
            if run["state"]["type"] in ENDED:
                return run
            time.sleep(0.5)
        pytest.fail(f"the flow run did not end within {RUN_IN_S} s")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[Served]:
    """Deployments served from an empty folder with a relative data folder."""
    folder, port = tmp_path_factory.mktemp("up"), free_port()
    environ = {k: v for k, v in os.environ.items() if not k.startswith(("TACKROOM_", "PREFECT_"))}
    environ |= {"TACKROOM_HOME": "home", "PYTHONPATH": str(ROOT), "DO_NOT_TRACK": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "deployments", "up", "--port", str(port)],
        cwd=folder,
        env=environ,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_until_served(process)
        yield Served(process, port, folder / "home")
    finally:
        end(process)


def wait_until_served(process: subprocess.Popen[str]) -> None:
    """Read what `up` says until it serves; go on reading so that it never blocks."""
    lines: list[str] = []
    ready = threading.Event()

    def read() -> None:
        for line in process.stderr or ():
            lines.append(line)
            if "open http" in line:
                ready.set()

    threading.Thread(target=read, daemon=True).start()
    deadline = time.monotonic() + STARTED_IN_S + 60
    while not ready.wait(0.2):
        assert process.poll() is None, "".join(lines)[-3000:]
        assert time.monotonic() < deadline, "".join(lines)[-3000:]


def end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
