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
from tasks.agent.protocols import (
    ActResult,
    Blocking,
    Call,
    Closeable,
    Environment,
    Task,
    Verdict,
    World,
)

P = ParamSpec("P")
T = TypeVar("T")
MESSAGE_LENGTH = 300


async def _ask(
    environment: Environment, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Ask a world, in a thread if it waits for something outside.

    Raises:
        EnvironmentFault: the world raised anything at all.
    """
    try:
        if isinstance(environment, Blocking) and environment.is_blocking:
            return await asyncio.to_thread(ask, *args, **kwargs)
        return ask(*args, **kwargs)
    except EnvironmentFault:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:MESSAGE_LENGTH]
        message = f"environment `{environment.name}` crashed: {clean_text(what)}"
        raise EnvironmentFault(message) from error


@dataclass
class WorldDriver:
    """One running world with what the loop needs to know of its present state."""

    environment: Environment
    world: World
    opening: str = ""
    state_hash: str = ""
    admissible: tuple[str, ...] | None = None

    @classmethod
    async def start(cls, environment: Environment, task: Task, seed: int) -> "WorldDriver":
        """Begin an episode.

        Raises:
            EnvironmentFault: the world could not be started.
        """
        driver = cls(environment, await _ask(environment, environment.start, task, seed))
        try:
            driver.opening = clean_text(await _ask(environment, lambda: driver.world.opening))
            await driver._look()
        except BaseException:
            await driver.close()
            raise
        return driver

    async def _look(self) -> None:
        state = await _ask(self.environment, self.world.snapshot)
        self.state_hash = hashlib.sha256(state).hexdigest()
        listed = await _ask(self.environment, self.world.admissible)
        self.admissible = None if listed is None else tuple(clean_text(item) for item in listed)

    async def act(self, call: Call) -> ActResult:
        """Execute a call and take note of the new state."""
        result = await _ask(self.environment, self.world.act, call)
        await self._look()
        return ActResult(
            clean_text(result.observation), result.is_error, result.error_kind, result.done
        )

    async def verdict(self) -> Verdict:
        """Judge the present state.

        Raises:
            EnvironmentFault: there is no verdict that can be stored.
        """
        verdict = await _ask(self.environment, self.world.verdict)
        if not math.isfinite(verdict.reward):
            what = f"environment `{self.environment.name}` gave the reward {verdict.reward}"
            raise EnvironmentFault(what, hint="a reward is a finite number")
        parts = await _ask(self.environment, clean_value, dict(verdict.parts))
        return Verdict(verdict.outcome, verdict.reward, parts)

    async def close(self) -> None:
        """Give back what the world holds."""
        if isinstance(self.world, Closeable):
            await _ask(self.environment, self.world.close)
