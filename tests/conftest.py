"""What all tests share: the command line, recorded trajectories, scripted endpoints, worlds."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# How fast inputs are made tells of the machine, not of what is tested.
settings.register_profile("tackroom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tackroom")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one JSON object on stdout."""
        assert self.out.count("\n") == 1, self.out[:400] + self.err[-2000:]
        return json.loads(self.out)

    @property
    def last_line(self) -> str:
        """The last line on stderr: the error, when there was one."""
        return self.err.strip().splitlines()[-1] if self.err.strip() else ""


@dataclass(frozen=True)
class CommandLine:
    """`tackroom` run against one data folder."""

    home: Path
    environ: Mapping[str, str]

    def __call__(self, *arguments: str, timeout: float = 600, check: bool = True) -> Ran:
        """Run a command; with `check`, anything but exit code 0 fails the test."""
        done = subprocess.run(
            [sys.executable, "-m", "deployments", *arguments],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=dict(self.environ),
            timeout=timeout,
        )
        ran = Ran(done.returncode, done.stdout, done.stderr)
        if check:
            assert ran.code == 0, ran.err[-3000:]
        return ran

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command in a process group of its own, so that it can be killed whole."""
        return subprocess.Popen(
            [sys.executable, "-m", "deployments", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=dict(self.environ),
            start_new_session=True,
        )

    def digest(self) -> dict[str, str]:
        """Digest of every table."""
        return self("doctor", "--digest", "--json").json["digests"]

    def sql(self, query: str) -> list[dict[str, object]]:
        """Rows of a query."""
        return self("sql", query, "--json").json["rows"]


def _environ(home: Path, extra: Mapping[str, str]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TACKROOM_", "PREFECT_"))}
    return kept | {"TACKROOM_HOME": str(home), "DO_NOT_TRACK": "1"} | dict(extra)


@pytest.fixture
def command_line(tmp_path):
    """A factory of command lines: `command_line("a")` works in its own data folder."""

    def make(name: str = "home", environ: Mapping[str, str] | None = None) -> CommandLine:
        return CommandLine(tmp_path / name, _environ(tmp_path / name, environ or {}))

    return make


@pytest.fixture(scope="session")
def make_command_line(tmp_path_factory):
    """As `command_line`, for fixtures that live longer than one test."""

    def make(name: str, environ: Mapping[str, str] | None = None) -> CommandLine:
        home = tmp_path_factory.mktemp(name) / "home"
        return CommandLine(home, _environ(home, environ or {}))

    return make


@pytest.fixture(scope="session")
def recorded() -> Path:
    """Folder of recorded trajectories; tests that need it skip where it is absent."""
    folder = SHARED / "trajectories"
    if not folder.is_dir():
        pytest.skip("no recorded trajectories here")
    return folder


@pytest.fixture(scope="session")
def planted() -> Path:
    """Folder that installs the world `depot` of four planted faults when it is on the path.

    For commands pass `{"PYTHONPATH": str(planted)}`; here use `monkeypatch.syspath_prepend`.
    """
    return ROOT / "tests" / "planted"


Calls = Sequence[tuple[str, Mapping[str, Any]]]
"""Names and arguments of the tool calls of a reply."""


@pytest.fixture
def scripted_endpoint():
    """Starts a scripted endpoint on loopback; gives the settings that make it model `scripted`.

    The script gets each request's body and answers with a text, or with tool calls.
    """
    servers = []

    def start(script: Callable[[dict[str, Any]], str | Calls]) -> dict[str, str]:
        numbers = count()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = json.dumps(_reply(script(body), next(numbers))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return {
            "TACKROOM_MODELS__SCRIPTED__BASE_URL": f"http://127.0.0.1:{server.server_port}/v1",
            "TACKROOM_MODELS__SCRIPTED__MODEL": "scripted",
        }

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def _reply(said: str | Calls, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said}
    if not isinstance(said, str):
        message = {"role": "assistant", "content": "", "tool_calls": []}
        for position, (name, given) in enumerate(said):
            function = {"name": name, "arguments": json.dumps(given)}
            call = {"id": f"c{number}_{position}", "type": "function", "function": function}
            message["tool_calls"].append(call)
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 90},
    }


SHARED_BY_FILES = ("cycles", "served")
"""Fixtures that take minutes and are made once for several files."""


# First, because the workers read the groups in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share something dear on one worker, and else the tests of a file."""
    for item in items:
        if item.get_closest_marker("xdist_group"):
            continue
        used = getattr(item, "fixturenames", ())
        dear = next((name for name in SHARED_BY_FILES if name in used), None)
        item.add_marker(pytest.mark.xdist_group(dear or str(item.path)))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Stop when groups are asked for and not kept: everything dear would be made twice."""
    is_grouped = getattr(session.config.option, "loadgroup", False)
    if is_grouped and any("@" not in item.nodeid for item in session.items):
        message = "pytest and pytest-xdist do not agree on groups; install what the lock file names"
        raise pytest.UsageError(message)
