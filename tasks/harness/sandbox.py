"""The sandbox: rules run in worker processes of pydantic-monty, bounded and deterministic.

One feed holds the source of a rule file and the calls of all its rules, on a fresh checkout
that is neither reused nor held over a model call; sessions that ask the same file at the same
time may share it (`feeds.py`). When a feed dies, each rule runs alone to find the guilty one; a
rule that runs out of time or memory, or takes its worker down, must do so twice before it is
blamed, because a busy machine can do that to an innocent one.

Feeds run in threads on pydantic-monty's blocking pool: its asyncio pool costs twice the CPU
and aborts the interpreter at exit in a good third of runs (1.4.0, Python 3.11).
"""

import asyncio
import datetime
import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Literal, Self, TypeVar

import pydantic_monty as monty

from .driver import PAYLOADS, PRELUDE_LINES, feed_code
from .errors import SandboxError
from .feeds import FeedQueue
from .rules import Rule, RuleFile
from .timeline import Timeline
from .values import FaultKind, RuleLayer

CLOCK = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
MAX_MESSAGE = 300
MAX_OUTPUT_BYTES = 64 * 1024
T = TypeVar("T")
_TIMEOUT = "used up the time a rule is given"
_MEMORY = "used up the memory a rule is given"
_CRASH = "took its worker process down"
_EXHAUSTING: tuple[FaultKind, ...] = ("timeout", "memory", "crash")


@dataclass(frozen=True)
class Limits:
    """Bounds of one feed.

    Attributes:
        seconds: running time inside the worker.
        memory_bytes: memory of the sandboxed code.
        request_seconds: time after which a worker that does not answer is killed.
        extra_point_seconds: more time for each further point of a feed with many.
    """

    seconds: float = 0.25
    memory_bytes: int = 64 * 1024 * 1024
    request_seconds: float = 2.0
    extra_point_seconds: float = 0.01


@dataclass(frozen=True)
class RuleOutcome:
    """What one rule did at one point: nothing, a result as JSON text, or a fault."""

    rule: str
    result: str | None = None
    fault: FaultKind | None = None
    message: str = ""

    @property
    def is_exhausting(self) -> bool:
        """Whether the rule used up the sandbox, so that calling it again costs dearly."""
        return self.fault in _EXHAUSTING


@dataclass(frozen=True)
class _Feed:
    """A finished feed: outcomes by point, or why there are none."""

    outcomes: tuple[tuple[RuleOutcome, ...], ...] = ()
    is_pure: bool = True
    fault: FaultKind | None = None
    message: str = ""


