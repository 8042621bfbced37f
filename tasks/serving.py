"""The proxy as a process: harnesses, sandbox, journal and server put together."""

import asyncio
import gc
import logging
import signal
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from schemas.errors import ConfigError
from tasks.harness import Harness, HarnessError, Sandbox, SandboxError, Session
from tasks.harness.rules import RuleFile
from tasks.harness.sandbox import RuleOutcome
from tasks.harness.timeline import Timeline
from tasks.proxy.arms import Policy
from tasks.proxy.server import Address, listen, open_client
from tasks.proxy.service import Service
from tasks.proxy.upstream import HttpUpstream
from tasks.serving_policy import open_policy
from tasks.traffic import untouched
from tasks.traffic_journal import Journal, traffic_folder
from tasks.workbench import Workbench

logger = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "::1", "localhost")
ENDING = (signal.SIGINT, signal.SIGTERM)
REOPEN_S = 30.0
"""Seconds before a sandbox that died is opened again."""


@dataclass(frozen=True)
class ServeOptions:
    """What a user asked for; see the options of `tackroom runtime serve`."""

    upstream: str
    harness: str = ""
    environment: str = ""
    control: str = ""
    mode: str = "enforce"
    host: str = "127.0.0.1"
    port: int = 0
    token: str = ""
    budget: int | None = None
    timeout_s: float = 600.0
    steers_all: bool = False


@dataclass
class SandboxKeeper:
    """Runs rules in the sandbox there is; opens another one when it died."""

    _sandbox: Sandbox | None = field(default=None, init=False)
    _opening: asyncio.Task[None] | None = field(default=None, init=False)
    _tried: float = field(default=-REOPEN_S, init=False)

    async def evaluate(
        self, rules: RuleFile, timeline: Timeline, *, skip: Collection[str] = ()
    ) -> list[tuple[RuleOutcome, ...]]:
        """What the rules do.

        Raises:
            SandboxError: there is no sandbox at the moment.
        """
        if self._sandbox is None:
            self._reopen()
            message = "there is no sandbox at the moment"
            raise SandboxError(message)
        try:
            return await self._sandbox.evaluate(rules, timeline, skip=skip)
        except SandboxError:
            self._sandbox = None
            self._reopen()
            raise

    async def open(self) -> None:
        """Open one; without one the proxy goes on and changes no call."""
        sandbox = Sandbox()
        try:
            await sandbox.__aenter__()
        except SandboxError as error:
            logger.warning("no sandbox: %s", error)
            return
        self._sandbox = sandbox

    async def close(self) -> None:
        """Give the workers back."""
        if self._sandbox is not None:
            await self._sandbox.__aexit__(None, None, None)

    def _reopen(self) -> None:
        loop = asyncio.get_running_loop()
        is_opening = self._opening is not None and not self._opening.done()
        if is_opening or loop.time() - self._tried < REOPEN_S:
            return
        self._tried = loop.time()
        self._opening = loop.create_task(self.open())


def serve(options: ServeOptions, on_ready: Callable[[str], None]) -> None:
    """Serve until interrupted; `on_ready` hears the base URL for clients.

    Raises:
        ConfigError: the harness, the mode or the address cannot be used.
    """
    bench = Workbench.open()
    asyncio.run(_serve(bench, open_policy(bench, options), options, on_ready))


async def _serve(
    bench: Workbench,
    policy: Callable[[], Policy],
    options: ServeOptions,
    on_ready: Callable[[str], None],
) -> None:
    address = _address(options)
    environment = policy().treatment.environment
    journal = Journal(traffic_folder(bench.settings.home), bench.now)
    keeper = SandboxKeeper()
    await keeper.open()
    try:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(open_client())
            service = Service(
                upstream=HttpUpstream(address.upstream, client, address.timeout_s),
                policy=policy,
                sandbox=keeper,
                record=journal,
                now=lambda: datetime.now(UTC),
                empty=untouched(environment),
                budget=options.budget,
                steers_all=options.steers_all,
            )
            try:
                url = await stack.enter_async_context(listen(service, client, address))
            except OSError as error:
                what = f"cannot listen on {address.host}:{address.port}: {error.strerror}"
                raise ConfigError(what, hint="name another --port") from error
            _warm_up(policy().treatment)
            on_ready(url)
            await _interrupted()
    finally:
        journal.close()
        await keeper.close()


def _warm_up(harness: Harness) -> None:
    """Do before the first request what would hold it up: late imports, and garbage of the start.

    What is there now stays, so collections under load need not look at it: with it one takes a
    tenth of a second, in which every request waits.
    """
    with suppress(HarnessError):
        Session(harness, "", []).condition([{"role": "user", "content": ""}], [])
    gc.collect()
    gc.freeze()


async def _interrupted() -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in ENDING:
        loop.add_signal_handler(number, ended.set)
    await ended.wait()
    # Whoever asks twice does not want to wait for requests under way; the journal is complete.
    for number in ENDING:
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)


def _address(options: ServeOptions) -> Address:
    upstream = options.upstream.rstrip("/")
    if not upstream.startswith(("http://", "https://")):
        what = f"--upstream: `{options.upstream[:100]}` is not an http(s) address"
        raise ConfigError(what, hint="it looks like https://api.example.com/v1")
    if options.host not in LOOPBACK and not options.token:
        what = f"--host {options.host} lets other machines in, and no token is set"
        raise ConfigError(what, hint="set TACKROOM_RUNTIME_TOKEN, or stay on 127.0.0.1")
    return Address(options.host, options.port, upstream, options.timeout_s, options.token)
