"""`Sandbox` for code that does not await: the same one, run on a loop of its own.

`SyncSandbox` owns a thread with an event loop. A call hands its coroutine over to that loop and
waits, so it also works where a loop is running already, as in a notebook, and from any number of
threads. It blocks the caller for as long as the rules run, which is milliseconds.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from .errors import SandboxError
from .sandbox import Limits, Sandbox

T = TypeVar("T")


class SyncSandbox:
    """Owns the worker processes and the event loop that sessions without `await` run on.

    Use as a context manager, or call `open` and `close`. Share one between any number of
    sessions and threads.

    Attributes:
        inner: the sandbox behind it, for coroutines given to `wait`.
    """

    def __init__(self, *, workers: int | None = None, limits: Limits | None = None) -> None:
        """Set up; nothing starts before `with` or `open`. `workers` defaults to the CPU count."""
        self.inner = Sandbox(workers=workers, limits=limits)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = 0
        self._is_used = False

    def open(self) -> Self:
        """Start the workers; a sandbox is opened once.

        Raises:
            SandboxError: no worker can be started, or it was opened before.
        """
        with self._lock:
            if self._is_used:
                msg = "the sandbox was opened before; make a new one"
                raise SandboxError(msg)
            self._is_used = True
            loop = asyncio.new_event_loop()
            # A program that ends without `close` must not hang on this thread.
            thread = threading.Thread(target=loop.run_forever, name="sandbox-loop", daemon=True)
            thread.start()
            self._loop, self._thread, self._process = loop, thread, os.getpid()
        try:
            self.wait(self.inner.__aenter__())
        except BaseException:
            self._stop()
            raise
        return self

    def close(self) -> None:
        """Stop the workers and the loop; calls under way end first, later ones are refused."""
        if self._thread is None or self._process != os.getpid():
            return
        self._refuse_own_thread()
        self._stop(self.inner.__aexit__(None, None, None))

    def __enter__(self) -> Self:
        """Open it."""
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, such as `replay_session(…, sandbox=box.inner)`.

        Raises:
            SandboxError: it is not open in this process, or the call comes from its own loop,
                which would wait for itself.
        """
        try:
            self._refuse_own_thread()
            with self._lock:
                future = asyncio.run_coroutine_threadsafe(work, self._open_loop())
        except SandboxError:
            work.close()
            raise
        try:
            return future.result()
        except BaseException:
            # The wait may have been interrupted; nobody is left who wants the result.
            future.cancel()
            raise

    def _open_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            msg = "the sandbox is closed" if self._is_used else "the sandbox is not open"
            raise SandboxError(msg)
        if self._process != os.getpid():
            msg = "the sandbox was opened in another process; open one in each process"
            raise SandboxError(msg)
        return self._loop

    def _refuse_own_thread(self) -> None:
        if threading.current_thread() is self._thread:
            msg = "called from the sandbox's own loop; await the coroutine there instead"
            raise SandboxError(msg)

    def _stop(self, last: Coroutine[Any, Any, None] | None = None) -> None:
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None or self._thread is None:
            if last is not None:
                last.close()
            return
        try:
            asyncio.run_coroutine_threadsafe(_finish(last), loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()


async def _finish(last: Coroutine[Any, Any, None] | None) -> None:
    """Let everything that was begun come to its end, so that no caller waits for ever."""
    if last is not None:
        await last
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
