"""One child process that speaks JSON lines: started when needed, asked in turn, ended for sure."""

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from schemas.errors import ConfigError, EnvironmentFault
from schemas.text import clean_text

MAX_LINE = 64 * 1024 * 1024
MESSAGE = 300
KEPT_LINES = 20
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
            return subprocess.Popen(
                command.words,
                cwd=command.folder,
                env=None if command.environ is None else dict(command.environ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            what = f"`{command.word}`: {command.words[0]!r} cannot be started: {error.strerror}"
            raise ConfigError(what, hint=command.remedy) from error

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, op: str, timeout_s: float, **values: Any) -> Any:
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
                assert self._process.stdin is not None
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except (OSError, ValueError):
                self.end()
                raise self._gone() from None
            return self._take(self._number, timeout_s)

    def _take(self, number: int, timeout_s: float) -> Any:
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self._fail(f"gave no answer in {timeout_s:g} s")
            if line is None:
                self._fail("died")
            answer = self._parse(line)
            if answer.get("id") == number:
                return self._result(answer)

    def _parse(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            self._fail("sent something that is no answer")
        return answer

    def _result(self, answer: dict[str, Any]) -> Any:
        if "error" in answer:
            what = f"`{self.command.word}`: {clean_text(str(answer['error']))[:MESSAGE]}"
            hint = clean_text(str(answer.get("hint") or "mend the module"))[:MESSAGE]
            raise EnvironmentFault(what, hint=hint)
        return answer.get("ok")

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
            while line := self._process.stdout.readline(MAX_LINE):
                self._lines.put(line)
        self._lines.put(None)

    def _hear(self) -> None:
        """Keep the last lines the user's code printed, so that its pipe never fills up."""
        assert self._process.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            while line := self._process.stderr.readline(4_096):
                self._told.append(line.decode("utf-8", "replace"))


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
