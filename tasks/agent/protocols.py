"""What an environment and a model must offer, and the small values that pass between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from schemas.episode import Episode
from schemas.fields import Split
from tasks.agent.noting import Note

JsonObject = dict[str, Any]
Ending = Literal["finished", "user_stop", "user_error"]
"""How a world ends an episode: the agent did, the user did, or the user left its part."""


@dataclass(frozen=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: JsonObject

    def as_openai(self) -> JsonObject:
        """Render as an entry of the `tools` list of a chat completion."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.parameters,
            },
        }


@dataclass(frozen=True)
class Task:
    """One problem; `task_id` is `environment/family/number`.

    `skin` is not 0 when the entities of the problem go by other names than in the task of this id.
    `tools` names the tools of the environment that the agent gets; empty for all of them.
    """

    task_id: str
    environment: str
    family: str
    split: Split
    text: str
    skin: int = 0
    tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Call:
    """A tool call that can be executed."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True)
class ActResult:
    """What an environment answers to one call.

    Attributes:
        observation: text for the agent.
        is_error: whether the call failed.
        error_kind: class of the error, such as `unknown_tool`, `schema`, `sql`.
        done: whether the episode is over.
        ended_as: how it ended, when it is over.
    """

    observation: str
    is_error: bool = False
    error_kind: str | None = None
    done: bool = False
    ended_as: Ending = "finished"


@dataclass(frozen=True)
class Verdict:
    """What the checker says: outcome, reward and the parts they rest on."""

    outcome: Literal["success", "failure"]
    reward: float
    parts: JsonObject = field(default_factory=dict[str, Any])


class World(Protocol):
    """One running episode of an environment; holds all of its mutable state."""

    @property
    def opening(self) -> str:
        """Text that goes to the agent with the task; empty when there is none."""
        ...

    def act(self, call: Call) -> ActResult:
        """Execute a call. An impossible call is an `ActResult` with `is_error`, no exception.

        Raises:
            EnvironmentFault: the world itself failed.
        """
        ...

    def admissible(self) -> tuple[str, ...] | None:
        """Commands that can be executed now; null when the environment does not list them."""
        ...

    def snapshot(self) -> bytes:
        """Canonical JSON of the whole state; its sha256 is the state hash."""
        ...

    def restore(self, state: bytes) -> None:
        """Return to a state that `snapshot` gave, bit for bit."""
        ...

    def verdict(self) -> Verdict:
        """Judge the present state; deterministic and without side effects."""
        ...


@runtime_checkable
class Environment(Protocol):
    """A rule-bound world: tasks, tools, deterministic transitions, a verdict."""

    name: str
    fingerprint: str
    tools: tuple[ToolSpec, ...]
    system_prompt: str
    step_budget: int
    terminal_tools: frozenset[str]
    """Tools that end an episode; empty when the world ends by itself."""
    non_progress: tuple[str, ...]
    """Observation texts (prefixes) that mean nothing has changed."""

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """All tasks of a split, in a fixed order with families interleaved."""
        ...

    def start(self, task: Task, seed: int) -> World:
        """Begin an episode."""
        ...


def tools_of(environment: Environment, task: Task) -> list[JsonObject]:
    """Definitions of the tools an agent gets for a task, in chat form."""
    offered = set(task.tools)
    return [tool.as_openai() for tool in environment.tools if not offered or tool.name in offered]


@dataclass(frozen=True)
class RawCall:
    """A tool call as the model wrote it; `arguments` is the raw text."""

    name: str
    arguments: str
    call_id: str = ""


@dataclass(frozen=True)
class ModelReply:
    """One reply of a model, nothing parsed away.

    Attributes:
        text: message text; may be empty.
        calls: tool calls with raw argument text.
        reasoning: reasoning given apart from the text.
        finish_reason: why the model stopped.
        prompt_tokens: tokens sent; null when the endpoint does not say.
        completion_tokens: tokens written; null when the endpoint does not say.
        latency_s: seconds until the reply was complete.
        cost_usd: price of the reply; null when the endpoint has no price.
        served_model: model that answered, in the endpoint's words.
        system_fingerprint: what the endpoint says of the system behind it.
        logprobs: written tokens with their log-probabilities; null when not offered.
        is_constrained: whether the decoder was held to a schema of the tools.
    """

    text: str = ""
    calls: tuple[RawCall, ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    cost_usd: float | None = None
    served_model: str | None = None
    system_fingerprint: str | None = None
    logprobs: tuple[tuple[str, float], ...] | None = None
    is_constrained: bool = False


@dataclass(frozen=True)
class EpisodeContext:
    """What an episode is about. Built-in models may look at task and world; others must not."""

    environment: Environment
    task: Task
    world: World
    seed: int
    repeat: int
    earlier: Episode | None = None
    """The trial before this one, for an agent that learns from it."""
    notes: tuple[Note, ...] = ()
    """Notes of the episode that a fork goes on from."""


class Conversation(Protocol):
    """A model within one episode."""

    async def reply(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], /
    ) -> ModelReply:
        """Answer the conversation so far, given in OpenAI chat form.

        Raises:
            ModelFault: the endpoint is down or refuses, after retries.
        """
        ...


class Model(Protocol):
    """A frozen model behind a name."""

    @property
    def name(self) -> str:
        """The model in the words of the command line."""
        ...

    @property
    def fingerprint(self) -> str:
        """Everything about the model that changes results; part of the trajectory key."""
        ...

    @property
    def is_simulated(self) -> bool:
        """Whether numbers made with it must be labelled as simulated."""
        ...

    @property
    def is_deterministic(self) -> bool:
        """Whether the same conversation always gets the same reply (temperature 0)."""
        ...

    def open(self, context: EpisodeContext, /) -> Conversation:
        """Start an episode."""
        ...


@runtime_checkable
class ManagedModel(Protocol):
    """A model with connections: entered before episodes start, left when they are over."""

    async def __aenter__(self) -> object:
        """Take connections; nests."""
        ...

    async def __aexit__(self, *exc: object) -> None:
        """Give them back when the outermost user leaves."""
        ...


@runtime_checkable
class WritesCalls(Protocol):
    """A model whose calls may be read from the text of its replies."""

    @property
    def calls_as_text(self) -> bool:
        """Whether they are: one JSON object of tool and arguments, and nothing else."""
        ...
