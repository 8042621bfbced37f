"""`Session` for code that does not await: the same one, its rules in a `SyncSandbox`."""

from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import JsonValue

from .errors import SandboxError
from .harness import Harness
from .session import Session
from .sync_sandbox import SyncSandbox
from .text import JsonObject
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

    def offer(self, tools: Sequence[Mapping[str, JsonValue]]) -> list[JsonObject]:
        """Tools with the hints of the contract, and with the one that loads skills."""
        return self._session.offer(tools)

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
