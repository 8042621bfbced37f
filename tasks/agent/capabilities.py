"""What an environment may offer beyond what it must; stages that can use it ask for it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from tasks.agent.protocols import ActResult, Call, Model, Task, World


@runtime_checkable
class HasExpert(Protocol):
    """An environment that knows a policy which solves every task."""

    def expert_call(self, task: Task, world: World) -> Call:
        """Next call of the expert in the present state of the world."""
        ...


@runtime_checkable
class Forkable(Protocol):
    """An environment whose worlds restore bit-exactly."""

    is_forkable: bool


@runtime_checkable
class HasGoldTexts(Protocol):
    """An environment that gives its gold answers out, so that edits can be scanned for them."""

    def gold_texts(self) -> tuple[str, ...]:
        """Gold answers and statements of all splits; an editor never sees them."""
        ...


@runtime_checkable
class Talking(Protocol):
    """An environment in which a tool speaks to a user, whose answer is its result."""

    talk_tools: frozenset[str]


@runtime_checkable
class HasUser(Protocol):
    """An environment whose user a model plays; its worlds are `Conversing`."""

    user: Model


@runtime_checkable
class Conversing(World, Protocol):
    """A world that waits for its user to speak, at its beginning or after a call."""

    def user_turn(self) -> Sequence[Mapping[str, Any]] | None:
        """What the user has been told and has said, in chat form from where the user stands.

        Null while it is not for the user to speak.
        """
        ...

    def hear(self, words: str) -> ActResult:
        """Take what the user says; the result is that of the call which spoke to the user."""
        ...


@runtime_checkable
class Reskinnable(Protocol):
    """An environment that can give the entities of a task other names."""

    def reskin(self, task: Task, seed: int) -> Task:
        """The same problem under other names: same id and steps, another text and `skin`.

        `start` must know it; the same seed gives the same names. A task that has no other names
        comes back as it is.
        """
        ...


@runtime_checkable
class Blocking(Protocol):
    """An environment whose worlds wait for something outside; they are asked in a thread."""

    is_blocking: bool


@runtime_checkable
class Shared(Protocol):
    """An environment whose worlds have something in common, so that few may be open at a time."""

    together: int
    """Most worlds that are open at the same time."""


@runtime_checkable
class Noisy(Protocol):
    """An environment in which equal runs need not end alike."""

    noise: str
    """Why they may differ, for people; empty when they cannot."""


@runtime_checkable
class Lasting(Protocol):
    """An environment that acts on something outside of it, such as a service."""

    lasting_tools: frozenset[str]
    """Tools whose effects outlive an episode; empty where each begins in the same state."""


@runtime_checkable
class Closeable(Protocol):
    """A world that holds something which must be given back when the episode is over."""

    def close(self) -> None:
        """Give it back; called once."""
        ...
