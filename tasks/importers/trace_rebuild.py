"""Steps of a trace to conversations, one for each agent.

Every model step repeats the history before it, so only what is new in it is taken: messages
after the longest common beginning, or, where the history was shortened or rewritten, those that
were not seen yet. Results that no later step repeats come from the tool steps.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from schemas.ids import canonical_json
from tasks.agent.arguments import parse_arguments
from tasks.importers.draft import DraftCall, DraftMessage
from tasks.importers.spans import Span
from tasks.importers.tool_runs import with_tool_runs

_DEEPEST = 1_000


@dataclass
class Thread:
    """What one agent of a trace did.

    Attributes:
        agent: its name; empty for what stands below no agent.
        parent: agent that started it; null for an outermost one.
        asked: its model steps.
    """

    agent: str
    parent: str | None
    asked: list[Span] = field(default_factory=list[Span])
    ran: list[Span] = field(default_factory=list[Span])

    @property
    def dialects(self) -> list[str]:
        """Dialects of its steps."""
        return sorted({span.dialect for span in (*self.asked, *self.ran)} - {""})


def split_threads(spans: Sequence[Span]) -> list[Thread]:
    """Steps by agent, in the order of time; those of no model or tool say only who is whose."""
    by_id = {span.span_id: span for span in spans}
    threads: dict[str, Thread] = {}
    for span in sorted(spans, key=lambda one: one.start):
        if span.kind not in ("llm", "tool"):
            continue
        chain = _agents_above(span, by_id)
        agent = span.agent or (chain[0] if chain else "")
        outer = next((name for name in chain if name != agent), None)
        thread = threads.setdefault(agent, Thread(agent, outer))
        (thread.asked if span.kind == "llm" else thread.ran).append(span)
    return _with_lone_tools(list(threads.values()))


def _with_lone_tools(threads: list[Thread]) -> list[Thread]:
    """Tools that stand below no agent belong to the one agent that there is."""
    asking = [thread for thread in threads if thread.asked]
    lone = [thread for thread in threads if not thread.asked]
    if len(asking) != 1:
        return threads
    for thread in lone:
        asking[0].ran += thread.ran
    asking[0].ran.sort(key=lambda one: one.start)
    return asking


def _agents_above(span: Span, by_id: dict[str, Span]) -> list[str]:
    names: list[str] = []
    above, steps = by_id.get(span.parent_id or ""), 0
    while above is not None and steps < _DEEPEST:
        if above.kind == "agent":
            names.append(above.agent or above.name)
        above, steps = by_id.get(above.parent_id or ""), steps + 1
    return names


def rebuild(thread: Thread) -> tuple[DraftMessage, ...]:
    """The conversation of a thread."""
    made = _Conversation()
    for span in thread.asked:
        made.take(span)
    return with_tool_runs(made.messages, made.answers, thread.ran)


def _key(message: DraftMessage) -> str:
    calls = [[call.tool, _arguments_key(call)] for call in message.calls]
    said = message.text if message.result is None else message.result
    return canonical_json([message.role, said or "", calls])


def _arguments_key(call: DraftCall) -> str:
    if call.raw is None:
        return canonical_json(call.arguments or {})
    return parse_arguments(call.raw).canonical or call.raw


class _Conversation:
    """Messages so far, and where the answer of each model step stands."""

    def __init__(self) -> None:
        self.messages: list[DraftMessage] = []
        self.answers: list[tuple[int, int]] = []
        self._keys: list[str] = []

    def take(self, span: Span) -> None:
        """Add what is new in a model step, and its answer."""
        for message in self._new(span.given):
            self._add(message)
        said = span.said or (DraftMessage(role="assistant"),)
        self.answers.append((span.start, len(self.messages)))
        for at, message in enumerate(said):
            self._add(_with_usage(message, span) if at == 0 else message)

    def _new(self, given: Sequence[DraftMessage]) -> Sequence[DraftMessage]:
        keys = [_key(message) for message in given]
        pairs = enumerate(zip(keys, self._keys, strict=False))
        shortest = min(len(keys), len(self._keys))
        same = next((at for at, (mine, theirs) in pairs if mine != theirs), shortest)
        if same == len(self._keys):
            return given[same:]
        seen = Counter(self._keys)
        new: list[DraftMessage] = []
        for key, message in zip(keys, given, strict=True):
            if seen[key] > 0:
                seen[key] -= 1
            else:
                new.append(message)
        return new

    def _add(self, message: DraftMessage) -> None:
        self.messages.append(message)
        self._keys.append(_key(message))


def _with_usage(message: DraftMessage, span: Span) -> DraftMessage:
    return replace(
        message,
        prompt_tokens=span.prompt_tokens,
        completion_tokens=span.completion_tokens,
        finish_reason=message.finish_reason or span.finish_reason,
        served_model=message.served_model or span.model,
        native_id=message.native_id or span.span_id,
    )
