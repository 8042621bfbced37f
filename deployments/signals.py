"""Ending in order when the process is told to end."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Leave as on Ctrl-C when the process is told to end, so that nothing is left running."""

    def leave(signum: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
        raise KeyboardInterrupt

    before = {number: signal.signal(number, leave) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
