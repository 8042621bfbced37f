"""Feeds on their way into the sandbox: those that wait with the same code go in together.

Taking a worker and parsing a rule file costs more than asking its rules once, and under load many
sessions wait with the same file. A file that can keep nothing between calls gives each of them
what it would give it alone; where that turns out otherwise, and where a feed dies, each is asked
alone.
"""

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil

from .driver import FeedResult, read_feed
from .errors import SandboxError

MOST_TOGETHER = 16
MOST_CHARS = 256_000
"""Characters of payload that go in together at most; one feed alone may have more."""
RunFeed = Callable[[str, Sequence[str], int], object]
"""Runs code on payloads with so many points in all, in the thread it is called in."""


@dataclass(frozen=True, eq=False)
class Request:
    """One payload for a piece of code, and who waits for what comes of it."""

    code: str
    payload: str
    points: int
    is_shareable: bool
    future: asyncio.Future[FeedResult | None]
    loop: asyncio.AbstractEventLoop

    @property
    def group(self) -> object:
        """What requests that may go in together have in common."""
        return self.code if self.is_shareable else self


@dataclass(eq=False)
class FeedQueue:
    """Hands requests to the threads of a pool, at most `width` at a time."""

    run: RunFeed
    threads: ThreadPoolExecutor
    width: int
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: OrderedDict[object, deque[Request]] = field(
        default_factory=OrderedDict[object, deque[Request]]
    )
    _active: int = 0

    async def ask(
        self, code: str, payload: str, points: int, *, is_shareable: bool
    ) -> FeedResult | None:
        """What the code gives for a payload; null when rules have tampered with the call.

        Raises:
            MontyError: the code died on this payload.
            SandboxError: there is no worker to run it.
        """
        loop = asyncio.get_running_loop()
        request = Request(code, payload, points, is_shareable, loop.create_future(), loop)
        with self._lock:
            self._waiting.setdefault(request.group, deque()).append(request)
            has_room = self._active < self.width
            self._active += has_room
        if has_room:
            self._start()
        return await request.future

    def _start(self) -> None:
        try:
            self.threads.submit(self._serve)
        except RuntimeError as error:
            with self._lock:
                self._active -= 1
            msg = f"the sandbox is closed: {error}"
            raise SandboxError(msg) from error

    def _serve(self) -> None:
        """Answer some requests, then make room for whatever else the pool has to do."""
        with self._lock:
            together = self._take()
            if not together:
                self._active -= 1
                return
        for request, answer in self._answer(together):
            _tell(request, answer)
        try:
            self.threads.submit(self._serve)
        except RuntimeError:
            self._give_up()

    def _take(self) -> list[Request]:
        """The oldest request, and those that may go with it, in fair shares for all workers."""
        if not self._waiting:
            return []
        group, requests = next(iter(self._waiting.items()))
        share = min(MOST_TOGETHER, ceil(len(requests) / self.width))
        taken = [requests.popleft()]
        chars = len(taken[0].payload)
        while requests and len(taken) < share:
            chars += len(requests[0].payload)
            if chars > MOST_CHARS:
                break
            taken.append(requests.popleft())
        if requests:
            self._waiting.move_to_end(group)
        else:
            del self._waiting[group]
        return taken

    def _answer(
        self, together: Sequence[Request]
    ) -> Sequence[tuple[Request, FeedResult | Exception | None]]:
        if len(together) > 1:
            results = self._feed_all(together)
            if results is not None and all(result.is_pure for result in results):
                return list(zip(together, results, strict=True))
        return [(request, self._answer_alone(request)) for request in together]

    def _feed_all(self, together: Sequence[Request]) -> list[FeedResult] | None:
        try:
            return self._feed(together)
        except Exception:  # asking each alone tells whose it is
            return None

    def _answer_alone(self, request: Request) -> FeedResult | Exception | None:
        try:
            results = self._feed([request])
        except Exception as error:  # whatever it is, it belongs to whoever asked
            return error
        return results[0] if results else None

    def _feed(self, together: Sequence[Request]) -> list[FeedResult] | None:
        payloads = [request.payload for request in together]
        points = sum(request.points for request in together)
        return read_feed(self.run(together[0].code, payloads, points), len(together))

    def _give_up(self) -> None:
        """The pool has been closed: nobody will serve those that still wait."""
        with self._lock:
            self._active -= 1
            left = [request for requests in self._waiting.values() for request in requests]
            self._waiting.clear()
        for request in left:
            _tell(request, SandboxError("the sandbox is closed"))


def _tell(request: Request, answer: FeedResult | Exception | None) -> None:
    # Whoever asked may have gone, and its event loop with it.
    with suppress(RuntimeError):
        request.loop.call_soon_threadsafe(_settle, request.future, answer)


def _settle(
    future: asyncio.Future[FeedResult | None], answer: FeedResult | Exception | None
) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
