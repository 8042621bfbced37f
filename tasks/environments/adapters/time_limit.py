"""Bounds the time of a call that an agent's arguments could make endless."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(BaseException):
    """The call took longer than it may; no method of a world takes it for an error of its own."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Break off Python code in the block after a while; for the main thread."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
