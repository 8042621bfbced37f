"""A harness in front of a real small server, and the real client on the other side."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
DESK = f"{sys.executable} {HERE / 'desk_server.py'}"
SETTINGS = "api: 1\nenvironment: sqldesk\n"
FILES = {
    "harness.yaml": SETTINGS,
    "contract.md": "---\ntools:\n  echo: Say it once.\n---\nBe brief.\n",
    "skills/look-up/SKILL.md": (
        "---\nname: look-up\ndescription: Look it up.\n"
        "trigger: {any: [find the]}\n---\nLook first.\n"
    ),
    "actions.py": '''def rule_words(action, context):
    """Some words are not said."""
    text = action["arguments"].get("text", "")
    if text == "secret":
        return {"kind": "block", "message": "Not that word."}
    if text == "quiet":
        return {"kind": "rewrite", "tool": "echo", "arguments": {"text": "LOUD"}}
    if text == "task":
        return {"kind": "block", "message": "The task is: " + context["task_text"]}
    if text == "turns":
        left = str(context["remaining_steps"])
        return {"kind": "block", "message": str(context["step"]) + " of " + left}
''',
    "regulation.py": '''def rule_errors(history, context):
    """Errors are looked at."""
    if history[-1]["is_error"] or history[-1]["observation"] in ("LOUD", "hint me", ""):
        return {"kind": "hint", "message": "Look again."}


def rule_end(history, context):
    """The end is the end."""
    if history[-1]["observation"] == "stop":
        return {"kind": "stop"}


def rule_go_on(history, context):
    """A force has no place here."""
    if history[-1]["observation"] == "force":
        return {"kind": "force", "tool": "echo", "arguments": {"text": "forced"}}
''',
}


@dataclass(frozen=True)
class Faced:
    """Words that start the face, and the log it writes."""

    command: tuple[str, ...]
    log: Path
    environ: dict[str, str]

    def lines(self, event: str = "") -> list[dict]:
        """Lines of the log."""
        told = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in told if not event or line["event"] == event]

    def kinds(self) -> list[tuple[str, str]]:
        """Kind and status of each intervention."""
        return [(line["kind"], line["status"]) for line in self.lines("intervention")]

    @property
    def stdio(self) -> StdioServerParameters:
        """How a client starts it."""
        return StdioServerParameters(
            command=self.command[0], args=list(self.command[1:]), env=self.environ, cwd=ROOT
        )


@pytest.fixture
def write_harness(tmp_path):
    """Write a harness folder; files given here replace the usual ones, null for none."""

    def write(**changed):
        folder = tmp_path / "harness"
        files = {path: text for path, text in (FILES | changed).items() if text is not None}
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    return write


@pytest.fixture
def face(tmp_path, write_harness):
    """Prepare a face before an upstream, by default the desk started as a command."""

    def prepare(*options, upstream=DESK, environ=None, **changed):
        log = tmp_path / "face.jsonl"
        command = (
            *(sys.executable, "-m", "deployments", "runtime", "mcp"),
            *("--harness", str(write_harness(**changed)), "--upstream", upstream),
            *("--log", str(log), *options),
        )
        home = {"TACKROOM_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
        return Faced(command, log, {**os.environ, **home, **(environ or {})})

    return prepare


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def await_port(port: int, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, "the server has ended"
        time.sleep(0.05)
    pytest.fail("the server does not listen")


@contextmanager
def listening(command, environ=None) -> Iterator[str]:
    """Run a server that takes its port as the last word; gives its URL."""
    port = free_port()
    process = subprocess.Popen(
        [*command, str(port)], env=environ, cwd=ROOT, stderr=subprocess.DEVNULL
    )
    try:
        await_port(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def serve():
    """`listening`, for tests."""
    return listening


@asynccontextmanager
async def connected(server, **more):
    """A client in the state that most clients are in: it says hello, then calls."""
    async with Client(server, cache=None, **more) as client:
        yield client


@pytest.fixture(scope="session")
def connect():
    """`connected`, for tests."""
    return connected


@pytest.fixture
def serve_face():
    """Serve a prepared face over HTTP; gives its URL."""

    @contextmanager
    def run(faced):
        with listening((*faced.command, "--http", "--port"), faced.environ) as url:
            yield url

    return run


@pytest.fixture(scope="session")
def desk_url():
    """The desk over HTTP."""
    with listening((*DESK.split(), "--http")) as url:
        yield url
