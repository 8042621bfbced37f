"""What all tests share: the command line as a subprocess, and the recorded trajectories."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

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


SHARED_BY_FILES = ("cycles", "served")
"""Fixtures that take minutes and are made once for several files."""


# First, because the workers read the groups in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share something dear on one worker, and else the tests of a file."""
    for item in items:
        used = getattr(item, "fixturenames", ())
        dear = next((name for name in SHARED_BY_FILES if name in used), None)
        item.add_marker(pytest.mark.xdist_group(dear or str(item.path)))
