"""A verdict by a function of the user's own, asked in a child process."""

import sys
import threading
from pathlib import Path

from schemas.errors import ConfigError, EnvironmentFault
from tasks.agent.protocols import Verdict
from tasks.environments.declared.verdict import Played
from tasks.environments.host_process import Child, ChildGone, Command
from tasks.environments.host_values import read_verdict

CHILD = Path(__file__).with_name("verdict_child.py")
START_S = 60.0
ANSWER_S = 60.0
TRIES = 3


class PythonGrader:
    """Asks `file.py:function`; a child that has ended is replaced for the next episode."""

    noise = ""

    def __init__(self, folder: Path, function: str, python: str | None) -> None:
        """The child is started at once, so that a mistake in the file is told at once.

        Raises:
            ConfigError: the file is missing or breaks.
        """
        path = function.rpartition(":")[0]
        words = (python or sys.executable, str(CHILD), function)
        remedy = "set TACKROOM_PYTHON to the path of a Python"
        self._command = Command(f"{folder / path}", words, folder=folder, remedy=remedy)
        self._lock = threading.Lock()
        self._child: Child | None = None
        try:
            self._running()
        except EnvironmentFault as error:
            raise ConfigError(error.what, hint=error.hint) from error

    def _running(self) -> Child:
        with self._lock:
            if self._child is None or not self._child.is_alive:
                self._child = Child(self._command, START_S)
            return self._child

    def judge(self, played: Played) -> Verdict:
        """Ask the function."""
        moves = [
            {
                "tool": move.call.tool,
                "arguments": move.call.arguments,
                "observation": move.result.observation,
                "is_error": move.result.is_error,
            }
            for move in played.moves
        ]
        episode = {
            "calls": moves,
            "is_finished": played.is_finished,
            "answer": played.answer,
            "state": played.state(),
        }
        for _ in range(TRIES - 1):
            try:
                return self._ask(played, episode)
            except ChildGone:
                continue
        return self._ask(played, episode)

    def _ask(self, played: Played, episode: dict[str, object]) -> Verdict:
        child = self._running()
        return read_verdict(child.ask("verdict", ANSWER_S, task=played.row, episode=episode).ok)

    def close(self) -> None:
        """End the child."""
        with self._lock:
            if self._child is not None:
                self._child.end()
                self._child = None
