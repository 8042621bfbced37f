"""`Session` and `Sandbox` for code that does not await: the same ones, run on a loop of their own.

`SyncSandbox` owns a thread with an event loop. A call hands its coroutine over to that loop and
waits, so it also works where a loop is running already, as in a notebook, and from any number of
threads. It blocks the caller for as long as the rules run, which is milliseconds.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import JsonValue

from .errors import SandboxError
from .harness import Harness
from .sandbox import Limits, Sandbox
from .session import Session
from .values import (
    CallLike,
    Conditioned,
    Decision,
    HistoryEntry,
    Intervention,
    Regulated,
    SessionState,
    WrittenCall,
)

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


class SyncSession:
    """One episode. Not for concurrent use; the sandbox is, and is shared between sessions."""

    def __init__(
        self,
        harness: Harness,
        task_text: str,
        tools: Sequence[Mapping[str, JsonValue]],
        *,
        sandbox: SyncSandbox | None = None,
        budget: int | None = None,
    ) -> None:
        """Prepare an episode; `tools` are tool definitions in chat form, `budget` model turns.

        Raises:
            HarnessError: the harness has rules and there is no sandbox to run them in, or a
                tool is called as the one that loads skills.
        """
        inner = sandbox.inner if sandbox is not None else None
        self._sandbox = sandbox
        self._session = Session(harness, task_text, tools, sandbox=inner, budget=budget)

    @property
    def harness(self) -> Harness:
        """The harness it runs under."""
        return self._session.harness

    @property
    def task_text(self) -> str:
        """The task as the agent was given it."""
        return self._session.task_text

    @property
    def history(self) -> tuple[HistoryEntry, ...]:
        """Finished turns."""
        return self._session.history

    @property
    def step(self) -> int:
        """Model turns and forced actions so far; each spends one unit of budget."""
        return self._session.step

    @property
    def remaining_steps(self) -> int | None:
        """Units of budget left; null without a budget."""
        return self._session.remaining_steps

    @property
    def is_waiting(self) -> bool:
        """Whether a turn has been decided on whose result has not come back."""
        return self._session.is_waiting

    def resume(self, history: Sequence[HistoryEntry]) -> None:
        """Take over the finished turns of another session, as a fork does."""
        self._session.resume(history)

    def save(self) -> SessionState:
        """Everything that is needed to go on elsewhere; see `restore`."""
        return self._session.save()

    def restore(self, state: SessionState) -> None:
        """Go on where a session with the same harness, task and tools was saved."""
        self._session.restore(state)

    def condition(
        self, messages: Sequence[Mapping[str, JsonValue]], tools: Sequence[Mapping[str, JsonValue]]
    ) -> Conditioned:
        """Put contract and skills into what the model is sent first."""
        return self._session.condition(messages, tools)

    def change_stage(self, state_text: str) -> tuple[str | None, tuple[Intervention, ...]]:
        """Look for a skill again when the task enters another stage.

        Gives the text to put into the next message, or null when no other skill is due.
        """
        return self._session.change_stage(state_text)

    def note_message(self, message: Mapping[str, JsonValue]) -> None:
        """Tell the rules of a message that is no turn, such as a later word of the user."""
        self._session.note_message(message)

    def before_call(
        self,
        name: str | None,
        raw_arguments: str | None,
        *,
        raw_text: str = "",
        admissible: Sequence[str] | None = None,
        is_new_turn: bool = True,
    ) -> Decision:
        """Decide what to do with a call as the model wrote it, or with a turn without one.

        Args:
            name: tool called; null when the reply held no call, so that a rule may find one.
            raw_arguments: argument text as written.
            raw_text: what the model wrote besides the call.
            admissible: commands the environment offers now.
            is_new_turn: false for the second and later calls of one reply.

        Raises:
            SandboxError: the sandbox is gone.
        """
        return self._run(
            self._session.before_call(
                name,
                raw_arguments,
                raw_text=raw_text,
                admissible=admissible,
                is_new_turn=is_new_turn,
            )
        )

    def before_reply(
        self,
        calls: Sequence[WrittenCall],
        *,
        raw_text: str = "",
        admissible: Sequence[str] | None = None,
    ) -> list[Decision]:
        """Decide what to do with all calls of one reply before any of them is executed.

        Gives one decision for each call, and one about the reply itself when it holds none.
        `after_result` is then called once for each, in their order.

        Raises:
            SandboxError: the sandbox is gone.
        """
        return self._run(
            self._session.before_reply(calls, raw_text=raw_text, admissible=admissible)
        )

    def after_result(
        self,
        call: CallLike | None,
        observation: str,
        *,
        is_error: bool = False,
        admissible: Sequence[str] | None = None,
    ) -> Regulated:
        """Take note of what came back and decide what follows.

        `call` is what was executed; null when nothing was. A call without a `before_call` is a
        forced one and spends budget of its own.

        Raises:
            SandboxError: the sandbox is gone.
        """
        return self._run(
            self._session.after_result(call, observation, is_error=is_error, admissible=admissible)
        )

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._sandbox is not None:
            return self._sandbox.wait(work)
        # Without rules there is nothing to wait for, so the first step is the last one.
        try:
            work.send(None)
        except StopIteration as done:
            return done.value
        work.close()
        msg = "a session without a sandbox had to wait"
        raise SandboxError(msg)
