"""The built wheel, installed as a tool of its own and called from an empty folder."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = [pytest.mark.slow, pytest.mark.gx, pytest.mark.timeout(1800)]
ROOT = Path(__file__).parents[2]
PACKAGES = ("deployments", "flows", "schemas", "tasks", "warehouse")
CYCLE = [
    "cycle",
    "--environment",
    "household",
    "--tasks",
    "24",
    "--rounds",
    "1",
    "--seed",
    "1",
    "--json",
]
ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}
PATIENCE_S, BUSY = 300, 503


def run(*command: str, cwd: Path, environ: dict[str, str], timeout: float = 900) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


def clean_environ() -> dict[str, str]:
    ours = ("TACKROOM_", "PREFECT_", "PYTHON", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    """Both wheels by distribution name."""
    out = tmp_path_factory.mktemp("wheels")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out))
    for source in (ROOT, ROOT / "deployments" / "runtime"):
        run(*build, str(source), cwd=ROOT, environ=dict(os.environ))
    return {path.name.split("-")[0]: path for path in out.glob("*.whl")}


@dataclass(frozen=True)
class Tool:
    """`tackroom` in an environment of its own, called from an empty folder."""

    program: Path
    folder: Path
    environ: dict[str, str]

    def __call__(self, *arguments: str) -> str:
        return run(str(self.program), *arguments, cwd=self.folder, environ=self.environ)


@pytest.fixture(scope="module")
def tool(wheels, tmp_path_factory) -> Tool:
    """The main wheel with pinned dependencies from the index this machine is configured for."""
    home = tmp_path_factory.mktemp("tool")
    place, environ = home / "venv", clean_environ()
    wanted = ["--constraint", str(ROOT / "requirements.lock"), str(wheels["tackroom"])]
    uv = shutil.which("uv")
    python = str(place / "bin" / "python")
    if uv:
        run(uv, "venv", "--python", sys.executable, str(place), cwd=home, environ=environ)
        run(uv, "pip", "install", "--python", python, *wanted, cwd=home, environ=environ)
    else:
        venv.create(place, with_pip=True)
        run(python, "-m", "pip", "install", "--quiet", *wanted, cwd=home, environ=environ)
    folder = home / "empty"
    folder.mkdir()
    environ |= {"TACKROOM_HOME": str(home / "data"), "DO_NOT_TRACK": "1"}
    return Tool(place / "bin" / "tackroom", folder, environ)


def test_both_wheels_are_built_and_the_main_one_lacks_no_file(wheels):
    assert set(wheels) == {"tackroom", "tackroom_runtime"}
    held = set(zipfile.ZipFile(wheels["tackroom"]).namelist())
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - held == set()


@pytest.fixture(scope="module")
def summary(tool) -> dict[str, Any]:
    """What one cycle in the empty folder says."""
    return json.loads(tool(*CYCLE))


def test_a_cycle_runs_and_its_rows_can_be_queried(tool, summary):
    assert summary["rollouts"] > 0
    assert summary["edits"]["proposed"] > 0
    assert summary["validation"]["failed"] == 0
    answer = json.loads(tool("sql", "SELECT count(*) AS n FROM trajectories", "--json"))
    assert answer["rows"] == [{"n": summary["tables"]["trajectories"]}]
    assert list(tool.folder.iterdir()) == []


def test_what_else_reads_files_of_the_package_works_there(tool, summary, tmp_path):
    page = tmp_path / "report.html"
    tool("report", "--out", str(page), "--cycle", summary["cycle_id"])
    assert summary["cycle_id"] in page.read_text(encoding="utf-8")
    tool("harness", "export", "seed", "--environment", "sqldesk", "--out", str(tmp_path / "h"))
    assert (tmp_path / "h" / "harness.yaml").exists()
    assert json.loads(tool("doctor", "--json"))["checks"]


@pytest.fixture(scope="module")
def served(tool, summary):
    """The address of a running `tackroom up` on a free port, stopped by its own process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    said = tool.folder.parent / "up.txt"
    with said.open("wb") as log:
        process = subprocess.Popen(
            [str(tool.program), "up", "--port", str(port)],
            cwd=tool.folder,
            env=tool.environ,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        wait_for(lambda: b"open http" in said.read_bytes() or process.poll() is not None)
        assert process.poll() is None, said.read_text()
        yield f"http://127.0.0.1:{port}/api"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        first, address, last = said.read_text().splitlines()
        assert (first, last) == ("starting the server", "stopped")
        assert address.startswith(f"open http://127.0.0.1:{port}/")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    return found


def ask(address: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(address, data=data, headers=headers)
    for patience in (1, 2, 4, 8, 0):
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            if error.code != BUSY or not patience:
                raise
            time.sleep(patience)
    raise AssertionError


@pytest.fixture(scope="module")
def deployments(served) -> dict[str, str]:
    """Ids of the served deployments by name, once all are there."""
    blocks = yaml.safe_load((ROOT / "deployments" / "prefect.yaml").read_text())["deployments"]
    names = {block["name"] for block in blocks}

    def listed() -> dict[str, str]:
        found = {one["name"]: one["id"] for one in ask(f"{served}/deployments/filter", {})}
        return found if found.keys() >= names else {}

    found = wait_for(listed)
    assert found.keys() == names
    return found


def state_of_run(served: str, deployment: str, form: dict[str, Any]) -> dict[str, Any]:
    path = f"{served}/deployments/{deployment}/create_flow_run"
    made = ask(path, {"parameters": {"form": form}})

    def ended() -> dict[str, Any] | None:
        state = ask(f"{served}/flow_runs/{made['id']}")["state"]
        return state if state["type"] in ENDED else None

    return wait_for(ended)


def test_up_is_healthy_and_a_run_of_a_deployment_completes(served, deployments):
    assert ask(f"{served}/health") is True
    state = state_of_run(served, deployments["annotate-failures"], {})
    assert state["type"] == "COMPLETED", state["message"]


def test_a_run_that_fails_is_told_in_the_ui_and_not_where_up_runs(served, deployments):
    unknown = "cyc_0000000000000000"
    state = state_of_run(served, deployments["diagnose-benefit"], {"cycle_id": unknown})
    assert state["type"] == "FAILED"
    assert unknown in state["message"]
    assert any(unknown in log["message"] for log in ask(f"{served}/logs/filter", {}))
