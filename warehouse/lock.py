"""A file lock between processes that dies with its holder."""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import WarehouseError

_POLL_S = 0.02


@contextmanager
def file_lock(path: Path, *, timeout_s: float) -> Generator[None]:
    """Hold an exclusive lock on a file.

    Raises:
        WarehouseError: another process kept the lock for longer than `timeout_s`, or the file
            cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        what = f"cannot lock {path}: {error.strerror or error}"
        raise WarehouseError(what, hint="check that the folder is writable and has room") from error
    try:
        _wait_for(descriptor, path, timeout_s)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, path: Path, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                what = f"another process has held {path} for {timeout_s:.0f} s"
                raise WarehouseError(what, hint="wait for it to end, then run again") from None
            time.sleep(_POLL_S)
        else:
            return
