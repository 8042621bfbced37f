"""The small frozen values that pass between a session, the loop around it and its rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import JsonValue

from .text import JsonObject

Layer = Literal["contract", "skills", "actions", "regulation"]
RuleLayer = Literal["actions", "regulation"]
LAYERS: tuple[Layer, ...] = ("contract", "skills", "actions", "regulation")
Delivery = Literal["injected", "on_demand"]
InterventionKind = Literal["inject", "load", "rescue", "rewrite", "block", "hint", "force", "stop"]
FaultKind = Literal["timeout", "memory", "crash", "error", "bad_result"]
DecisionKind = Literal["execute", "blocked", "unusable", "none", "loaded"]


@dataclass(frozen=True)
class Artifact:
    """One skill, contract section or rule: the unit that edits and interventions name.

    Attributes:
        artifact_id: hash over layer, name and body; the same artifact in two harnesses has one.
        body: what `Harness.put` takes to make the artifact again.
    """

    layer: Layer
    name: str
    path: str
    description: str
    body: str
    artifact_id: str


class CallLike(Protocol):
    """Anything with a tool name and an object of arguments."""

    @property
    def tool(self) -> str:
        """Name of the tool."""
        ...

    @property
    def arguments(self) -> Mapping[str, JsonValue]:
        """Arguments by name."""
        ...


@dataclass(frozen=True)
class Call:
    """A tool call that can be executed."""

    tool: str
    arguments: JsonObject


@dataclass(frozen=True)
class WrittenCall:
    """A tool call as the model wrote it; `arguments` is the raw text, null when there is none."""

    tool: str
    arguments: str | None


@dataclass(frozen=True)
class Action:
    """One turn of the model as the rules see it.

    Attributes:
        tool: tool the model called; null when its reply held no call.
        arguments: parsed arguments; null when there is no call or they could not be parsed.
        raw_text: what the model wrote besides the call.
        parse_error: why the arguments could not be parsed.
    """

    tool: str | None
    arguments: JsonObject | None
    raw_text: str = ""
    parse_error: str | None = None

    @property
    def call(self) -> Call | None:
        """The call, when there is one that can be executed."""
        if self.tool is None or self.arguments is None:
            return None
        return Call(self.tool, self.arguments)


@dataclass(frozen=True)
class HistoryEntry:
    """One finished turn: the action as it was carried out and what came back, hints left out.

    Attributes:
        is_new_turn: false for further calls of one and the same model reply.
    """

    action: Action
    observation: str
    is_error: bool = False
    is_new_turn: bool = True


@dataclass(frozen=True)
class Intervention:
    """One thing a harness did, or would have done had no other rule come first."""

    layer: Layer
    artifact_id: str
    artifact: str
    kind: InterventionKind
    before: str | None
    after: str | None
    suppressed: bool = False


@dataclass(frozen=True)
class ArtifactFault:
    """A rule that failed while it ran; it counted as no rule."""

    layer: Layer
    artifact_id: str
    artifact: str
    kind: FaultKind
    message: str


@dataclass(frozen=True)
class Pending:
    """A turn that has been decided on and whose result has not come back."""

    action: Action
    decision: "Decision"
    is_new_turn: bool


@dataclass(frozen=True)
class SessionState:
    """What a session knows between two turns; with it, another one goes on as the same.

    Attributes:
        history: finished turns.
        encoded: the same as the rules are shown them.
        messages: messages that are no turns, encoded for the rules.
        skill: skill the model was given.
        hints: hints given so far.
        forced: actions forced so far.
        dismissed: rules that are not asked again, by layer.
        pending: calls decided on whose results are still to come.
    """

    history: tuple[HistoryEntry, ...] = ()
    encoded: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    skill: str | None = None
    hints: int = 0
    forced: int = 0
    dismissed: Mapping[RuleLayer, frozenset[str]] = field(
        default_factory=dict[RuleLayer, frozenset[str]]
    )
    pending: tuple[Pending, ...] = ()


@dataclass(frozen=True)
class Conditioned:
    """What to send to the model at the start."""

    messages: list[JsonObject]
    tools: list[JsonObject]
    interventions: tuple[Intervention, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What to do with one turn of the model.

    Attributes:
        kind: `execute` the call; otherwise give `message` to the model as the result of its
            turn: `blocked` by a rule, `unusable` arguments, `none` (no call found), `loaded`
            (a skill was asked for and `message` is its text).
        call: the call to execute, after rescue or rewrite.
        parse_error: why the argument text of the model could not be used.
    """

    kind: DecisionKind
    call: Call | None = None
    message: str = ""
    parse_error: str | None = None
    interventions: tuple[Intervention, ...] = ()
    faults: tuple[ArtifactFault, ...] = ()


@dataclass(frozen=True)
class Regulated:
    """What to do after a result came back.

    Attributes:
        observation: text for the model, with the hint merged in.
        forced: call to execute instead of the next model call; spends one unit of budget.
        stop: whether to end the episode.
    """

    observation: str
    forced: Call | None = None
    stop: bool = False
    interventions: tuple[Intervention, ...] = ()
    faults: tuple[ArtifactFault, ...] = ()
