"""The only place that touches a running world: its failures become faults, its text clean."""

import asyncio
import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, ParamSpec, TypeVar

from schemas.errors import EnvironmentFault, UserFault
from schemas.text import clean_text
from tasks.agent.arguments import clean_value
from tasks.agent.capabilities import Blocking, Closeable, Conversing
from tasks.agent.protocols import (
    ActResult,
    Call,
    Ending,
    Environment,
    EpisodeContext,
    Task,
    Verdict,
    World,
)
from tasks.agent.user_talk import UserTalk, open_user

P = ParamSpec("P")
T = TypeVar("T")
MESSAGE_LENGTH = 300


@dataclass
class WorldDriver:
    """One running world with what the loop needs to know of its present state.

    Attributes:
        user: whoever plays the user, where a model does.
        ended_as: how the world ended the episode, once it has.
    """

    environment: Environment
    is_blocking: bool
    _world: World | None = None
    opening: str = ""
    state_hash: str = ""
    admissible: tuple[str, ...] | None = None
    user: UserTalk | None = None
    ended_as: Ending = "finished"

    @classmethod
    async def start(
        cls, environment: Environment, task: Task, seed: int, repeat: int = 0
    ) -> "WorldDriver":
        """Begin an episode; a user who speaks first is heard by `open_talk`.

        Raises:
            EnvironmentFault: the world could not be started.
        """
        is_blocking = isinstance(environment, Blocking) and environment.is_blocking
        driver = cls(environment, is_blocking)
        driver._world = await driver._ask(environment.start, task, seed)
        try:
            driver.opening, sight = await driver._ask(_open, driver.world)
            driver._take_note(sight)
            context = EpisodeContext(environment, task, driver.world, seed, repeat)
            driver.user = open_user(context)
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

    def _take_note(self, sight: "_Sight") -> None:
        self.state_hash, self.admissible = sight

    async def act(self, call: Call) -> ActResult:
        """Execute a call and take note of the new state; a user it speaks to answers.

        Raises:
            EnvironmentFault: the world crashed, or its user could not answer.
            CapReached: the run may spend no more.
        """
        result, sight = await self._ask(_act, self.world, call)
        self._take_note(sight)
        result = await self._hear_user() or result
        if result.done:
            self.ended_as = result.ended_as
        return result

    async def open_talk(self) -> None:
        """Put what a user says first behind what opens the episode.

        Raises:
            EnvironmentFault: the world crashed, or its user could not speak.
            CapReached: the run may spend no more.
        """
        said = await self._hear_user()
        if said is None:
            return
        if said.done:
            what = f"the user of `{self.environment.name}` ended the talk before it began"
            raise UserFault(what, kind="silent", hint="take a stronger model for the role user")
        self.opening = "\n\n".join(text for text in (self.opening, said.observation) if text)

    async def _hear_user(self) -> ActResult | None:
        """Let the user speak, if it is for the user to speak."""
        world = self.world
        if self.user is None or not isinstance(world, Conversing):
            return None
        turn = await self._ask(world.user_turn)
        if turn is None:
            return None
        words = await self.user.say(turn)
        result, sight = await self._ask(_hear, world, words)
        self._take_note(sight)
        return result

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


class _Sight(NamedTuple):
    """A world as it is now."""

    state_hash: str
    admissible: tuple[str, ...] | None


# Each of these is one visit to the world's thread, which costs more than most of what is asked.
def _open(world: World) -> tuple[str, _Sight]:
    return clean_text(world.opening), _look(world)


def _act(world: World, call: Call) -> tuple[ActResult, _Sight]:
    return _clean(world.act(call)), _look(world)


def _hear(world: Conversing, words: str) -> tuple[ActResult, _Sight]:
    return _clean(world.hear(words)), _look(world)


def _clean(result: ActResult) -> ActResult:
    return replace(result, observation=clean_text(result.observation))


def _look(world: World) -> _Sight:
    state = hashlib.sha256(world.snapshot()).hexdigest()
    listed = world.admissible()
    return _Sight(state, None if listed is None else tuple(map(clean_text, listed)))
