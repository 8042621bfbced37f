"""What happened in one request, for whoever keeps it: turns, answers, interventions."""

from dataclasses import dataclass, field

from tasks.harness import ArtifactFault, Call, Intervention
from tasks.proxy.forms import Item, Usage


@dataclass(frozen=True)
class Acted:
    """What the harness did at one moment."""

    interventions: tuple[Intervention, ...] = ()
    faults: tuple[ArtifactFault, ...] = ()


_NOTHING = Acted()
_NO_USAGE = Usage()


@dataclass(frozen=True)
class AnswerRecord:
    """What came back for a call, or for a turn without one.

    Attributes:
        turn: model turn it answers, from 0.
        call_id: call it answers; null for a turn without one.
        observation: as the client or a rule gave it.
        shown: the same with a hint, as the model is shown it.
        acted: what the harness did after it.
    """

    turn: int
    call_id: str | None
    observation: str
    shown: str
    is_error: bool
    acted: Acted = _NOTHING


@dataclass(frozen=True)
class CallRecord:
    """A call of a turn.

    Attributes:
        arguments: raw text as the model wrote it; null when a rule found or made the call.
        executed: what the client was given to execute; null when nothing was.
        refusal: why it was not, as `Decision.kind`; null when it was.
    """

    call_id: str
    tool: str
    arguments: str | None
    executed: Call | None
    refusal: str | None = None


@dataclass(frozen=True)
class TurnRecord:
    """One turn of the model, or a call forced in its place.

    Attributes:
        index: position among the turns of the conversation, from 0.
        acted: what the harness did with the reply.
        latency_s: seconds the upstream took; null for what no model said.
    """

    index: int
    text: str
    calls: tuple[CallRecord, ...]
    reasoning: str = ""
    is_forced: bool = False
    acted: Acted = _NOTHING
    usage: Usage = _NO_USAGE
    latency_s: float | None = None
    admissible: tuple[str, ...] | None = None


@dataclass(frozen=True)
class OpeningRecord:
    """What the model is sent before its first turn."""

    messages: tuple[Item, ...]
    tools: tuple[Item, ...]
    acted: Acted = _NOTHING


@dataclass
class Account:
    """Everything that happened in one request; filled while it runs.

    Attributes:
        opening: null when the conversation was known already.
        answers: in the order in which the model is shown them.
        words: later words of the user, by the turn they follow.
        is_stopped: whether a rule ended the conversation.
        trouble: why the harness could not act in full; empty when it could.
    """

    opening: OpeningRecord | None = None
    turns: list[TurnRecord] = field(default_factory=list[TurnRecord])
    answers: list[AnswerRecord] = field(default_factory=list[AnswerRecord])
    words: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    is_stopped: bool = False
    trouble: list[str] = field(default_factory=list[str])

    @property
    def interventions(self) -> int:
        """How often the harness did something, what came second to another rule left out."""
        parts = [self.opening.acted] if self.opening else []
        parts += [turn.acted for turn in self.turns] + [answer.acted for answer in self.answers]
        return sum(not one.suppressed for part in parts for one in part.interventions)