class Sandbox:
    """Owns the worker processes; create one, share it between any number of sessions.

    Use as an async context manager; sessions of several event loops may share one.
    """

    def __init__(self, *, workers: int | None = None, limits: Limits | None = None) -> None:
        """Set up; nothing starts before `async with`. `workers` defaults to the CPU count."""
        self.limits = limits or Limits()
        count = workers or os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="sandbox")
        self._queue = FeedQueue(self._run_feed, self._threads, count)
        self._pool = monty.Monty(
            min_processes=1,
            max_processes=count,
            request_timeout=self.limits.request_seconds,
            feed_duration_limit_grace=max(0.25, self.limits.seconds),
        )

    async def __aenter__(self) -> Self:
        """Start the workers.

        Raises:
            SandboxError: no worker can be started.
        """
        try:
            await self._in_thread(self._pool.__enter__)
        except (monty.MontyError, OSError, RuntimeError) as error:
            self._threads.shutdown(wait=False)
            msg = f"the sandbox cannot be started: {error}"
            raise SandboxError(msg) from error
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the workers."""
        await self._in_thread(partial(self._pool.__exit__, kind, error, trace))
        self._threads.shutdown(wait=True)

    async def evaluate(
        self, rules: RuleFile, timeline: Timeline, *, skip: Collection[str] = ()
    ) -> list[tuple[RuleOutcome, ...]]:
        """Ask all rules at every point; only rules that did something are in the outcomes.

        Many points cost one feed, and give what asking at each point alone gives: a file that
        could keep state between calls is asked point by point in fresh feeds, and so is a
        timeline that a rule has changed.

        Raises:
            SandboxError: the sandbox itself is gone.
        """
        asked = [rule for rule in rules.rules if rule.name not in skip]
        if not asked or not timeline.points:
            return [()] * len(timeline.points)
        many = len(timeline.points) > 1
        if not many or rules.is_stateless:
            code = feed_code(
                rules.layer, rules.source, [rule.name for rule in asked], kept=rules.tracked
            )
            feed = await self._feed(code, asked, timeline, is_shareable=rules.is_stateless)
            if feed.fault is None and (feed.is_pure or (not many and len(asked) == 1)):
                return list(feed.outcomes)
        if many:
            found = [
                await self.evaluate(rules, timeline.at(index), skip=skip)
                for index in range(len(timeline.points))
            ]
            return [outcomes[0] for outcomes in found]
        alone = [await self._alone(rules.layer, rule, timeline) for rule in asked]
        return [tuple(outcome for outcome in alone if outcome is not None)]

    async def _alone(self, layer: RuleLayer, rule: Rule, at: Timeline) -> RuleOutcome | None:
        code = feed_code(layer, rule.source, [rule.name])
        feed = await self._feed(code, [rule], at)
        if feed.fault in _EXHAUSTING:
            feed = await self._feed(code, [rule], at)
        if feed.fault is not None:
            return RuleOutcome(rule.name, fault=feed.fault, message=feed.message)
        return next(iter(feed.outcomes[0]), None)

    async def _feed(
        self, code: str, rules: Sequence[Rule], timeline: Timeline, *, is_shareable: bool = False
    ) -> _Feed:
        points = len(timeline.points)
        try:
            read = await self._queue.ask(
                code, timeline.payload(), points, is_shareable=is_shareable
            )
        except monty.MontyError as error:
            kind, message = explain(error)
            return _Feed(fault=kind, message=message)
        if read is None:
            return _Feed(fault="bad_result", message="the file tampers with how rules are called")
        outcomes: list[list[RuleOutcome]] = [[] for _ in timeline.points]
        for point, position, status, text in read.rows:
            outcomes[point].append(read_outcome(rules[position].name, status, text))
        return _Feed(tuple(tuple(found) for found in outcomes), is_pure=read.is_pure)

    def _run_feed(self, code: str, payloads: Sequence[str], points: int) -> object:
        seconds = self.limits.seconds + self.limits.extra_point_seconds * (points - 1)
        return _feed_once(self._checkout(seconds), code, {PAYLOADS: list(payloads)})

    async def run(
        self,
        code: str,
        inputs: dict[str, object],
        *,
        seconds: float,
        process_time: Literal["zero", "elapsed"] = "zero",
    ) -> object:
        """Run code on a checkout of its own and give its last value.

        Raises:
            MontyError: the code failed.
            SandboxError: there is no worker to run it.
        """
        session = self._checkout(seconds, process_time)
        return await self._in_thread(partial(_feed_once, session, code, inputs))

    def _checkout(
        self, seconds: float, process_time: Literal["zero", "elapsed"] = "zero"
    ) -> monty.MontySession:
        return self._pool.checkout(
            limits={
                "max_feed_duration_secs": seconds,
                "max_memory": self.limits.memory_bytes,
                "max_recursion_depth": 200,
                "max_suspensions": 64,
            },
            os_policy={
                "datetime": CLOCK,
                "random_start": {"seed": 0},
                "sleep": "zero",
                "process_time": process_time,
            },
        )

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            future = self._threads.submit(work)
        except RuntimeError as error:
            msg = f"the sandbox is closed: {error}"
            raise SandboxError(msg) from error
        return await asyncio.wrap_future(future)


def _feed_once(session: monty.MontySession, code: str, inputs: dict[str, object]) -> object:
    try:
        entered = session.__enter__()
    except (monty.MontyError, OSError, RuntimeError) as error:
        msg = f"the sandbox has no worker: {error}"
        raise SandboxError(msg) from error
    try:
        output = monty.CollectString(MAX_OUTPUT_BYTES)
        return entered.feed_run(code, inputs=inputs, print_callback=output)
    finally:
        session.__exit__(None, None, None)


def read_outcome(rule: str, status: str, text: str) -> RuleOutcome:
    """Read one row of a feed."""
    if status == "result":
        return RuleOutcome(rule, result=text)
    if status == "large":
        return RuleOutcome(rule, fault="bad_result", message="the result is too large")
    return RuleOutcome(rule, fault="error", message=text[:MAX_MESSAGE])


def explain(error: monty.MontyError) -> tuple[FaultKind, str]:
    """Say how a feed died: kind of fault and one bounded line, the same on every machine."""
    if isinstance(error, monty.MontyCrashedError):
        return ("timeout", _TIMEOUT) if error.timed_out else ("crash", _CRASH)
    message = " ".join(str(error).split())[:MAX_MESSAGE]
    if isinstance(error, monty.MontyRuntimeError):
        inner = error.exception()
        if isinstance(inner, TimeoutError) and "time limit" in message:
            return "timeout", _TIMEOUT
        if isinstance(inner, MemoryError):
            return "memory", _MEMORY
    line = _line_of(error)
    return "error", f"{message} (line {line})" if line else message


def _line_of(error: monty.MontyError) -> int | None:
    if not isinstance(error, monty.MontyRuntimeError | monty.MontySyntaxError):
        return None
    frames = error.traceback()
    line = frames[-1].line - PRELUDE_LINES if frames else 0
    return line if line > 0 else None
