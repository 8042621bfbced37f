"""A step of a trace in neutral form, whichever tool recorded it."""

from dataclasses import dataclass, field
from typing import Literal

from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftMessage

Kind = Literal["llm", "tool", "agent", "other"]


@dataclass(frozen=True)
class ToolRun:
    """What a step that ran a tool says of it; arguments as text where the source has text."""

    tool: str
    call_id: str | None = None
    raw: str | None = None
    arguments: JsonValue = None
    result: str | None = None


@dataclass(frozen=True)
class Span:
    """A step of a trace.

    Attributes:
        kind: whether a model was asked, a tool run or an agent started.
        start: nanoseconds since 1970, or any other number that sorts the steps of a trace.
        given: messages the model got, usually the whole history.
        said: messages the model answered with.
        agent: name of the agent; null when the step names none.
        error: why it failed; null when it did not.
        scores: evaluations that stand on it, by name.
        is_known: whether its attributes are in a dialect that can be read.
    """

    span_id: str
    parent_id: str | None
    name: str
    kind: Kind
    start: int
    given: tuple[DraftMessage, ...] = ()
    said: tuple[DraftMessage, ...] = ()
    tool: ToolRun | None = None
    agent: str | None = None
    model: str | None = None
    settings: JsonValue = None
    tools: tuple[JsonValue, ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    finish_reason: str | None = None
    error: str | None = None
    dialect: str = ""
    is_known: bool = True
    scores: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
