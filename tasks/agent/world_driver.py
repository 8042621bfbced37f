"""The only place that touches a running world: its failures become faults, its text clean."""

import asyncio
import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from schemas.errors import EnvironmentFault
from schemas.text import clean_text
from tasks.agent.arguments import clean_value
from tasks.agent.capabilities import Blocking, Closeable
from tasks.agent.protocols import ActResult, Call, Environment, Task, Verdict, World

P = ParamSpec("P")
T = TypeVar("T")
MESSAGE_LENGTH = 300


@dataclass
class WorldDriver:
    """One running world with what the loop needs to know of its present state."""

    environment: Environment
    is_blocking: bool
    _world: World | None = None
    opening: str = ""
    state_hash: str = ""
    admissible: tuple[str, ...] | None = None

    @classmethod
    async def start(cls, environment: Environment, task: Task, seed: int) -> "WorldDriver":
        """Begin an episode.

        Raises:
            EnvironmentFault: the world could not be started.
        """
        is_blocking = isinstance(environment, Blocking) and environment.is_blocking
        driver = cls(environment, is_blocking)
        driver._world = await driver._ask(environment.start, task, seed)
        try:
            driver.opening = clean_text(await driver._ask(lambda: driver.world.opening))
            await driver._look()
        except BaseException:
            await driver.close()
            raise
        return driver

    @property
    def world(self) -> World:
        """The running world."""
        if self._world is None:
            message = f"environment `{self.environment.name}` has not been started"
            raise EnvironmentFault(message)
        return self._world

    async def _ask(self, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask the world, in a thread if it waits for something outside.

        Raises:
            EnvironmentFault: it raised anything at all.
        """
        try:
            if self.is_blocking:
                return await asyncio.to_thread(ask, *args, **kwargs)
            return ask(*args, **kwargs)
        except EnvironmentFault:
            raise
        except Exception as error:
            what = clean_text(f"{type(error).__name__}: {error}"[:MESSAGE_LENGTH])
            message = f"environment `{self.environment.name}` crashed: {what}"
            raise EnvironmentFault(message) from error

    async def _look(self) -> None:
        state = await self._ask(self.world.snapshot)
        self.state_hash = hashlib.sha256(state).hexdigest()
        listed = await self._ask(self.world.admissible)
        self.admissible = None if listed is None else tuple(clean_text(item) for item in listed)

    async def act(self, call: Call) -> ActResult:
        """Execute a call and take note of the new state."""
        result = await self._ask(self.world.act, call)
        await self._look()
        return ActResult(
            clean_text(result.observation), result.is_error, result.error_kind, result.done
        )

    async def verdict(self) -> Verdict:
        """Judge the present state.

        Raises:
            EnvironmentFault: there is no verdict that can be stored.
        """
        verdict = await self._ask(self.world.verdict)
        if not math.isfinite(verdict.reward):
            what = f"environment `{self.environment.name}` gave the reward {verdict.reward}"
            raise EnvironmentFault(what, hint="a reward is a finite number")
        parts = await self._ask(clean_value, dict(verdict.parts))
        return Verdict(verdict.outcome, verdict.reward, parts)

    async def close(self) -> None:
        """Give back what the world holds."""
        if isinstance(self.world, Closeable):
            await self._ask(self.world.close)
