"""An environment in a child process: a user's factory, a program in any language, a known world.

What is said to the child is documented in docs/world-protocol.md. A crash or hang of the child is
an `EnvironmentFault` of the world that was being asked; the other worlds go on in a new child, in
which they are brought back to where they were.
"""

import itertools
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from schemas.errors import ConfigError, EnvironmentFault
from schemas.fields import Split
from schemas.ids import canonical_json, sha256_hex
from tasks.agent.protocols import ActResult, Call, JsonObject, Model, Task, ToolSpec, Verdict, World
from tasks.environments.host_commands import read_command
from tasks.environments.host_process import Answer, Child, ChildGone, Command
from tasks.environments.host_values import (
    Described,
    read_act_result,
    read_admissible,
    read_call,
    read_description,
    read_turn,
    read_verdict,
)

T = TypeVar("T")
ANSWER_S = 60.0
START_S = 120.0
CHANGING = frozenset({"act", "hear", "restore"})
"""Requests after which a world may look different."""
MAX_CHILDREN = 3
"""Children one request tries: each may be ended by another world before it comes to it."""


def open_environment(
    word: str, *, python: str | None = None, answer_s: float = ANSWER_S, start_s: float = START_S
) -> "HostedEnvironment":
    """Open the environment that a factory makes or a program is.

    Raises:
        ConfigError: the word is neither, or what it names cannot be started, breaks, or is no
            environment.
    """
    return HostedEnvironment(read_command(word, python), answer_s, start_s)


class HostedEnvironment:
    """Implements `Environment`; optional attributes are there only if the user's has them."""

    is_blocking = True

    def __init__(
        self, command: Command, answer_s: float = ANSWER_S, start_s: float = START_S
    ) -> None:
        self._command, self._answer_s, self._start_s = command, answer_s, start_s
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._ids = itertools.count(1)
        told = self._describe()
        self.name = told.name
        self.tools: tuple[ToolSpec, ...] = told.tools
        self.system_prompt = told.system_prompt
        self.step_budget = told.step_budget
        self.terminal_tools = told.terminal_tools
        self.non_progress = told.non_progress
        self.is_forkable = told.is_forkable
        self.fingerprint = told.fingerprint
        self.has_user = told.has_user
        self._tasks = told.tasks
        self._offer_options(told)

    def _describe(self) -> Described:
        try:
            raw = self.child().ask("describe", self._start_s).ok
        except EnvironmentFault as error:
            self.close()
            word = self._command.word
            reason = error.what.removeprefix(f"`{word}`: ")
            what = f"environment `{word}` cannot be opened: {reason}"
            raise ConfigError(what, hint=error.hint) from error
        try:
            return read_description(self._command.word, raw)
        except ConfigError:
            self.close()
            raise

    def _offer_options(self, told: Described) -> None:
        for name, value in told.options.items():
            setattr(self, name, value)
        if told.has_expert:
            self.expert_call = self._ask_expert
        if told.gold_texts is not None:
            texts = told.gold_texts
            self.gold_texts = lambda: texts

    def take_user(self, user: Model) -> None:
        """Let a model play the user: episodes are of that model too, and end by its chance."""
        self.user = user
        self.fingerprint = sha256_hex(canonical_json([self.fingerprint, user.fingerprint]))[:16]
        told = (getattr(self, "noise", ""), f"a model ({user.name}) plays the user")
        self.noise = "; ".join(part for part in told if part)

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """Tasks of a split, in the order of the user's environment."""
        return tuple(task for task in self._tasks if task.split == split)

    def start(self, task: Task, seed: int) -> "HostedWorld":
        """Begin an episode; a child that has ended is replaced."""
        return HostedWorld(self, next(self._ids), task, seed)

    def _ask_expert(self, task: Task, world: World) -> Call:
        """Next call of the user's own policy."""
        if not isinstance(world, HostedWorld):
            what = f"{self.name} was given a world of type {type(world).__name__}"
            raise ConfigError(what, hint="pass a world made by `start`")
        return world.expert_call(task)

    def child(self) -> Child:
        """The running child; a new one when there is none.

        Raises:
            EnvironmentFault: it does not come up.
        """
        with self._lock:
            if self._child is None or not self._child.is_alive:
                self._child = Child(self._command, self._start_s)
            return self._child

    def ask(self, child: Child, op: str, **values: Any) -> Answer:
        """Ask a child in the time an answer may take."""
        return child.ask(op, self._answer_s, **values)

    def close(self) -> None:
        """End the child."""
        with self._lock:
            if self._child is not None:
                self._child.end()
                self._child = None

    def __del__(self) -> None:
        if hasattr(self, "_child"):
            self.close()


