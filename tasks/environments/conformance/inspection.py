"""What a check has found so far, and the time it has left."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from schemas.errors import EnvironmentFault, TackroomError
from schemas.text import clean_text
from tasks.agent.capabilities import Closeable
from tasks.agent.protocols import Environment, Task, World

Severity = Literal["error", "warning", "info"]
Value = Literal["yes", "no", "partly", "none", "unknown"]
"""`none`: the world does not claim it; `unknown`: it could not be found out."""
SAID = 400


@dataclass(frozen=True)
class Grade:
    """How a world does in one respect, with a note for people."""

    name: str
    value: Value
    note: str = ""


@dataclass(frozen=True)
class Finding:
    """Something a user should know; an error makes the world not ok."""

    severity: Severity
    what: str
    hint: str = ""


@dataclass(frozen=True)
class Count:
    """How many tasks a policy passed, of those that were tried in time."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    faults: tuple[str, ...]
    asked: int

    @property
    def tried(self) -> int:
        """Tasks that were tried."""
        return len(self.passed) + len(self.failed) + len(self.faults)


class TimeIsOver(Exception):
    """The check has used up its time."""


@dataclass
class Inspection:
    """One check of one world.

    Attributes:
        word: the word that opens the world, here and in another process.
        tasks: the tasks that are tried.
        deadline: moment of the monotonic clock after which nothing more is begun.
        tell: hears of each episode, for progress.
    """

    word: str
    environment: Environment
    tasks: tuple[Task, ...]
    seed: int
    deadline: float
    tell: Callable[[], None] = lambda: None
    grades: list[Grade] = field(default_factory=list[Grade])
    findings: list[Finding] = field(default_factory=list[Finding])
    counts: dict[str, Count] = field(default_factory=dict[str, Count])

    def grade(self, name: str, value: Value, note: str = "") -> None:
        """Note a grade."""
        self.grades.append(Grade(name, value, note))

    def find(self, severity: Severity, what: str, hint: str = "") -> None:
        """Note a finding; one that is known already is not said twice."""
        finding = Finding(severity, what, hint)
        if finding not in self.findings:
            self.findings.append(finding)

    def require_time(self) -> None:
        """End what is being done when the time is over.

        Raises:
            TimeIsOver: it is.
        """
        if time.monotonic() > self.deadline:
            raise TimeIsOver

    @property
    def has_error(self) -> bool:
        """Whether the world is not ok."""
        return any(finding.severity == "error" for finding in self.findings)

    @contextmanager
    def world(self, task: Task) -> Iterator[World]:
        """A running world; whatever breaks in it becomes a fault.

        Raises:
            EnvironmentFault: it broke.
        """
        self.require_time()
        self.tell()
        with faults(self.environment.name):
            world = self.environment.start(task, self.seed)
            try:
                yield world
            finally:
                if isinstance(world, Closeable):
                    world.close()


@contextmanager
def faults(name: str) -> Iterator[None]:
    """Make faults of what a world raises.

    Raises:
        EnvironmentFault: it raised anything but the end of the time.
    """
    try:
        yield
    except (EnvironmentFault, TimeIsOver):
        raise
    except Exception as error:
        text = (
            str(error) if isinstance(error, TackroomError) else f"{type(error).__name__}: {error}"
        )
        what = f"environment `{name}` crashed: {clean_text(' '.join(text.split()))[:SAID]}"
        raise EnvironmentFault(what) from error


def fault_text(error: EnvironmentFault) -> str:
    """A fault in one bounded line."""
    return clean_text(" ".join(str(error).split()))[:SAID]
