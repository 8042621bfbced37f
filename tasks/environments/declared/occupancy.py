"""Keeps a service that has one state to one episode at a time, also between processes."""

import fcntl
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import EnvironmentFault

WAIT_S = 600.0
PAUSE_S = 0.05


@dataclass
class Place:
    """The right of one episode to the service."""

    descriptor: int | None = None

    def leave(self) -> None:
        """Give it back; may be called twice."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


@dataclass(frozen=True)
class Occupancy:
    """A lock file in the folder of a world; none where episodes do not meet."""

    path: Path | None = None
    wait_s: float = WAIT_S

    def enter(self) -> Place:
        """Wait for the service to be free.

        Raises:
            EnvironmentFault: it stays taken, or the folder cannot be written to.
        """
        if self.path is None:
            return Place()
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            what = f"{self.path} cannot be made: {error.strerror}"
            hint = "the folder of a world over one service holds a lock file"
            raise EnvironmentFault(what, hint=hint) from None
        if not self._take(descriptor):
            os.close(descriptor)
            what = f"the service of {self.path.parent} is taken by another episode"
            raise EnvironmentFault(what, hint="end the other command, or run it afterwards")
        return Place(descriptor)

    def _take(self, descriptor: int) -> bool:
        deadline = time.monotonic() + self.wait_s
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(PAUSE_S)
