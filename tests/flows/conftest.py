"""`tackroom up` in an empty folder, once for all tests that start flows."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
WORLDS = (str(ROOT), str(ROOT / "tests" / "planted"))
STARTED_IN_S, RUN_IN_S = 120, 200
DEPLOYMENTS, BUSY = 9, 503
ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


@dataclass(frozen=True)
class Served:
    """A running `tackroom up`."""

    process: subprocess.Popen[bytes]
    port: int
    home: Path

    def call(self, path: str, body: object = None) -> Any:
        """Ask the API of the server; a busy server is asked again, as every client of it does."""
        for patience in (1, 2, 4, 8):
            try:
                return self._ask(path, body)
            except urllib.error.HTTPError as error:
                if error.code != BUSY:
                    raise
            time.sleep(patience)
        return self._ask(path, body)

    def _ask(self, path: str, body: object) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api{path}",
            data=data,
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read())

    def deployment(self, name: str) -> dict[str, Any]:
        """The served deployment of this name, once all are registered."""
        deadline = time.monotonic() + STARTED_IN_S
        while len(found := self.call("/deployments/filter", {})) < DEPLOYMENTS:
            assert time.monotonic() < deadline, found
            time.sleep(0.5)
        return next(one for one in found if one["name"] == name)

    def wait(self, flow_run_id: str) -> dict[str, Any]:
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
    environ |= {"TACKROOM_HOME": "home", "PYTHONPATH": os.pathsep.join(WORLDS), "DO_NOT_TRACK": "1"}
    said = folder / "said.txt"
    with said.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "deployments", "up", "--port", str(port)],
            cwd=folder,
            env=environ,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_until_served(process, said)
        yield Served(process, port, folder / "home")
    finally:
        end(process)


def wait_until_served(process: subprocess.Popen[bytes], said: Path) -> None:
    deadline = time.monotonic() + STARTED_IN_S + 60
    while "open http" not in (text := said.read_text(encoding="utf-8", errors="replace")):
        assert process.poll() is None, text[-3000:]
        assert time.monotonic() < deadline, text[-3000:]
        time.sleep(0.2)


def end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
