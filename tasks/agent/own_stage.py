"""One episode of an agent that brings a loop of its own: what it acts on, what is kept of it."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from schemas.fields import Termination
from schemas.ids import canonical_json
from tasks.agent.episode_log import EpisodeLog
from tasks.agent.protocols import ActResult, Call, EpisodeContext, JsonObject, tools_of
from tasks.agent.world_driver import WorldDriver
from tasks.harness import Harness, Sandbox
from tasks.harness.values import CallLike


@dataclass(frozen=True)
class Played:
    """How an episode ended, and what to keep of its end."""

    termination: Termination
    detail: str | None = None


@dataclass
class Acted:
    """A call that the world has executed.

    Attributes:
        is_told: whether a stored call has been found that this is the result of.
    """

    call: Call
    result: ActResult
    state_before: str
    state_after: str
    is_told: bool = False

    @property
    def arguments(self) -> str:
        """Arguments as canonical JSON."""
        return canonical_json(self.call.arguments)


@dataclass
class OwnStage:
    """World, harness and log of one episode.

    Attributes:
        acted: what the world has executed, in order.
    """

    context: EpisodeContext
    log: EpisodeLog
    driver: WorldDriver
    harness: Harness
    sandbox: Sandbox | None
    task_text: str
    budget: int
    acted: list[Acted] = field(default_factory=list[Acted])

    @property
    def is_done(self) -> bool:
        """Whether the world has ended the episode."""
        return any(one.result.done for one in self.acted)

    @property
    def tools(self) -> list[JsonObject]:
        """Tool definitions in chat form."""
        return tools_of(self.context.environment, self.context.task)

    @property
    def admissible(self) -> tuple[str, ...] | None:
        """Commands that can be executed now; null when the world does not list them."""
        return self.driver.admissible

    def is_error(self, call: CallLike | None) -> bool | None:
        """Whether the newest result of a call is an error; null when it was not executed."""
        if call is None:
            return None
        wanted = (call.tool, canonical_json(dict(call.arguments)))
        found = [one for one in self.acted if (one.call.tool, one.arguments) == wanted]
        return found[-1].result.is_error if found else None

    async def act(self, call: Call) -> ActResult:
        """Execute a call, unless the episode is over.

        Raises:
            EnvironmentFault: the world crashed.
        """
        if self.is_done:
            return ActResult("The task is over.", True, "finished", True)
        if call.tool not in {tool["function"]["name"] for tool in self.tools}:
            return ActResult(f"There is no tool `{call.tool[:80]}`.", True, "unknown_tool")
        before = self.driver.state_hash
        result = await self.driver.act(call)
        self.acted.append(Acted(call, result, before, self.driver.state_hash))
        return result

    def take_result(self, tool: str | None, arguments: str | None) -> Acted | None:
        """The first result of such a call that has not been told; null when there is none."""
        for one in self.acted:
            if (one.call.tool, one.arguments) == (tool, arguments) and not one.is_told:
                one.is_told = True
                return one
        return None


@runtime_checkable
class PlaysItself(Protocol):
    """A model with an agent loop of its own around it, which plays whole episodes."""

    is_forkable: bool
    """Whether it can go on from the middle of a stored episode."""

    async def play(self, stage: OwnStage, /) -> Played:
        """Play an episode to its end.

        Raises:
            TackroomError: something broke that is not the agent's.
        """
        ...