class HostedWorld:
    """One episode in the child; can be rebuilt in another one from what it was asked to do."""

    def __init__(self, environment: HostedEnvironment, number: int, task: Task, seed: int) -> None:
        self._environment = environment
        self._number = number
        self._task, self._seed = task, seed
        self._base: str | None = None
        self._made: list[Call | str] = []
        self._state: bytes | None = None
        self._look: Mapping[str, Any] = {}
        self._fault: EnvironmentFault | None = None
        self._child: Child | None = None
        self.opening = self._in_child(self._open)

    def _open(self, child: Child) -> str:
        self._child = child
        told = self._begin(child)
        self._look = told.look
        opening = told.ok.get("opening") if isinstance(told.ok, dict) else ""
        return opening if isinstance(opening, str) else ""

    def _begin(self, child: Child) -> Answer:
        return self._environment.ask(
            child, "start", world=self._number, task=vars(self._task), seed=self._seed
        )

    def _ask(self, op: str, **values: Any) -> Any:
        """Ask; whoever was being asked when the child ended has a fault, the others go on."""
        if self._fault is not None:
            raise self._fault

        def ask(child: Child) -> Answer:
            if child is not self._child:
                self._rebuild(child)
                self._child = child
            return self._environment.ask(child, op, world=self._number, **values)

        try:
            answer = self._in_child(ask)
        except EnvironmentFault as error:
            self._fault = error
            raise
        if op in CHANGING:
            self._look = answer.look
        return answer.ok

    def _see(self, op: str) -> Any:
        """What the child told of the present state, or tells when asked."""
        return self._look[op] if op in self._look else self._ask(op)

    def _in_child(self, ask: Callable[[Child], T]) -> T:
        """Ask in the running child, and in a new one when that has ended meanwhile."""
        for _ in range(MAX_CHILDREN - 1):
            try:
                return ask(self._environment.child())
            except ChildGone:
                continue
        return ask(self._environment.child())

    def _rebuild(self, child: Child) -> None:
        """Bring a new child to where this world was.

        Raises:
            EnvironmentFault: the world does not come to the same state again.
        """
        ask = self._environment.ask
        self._begin(child)
        if self._base is not None:
            ask(child, "restore", world=self._number, state=self._base)
        for made in self._made:
            if isinstance(made, Call):
                ask(child, "act", world=self._number, tool=made.tool, arguments=made.arguments)
            else:
                ask(child, "hear", world=self._number, words=made)
        again = _decode(ask(child, "snapshot", world=self._number).ok)
        if self._state is not None and again is not None and again != self._state:
            what = f"`{self._environment.name}` came to another state when it was begun again"
            raise EnvironmentFault(what, hint="its worlds must be deterministic")

    def act(self, call: Call) -> ActResult:
        """Execute a call."""
        result = read_act_result(self._ask("act", tool=call.tool, arguments=call.arguments))
        self._made.append(call)
        self._state = None
        return result

    def user_turn(self) -> list[JsonObject] | None:
        """What the user has been told and has said; null while it is not the user's turn."""
        return read_turn(self._see("user")) if self._environment.has_user else None

    def hear(self, words: str) -> ActResult:
        """Take what the user says; a new child is told the same words, and no model is asked."""
        result = read_act_result(self._ask("hear", words=words))
        self._made.append(words)
        self._state = None
        return result

    def admissible(self) -> tuple[str, ...] | None:
        """Commands that can be executed now."""
        return read_admissible(self._see("admissible"))

    def snapshot(self) -> bytes:
        """The state; for a world without snapshots, what it was asked to do."""
        state = _decode(self._see("snapshot"))
        self._state = state
        return self._history() if state is None else state

    def _history(self) -> bytes:
        calls = [
            [made.tool, made.arguments] if isinstance(made, Call) else made for made in self._made
        ]
        return canonical_json([self._task.task_id, self._seed, calls]).encode()

    def restore(self, state: bytes) -> None:
        """Return to a state; a world without snapshots is begun anew and led there."""
        if not self._environment.is_forkable:
            what = f"environment `{self._environment.name}` cannot restore a state"
            raise EnvironmentFault(what, hint="give it snapshot, restore and is_forkable = True")
        text = state.decode("utf-8", "surrogateescape")
        self._ask("restore", state=text)
        self._base, self._made, self._state = text, [], state

    def verdict(self) -> Verdict:
        """Judge the present state."""
        return read_verdict(self._ask("verdict"))

    def expert_call(self, task: Task) -> Call:
        """Next call of the user's own policy."""
        return read_call(self._ask("expert", task=vars(task)))

    def close(self) -> None:
        """Let the child forget this world."""
        if self._fault is None and self._child is not None and self._child.is_alive:
            self._environment.ask(self._child, "close", world=self._number)


def _decode(text: Any) -> bytes | None:
    """Bytes of a state; what is no UTF-8 in them travels as lone surrogates."""
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else None
