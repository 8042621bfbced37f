"""Running a command that nobody trusts: bounded in time and output, ended with all its children."""

import asyncio
import os
import secrets
import shlex
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import ConfigError
from schemas.redaction import has_secret

KEPT = 48_000
"""Bytes kept of the beginning and of the end of each stream."""
GRACE_S = 2.0
MARKER = "TACKROOM_COMMAND_RUN"
NOT_STARTED = 127
MAX_WORDS = 200


@dataclass(frozen=True)
class Ran:
    """A command that has ended; `problem` says why it could not be started."""

    exit_code: int
    stdout: str
    stderr: str
    is_late: bool
    duration_s: float
    problem: str = ""


def split_command(text: str, what: str, *, example: str, keys: str) -> tuple[str, ...]:
    """Split a template into words, as a shell would but without running one.

    `what` names the template in errors, `example` and `keys` say what to do.

    Raises:
        ConfigError: it is empty, a quotation mark is not closed, or it holds a key, which would be
            stored with the results.
    """
    if has_secret(text):
        message = f"{what}: the template holds what looks like a key"
        raise ConfigError(message, hint=keys)
    try:
        words = shlex.split(text)
    except ValueError as error:
        message = f"{what}: the template cannot be split into words: {error}"
        raise ConfigError(message, hint="quote it as for a shell") from None
    if not words or not words[0].strip() or len(words) > MAX_WORDS or "\0" in text:
        message = f"{what}: names no command"
        raise ConfigError(message, hint=example)
    return tuple(words)


async def run_command(
    words: Sequence[str], folder: Path, environ: Mapping[str, str], timeout_s: float
) -> Ran:
    """Run a command in a folder with these variables and no others, without standard input.

    It gets a process group of its own. When it ends or its time is over, the group is killed, and
    so is every process that left the group but still carries the marker of this run.
    """
    started, mark = time.monotonic(), secrets.token_hex(16)
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            env=dict(environ) | {MARKER: mark},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        problem = f"cannot start {words[0][:200]!r}: {error}"
        return Ran(NOT_STARTED, "", "", is_late=False, duration_s=0.0, problem=problem)
    outputs = [_Tail(), _Tail()]
    drains = [
        asyncio.ensure_future(_drain(stream, tail))
        for stream, tail in zip((process.stdout, process.stderr), outputs, strict=True)
    ]
    try:
        is_late = await _wait(process, mark, timeout_s)
    finally:
        await asyncio.wait(drains, timeout=GRACE_S)
        for drain in drains:
            drain.cancel()
    return Ran(
        exit_code=process.returncode or 0,
        stdout=outputs[0].text,
        stderr=outputs[1].text,
        is_late=is_late,
        duration_s=time.monotonic() - started,
    )


async def _wait(process: asyncio.subprocess.Process, mark: str, timeout_s: float) -> bool:
    """Wait for the end, or make one; whether the time was over. Nothing of the run is left."""
    is_late = False
    try:
        async with asyncio.timeout(timeout_s):
            await process.wait()
    except TimeoutError:
        is_late = True
        _signal(process.pid, signal.SIGTERM)
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await process.wait()
    finally:
        _signal(process.pid, signal.SIGKILL)
        _kill_marked(mark)
        await process.wait()
    return is_late


class _Tail:
    """The beginning and the end of a stream."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._end = bytearray()
        self._total = 0

    def add(self, chunk: bytes) -> None:
        self._total += len(chunk)
        room = KEPT - len(self._head)
        self._head += chunk[:room]
        self._end += chunk[room:]
        del self._end[:-KEPT]

    @property
    def text(self) -> str:
        lost = self._total - len(self._head) - len(self._end)
        mark = f"\n… {lost} bytes left out …\n".encode() if lost else b""
        return (bytes(self._head) + mark + bytes(self._end)).decode("utf-8", "replace")


async def _drain(stream: asyncio.StreamReader | None, tail: _Tail) -> None:
    while stream and (chunk := await stream.read(65_536)):
        tail.add(chunk)


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _kill_marked(value: str) -> None:
    """Kill processes of this run that made a session of their own; where /proc tells of them."""
    wanted = f"{MARKER}={value}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            if int(entry.name) != os.getpid() and wanted in (entry / "environ").read_bytes().split(
                b"\0"
            ):
                os.kill(int(entry.name), signal.SIGKILL)
