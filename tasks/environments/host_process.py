"""One child process that speaks JSON lines: started when needed, asked in turn, ended for sure."""

import atexit
import contextlib
import json
import os
import queue
import selectors
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from schemas.errors import ConfigError, EnvironmentFault
from schemas.text import clean_text

MAX_LINE = 64 * 1024 * 1024
MESSAGE = 300
MAX_TOLD = 4_096
CHUNK = 65_536
KEPT_LINES = 20
LINES_AHEAD = 2
"""Lines that may wait unread; one answer is due at a time, so more of them are a flood."""
_running: "weakref.WeakSet[subprocess.Popen[bytes]]" = weakref.WeakSet()


class ChildGone(EnvironmentFault):
    """The child had ended before it was asked; another one can be."""


@dataclass(frozen=True)
class Command:
    """How a child is started.

    Attributes:
        word: what the user named; it stands in messages.
        words: program and arguments.
        folder: where it runs; null for the present folder.
        environ: its variables; null for ours.
        remedy: what to do when the program cannot be started.
    """

    word: str
    words: tuple[str, ...]
    folder: Path | None = None
    environ: Mapping[str, str] | None = None
    remedy: str = "check the path of the program"


class Answer(NamedTuple):
    """What a child answered.

    Attributes:
        ok: the result.
        look: results of `snapshot` and `admissible` that it tells along with it, by name.
    """

    ok: Any
    look: Mapping[str, Any]


class Child:
    """A running child; requests are answered one after the other."""

    def __init__(self, command: Command, timeout_s: float) -> None:
        self.command = command
        self._lock = threading.Lock()
        self._number = 0
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._told: deque[str] = deque(maxlen=KEPT_LINES)
        self._process = self._start()
        _running.add(self._process)
        self._readers = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._hear)
        ]
        for reader in self._readers:
            reader.start()
        try:
            self._take(0, timeout_s)
        except BaseException:
            self.end()
            raise

    def _start(self) -> "subprocess.Popen[bytes]":
        command = self.command
        try:
            process = subprocess.Popen(
                command.words,
                cwd=command.folder,
                env=None if command.environ is None else dict(command.environ),
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            what = f"`{command.word}`: {command.words[0]!r} cannot be started: {error.strerror}"
            raise ConfigError(what, hint=command.remedy) from error
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        return process

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, op: str, timeout_s: float, **values: Any) -> "Answer":
        """Send a request and wait for its answer.

        Raises:
            ChildGone: it had ended before.
            EnvironmentFault: the user's code raised, or the child died or gave no answer in time;
                then it is ended.
        """
        with self._lock:
            if not self.is_alive:
                raise self._gone()
            self._number += 1
            request = {"id": self._number, "op": op, **values}
            line = json.dumps(request, ensure_ascii=True).encode("ascii") + b"\n"
            try:
                self._send(line, timeout_s)
            except (OSError, ValueError):
                self.end()
                raise self._gone() from None
            return self._take(self._number, timeout_s)

    def _send(self, line: bytes, timeout_s: float) -> None:
        """Write a request; a child that does not read it is as one that does not answer."""
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        with contextlib.suppress(BlockingIOError):  # most requests fit into the pipe
            line = line[os.write(pipe, line) :]
        deadline = time.monotonic() + timeout_s
        while line:
            with selectors.DefaultSelector() as selector:
                selector.register(pipe, selectors.EVENT_WRITE)
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    self._fail(f"gave no answer in {timeout_s:g} s")
            line = line[os.write(pipe, line) :]

    def _take(self, number: int, timeout_s: float) -> "Answer":
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            self._fail(f"gave no answer in {timeout_s:g} s")
        if line is None:
            self._fail("died")
        return self._result(self._parse(line, number))

    def _parse(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or answer.get("id") != number:
            self._fail("sent something that is no answer")
        return answer

    def _result(self, answer: dict[str, Any]) -> "Answer":
        if "error" in answer:
            what = f"`{self.command.word}`: {clean_text(str(answer['error']))[:MESSAGE]}"
            hint = clean_text(str(answer.get("hint") or "mend the module"))[:MESSAGE]
            raise EnvironmentFault(what, hint=hint)
        look = answer.get("look")
        return Answer(answer.get("ok"), look if isinstance(look, dict) else {})

    def _gone(self) -> ChildGone:
        return ChildGone(f"the process of `{self.command.word}` has ended")

    def _fail(self, how: str) -> NoReturn:
        self.end()
        last = next((line for line in reversed(self._told) if line.strip()), "")
        hint = f"it last wrote: {clean_text(last.strip())[:MESSAGE]}" if last else ""
        message = f"the process of `{self.command.word}` {how}"
        raise EnvironmentFault(message, hint=hint)

    def end(self) -> None:
        """End the child and what it has started."""
        end_process(self._process)
        for reader in self._readers:
            reader.join(timeout=1.0)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None and not any(reader.is_alive() for reader in self._readers):
                stream.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in lines_of(self._process.stdout.fileno(), MAX_LINE):
                self._lines.put(line)
                if self._lines.qsize() > LINES_AHEAD:
                    self._process.kill()
                    break
        self._lines.put(None)

    def _hear(self) -> None:
        """Keep the last lines the user's code printed, so that its pipe never fills up."""
        assert self._process.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            for line in lines_of(self._process.stderr.fileno(), MAX_TOLD):
                self._told.append(line.decode("utf-8", "replace"))


def lines_of(pipe: int, limit: int) -> Iterator[bytes]:
    """Lines of a pipe, cut at a limit.

    No buffered stream is read: a thread that waits in one when the interpreter ends aborts it.
    """
    rest = bytearray()
    while chunk := os.read(pipe, CHUNK):
        *ended, tail = chunk.split(b"\n")
        for part in ended:
            yield bytes(rest + part)
            rest.clear()
        rest += tail
        if len(rest) > limit:
            yield bytes(rest)
            rest.clear()
    if rest:
        yield bytes(rest)


def end_process(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and its group, and wait until it is gone."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (AttributeError, OSError):
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=5)
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


@atexit.register
def end_all() -> None:
    """End every child of this process."""
    for process in list(_running):
        end_process(process)
