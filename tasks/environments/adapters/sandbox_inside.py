"""Runs scripts where a sandbox begins: JSON lines on stdin and stdout, one login shell that lasts.

Started by path with whatever Python the sandbox has, so it imports the standard library only. A
script that takes too long ends with its shell; what it started in the background goes on.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

MAX_BYTES = 1_000_000
GIB = 1 << 30
LIMITS = (
    (resource.RLIMIT_AS, GIB),
    (resource.RLIMIT_FSIZE, GIB // 4),
    (resource.RLIMIT_CPU, 60),
    (resource.RLIMIT_NPROC, 256),
    (resource.RLIMIT_CORE, 0),
)


def bound() -> None:
    """Limit what a process may take; runs in it before it becomes another program."""
    os.setsid()
    for what, most in LIMITS:
        resource.setrlimit(what, (most, most))


class Shell:
    """A login shell: folder, variables and background jobs last from one script to the next."""

    def __init__(self) -> None:
        self.process: Any = None

    def start(self) -> None:
        """Begin a shell."""
        self.process = subprocess.Popen(
            ["bash", "--login"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=bound,
            bufsize=0,
        )
        os.set_blocking(self.process.stdout.fileno(), False)

    def run(self, script: str, seconds: float) -> dict[str, Any]:
        """What a script wrote, and its exit code; null when it had no end in time."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        mark = secrets.token_hex(16)
        text = script.replace("\0", "")
        line = f"eval {shlex.quote(text)} </dev/null\nprintf '\\n%s %d\\n' {mark} $?\n"
        try:
            self.process.stdin.write(line.encode("utf-8", "replace"))
        except OSError:
            self.process = None
            return {"code": None, "out": ""}
        return self.listen(f"\n{mark} ".encode(), seconds)

    def listen(self, mark: bytes, seconds: float) -> dict[str, Any]:
        """Read until the mark, or until the shell or the time ends."""
        pipe, told, deadline = self.process.stdout.fileno(), bytearray(), time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while selector.select(max(0.0, deadline - time.monotonic())):
                chunk = os.read(pipe, 65_536)
                if not chunk:
                    code, self.process = self.process.wait(), None
                    return {"code": code, "out": decoded(told)}
                told += chunk
                place = told.find(mark)
                if place >= 0 and told.find(b"\n", place + len(mark)) > 0:
                    return {
                        "code": int(told[place + len(mark) :].split()[0]),
                        "out": decoded(told[:place]),
                    }
                if len(told) > 2 * MAX_BYTES:
                    del told[MAX_BYTES:-MAX_BYTES]
        end_group(self.process)
        self.process = None
        return {"code": None, "out": decoded(told)}


def end_group(process: Any) -> None:
    """End a process and what belongs to it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()
    process.wait()


def run_alone(words: list[str], seconds: float) -> dict[str, Any]:
    """Run a program apart from the shell; its output goes to a file, so nobody waits for jobs."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, preexec_fn=bound
        )
        code: int | None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            end_group(process)
            code = None
        out.seek(0)
        return {"code": code, "out": decoded(out.read(MAX_BYTES))}


def decoded(told: bytes | bytearray) -> str:
    """Output as text of bounded length."""
    return bytes(told[:MAX_BYTES]).decode("utf-8", "replace")


def main() -> None:
    """Serve until stdin ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    shell = Shell()
    answers.write(b"{}\n")
    answers.flush()
    for line in requests:
        asked = json.loads(line)
        if "script" in asked:
            answer = shell.run(asked["script"], asked["seconds"])
        else:
            answer = run_alone(asked["words"], asked["seconds"])
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()
    sys.exit(0)


if __name__ == "__main__":
    main()
