"""How far a stage is: stages count what they do, and whoever runs them may listen."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol


@dataclass
class StageProgress:
    """What a running stage has done so far.

    Attributes:
        title: what the stage is called.
        done: how much of each kind of work is done, in the order in which it was begun.
        wanted: how much of it is known to be wanted; 0 where nobody knows.
        activity: what goes on beside what is counted.
    """

    title: str
    done: dict[str, int] = field(default_factory=dict[str, int])
    wanted: dict[str, int] = field(default_factory=dict[str, int])
    activity: str = ""

    @property
    def text(self) -> str:
        """Such as `3 of 9 edits tried · 412 rollouts`; empty before anything was counted."""
        return " · ".join(self._part(kind) for kind in self.done)

    def _part(self, kind: str) -> str:
        done, wanted = self.done[kind], self.wanted.get(kind, 0)
        if wanted > done:
            return f"{done} of {wanted} {kind}"
        noun, *rest = kind.split(" ")
        return " ".join([str(done), noun.removesuffix("s") if done == 1 else noun, *rest])


class Listener(Protocol):
    """Hears of stages; called often, so it must be cheap."""

    def began(self, stage: StageProgress) -> None:
        """A stage has begun."""
        ...

    def counted(self, stage: StageProgress) -> None:
        """The running stage has done something."""
        ...

    def ended(self, stage: StageProgress, *, is_done: bool) -> None:
        """The stage has ended, done or by an error."""
        ...


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)
_STAGE: ContextVar[StageProgress | None] = ContextVar("stage", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Let a listener hear of the stages that run in the block."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def in_stage(title: str) -> Iterator[None]:
    """Count what the block does under a title."""
    stage, listener = StageProgress(title), _LISTENER.get()
    token = _STAGE.set(stage)
    if listener is not None:
        listener.began(stage)
    is_done = False
    try:
        yield
        is_done = True
    finally:
        _STAGE.reset(token)
        if listener is not None:
            listener.ended(stage, is_done=is_done)


def expect(kind: str, more: int) -> None:
    """Say that more of a kind of work is to come in the running stage."""
    stage = _STAGE.get()
    if stage is not None and more:
        stage.done.setdefault(kind, 0)
        stage.wanted[kind] = stage.wanted.get(kind, 0) + more


@contextmanager
def doing(activity: str) -> Iterator[None]:
    """Name what the block does in the running stage, where nothing can be counted."""
    stage = _STAGE.get()
    if stage is None:
        yield
        return
    stage.activity = activity
    try:
        yield
    finally:
        stage.activity = ""


def count(kind: str, by: int = 1) -> None:
    """Say that some of it is done."""
    stage, listener = _STAGE.get(), _LISTENER.get()
    if stage is None:
        return
    stage.done[kind] = stage.done.get(kind, 0) + by
    if listener is not None:
        listener.counted(stage)
