"""OpenHands event lists of versions 0: actions of the agent and what came back (formats.md 2.7).

Events that one reply of the model caused are one turn. The raw argument text stands in the copy
of that reply. Costs and tokens are totals so far, so the last ones count.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tasks.importers.container import Element, Outline, whole
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftCall, Drafted, DraftEpisode, DraftMessage, Redacts, Source
from tasks.importers.elements import conversation_key, first_text, read_element
from tasks.importers.reading import (
    JsonObject,
    as_amount,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    require_list,
    require_object,
)
from tasks.importers.stated_verdict import judge_named

_ERRORS = frozenset({"error", "agent_error"})


def _is_event(value: JsonValue) -> bool:
    event = as_object(value)
    is_step = "action" in event or "observation" in event
    return is_step and {"id", "source", "timestamp"} <= set(event)


class OpenHandsReader:
    """Reads lists of events."""

    name = "openhands"
    describes = "OpenHands event lists (`action` or `observation` with `id`, `source`)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """A list of events."""
        return outline.kind == "array" and any(map(_is_event, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield the episode of the file."""
        yield read_element(whole(source.path), redactor, lambda e: _read_events(e, source))


@dataclass
class _Run:
    """What the events say, gathered one by one."""

    messages: list[DraftMessage] = field(default_factory=list[DraftMessage])
    replies: dict[str, int] = field(default_factory=dict[str, int])
    calls: dict[str, str] = field(default_factory=dict[str, str])
    tools: JsonValue = None
    model: str | None = None
    metrics: JsonObject = field(default_factory=dict[str, JsonValue])
    is_finished: bool = False

    def take(self, event: JsonObject) -> None:
        """Add an event."""
        self.metrics = as_object(event.get("llm_metrics")) or self.metrics
        if "observation" in event:
            self._observe(event)
        elif event.get("action") == "system":
            arguments = as_object(event.get("args"))
            self.tools = arguments.get("tools") or self.tools
            self._say("system", arguments.get("content", event.get("message")))
        elif event.get("tool_call_metadata"):
            self._act(event)
        elif event.get("action") == "message":
            role = "user" if event.get("source") == "user" else "assistant"
            self._say(role, as_object(event.get("args")).get("content", event.get("message")))

    def _say(self, role: str, text: JsonValue) -> None:
        said = DraftMessage(role="system" if role == "system" else "user", text=as_content(text))
        self.messages.append(replace(said, role="assistant") if role == "assistant" else said)

    def _act(self, event: JsonObject) -> None:
        made = as_object(event.get("tool_call_metadata"))
        reply = as_object(made.get("model_response"))
        self.model = as_text(reply.get("model")) or self.model
        self.is_finished = self.is_finished or event.get("action") == "finish"
        call = _read_call(made, reply, event)
        if call.native_id and (caused := as_name(event.get("id"))):
            self.calls[caused] = call.native_id
        key = as_name(reply.get("id")) or f"#{len(self.messages)}"
        if key in self.replies:
            at = self.replies[key]
            self.messages[at] = replace(self.messages[at], calls=(*self.messages[at].calls, call))
            return
        self.replies[key] = len(self.messages)
        self.messages.append(_read_reply(reply, call))

    def _observe(self, event: JsonObject) -> None:
        made = as_object(event.get("tool_call_metadata"))
        answered = as_name(made.get("tool_call_id")) or self.calls.get(
            as_name(event.get("cause")) or ""
        )
        failed = event.get("success") is False or as_text(event.get("observation")) in _ERRORS
        self.messages.append(
            DraftMessage(
                role="tool" if answered else "environment",
                text=as_content(event.get("content", event.get("message"))),
                result_of=answered,
                is_error=failed if answered else None,
                error_kind="tool_error" if answered and failed else None,
                requestor="assistant" if answered else None,
            )
        )


def _choice(reply: JsonObject) -> JsonObject:
    return as_object(next(iter(as_list(reply.get("choices"))), None))


def _read_call(made: JsonObject, reply: JsonObject, event: JsonObject) -> DraftCall:
    call_id = as_name(made.get("tool_call_id"))
    written = [
        as_object(c) for c in as_list(as_object(_choice(reply).get("message")).get("tool_calls"))
    ]
    named = next((call for call in written if as_name(call.get("id")) == call_id), {})
    raw = as_text(as_object(as_object(named).get("function")).get("arguments"))
    is_end = event.get("action") == "finish"
    return DraftCall(
        tool=as_text(made.get("function_name")) or as_text(event.get("action")) or "",
        raw=raw,
        arguments=None if raw is not None else event.get("args"),
        native_id=call_id,
        is_executed=True if is_end else None,
    )


def _read_reply(reply: JsonObject, call: DraftCall) -> DraftMessage:
    message, usage = as_object(_choice(reply).get("message")), as_object(reply.get("usage"))
    return DraftMessage(
        role="assistant",
        text=as_content(message.get("content")),
        reasoning=as_text(message.get("reasoning_content")),
        calls=(call,),
        native_id=as_name(reply.get("id")),
        prompt_tokens=as_count(usage.get("prompt_tokens")),
        completion_tokens=as_count(usage.get("completion_tokens")),
        finish_reason=as_text(_choice(reply).get("finish_reason")),
        served_model=as_text(reply.get("model")),
    )


def _read_events(element: Element, source: Source) -> DraftEpisode:
    run = _Run()
    for at, value in enumerate(require_list(element.value, "the file")):
        run.take(require_object(value, f"event {at}"))
    messages = tuple(run.messages)
    task_text = first_text(messages, "user") or ""
    end = "finished" if run.is_finished else "unknown"
    return DraftEpisode(
        index=element.index,
        place=element.place,
        environment="openhands",
        family="task",
        native_task=None,
        task_text=task_text,
        task_definition=task_text,
        identity=conversation_key(None, messages),
        verdict=judge_named({}, source.options.verdict_field, termination=end),
        messages=messages,
        model=run.model or source.options.model or "unknown",
        model_settings=[run.model],
        is_model_sourced=run.model is not None,
        cost_usd=as_amount(run.metrics.get("accumulated_cost")),
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        tools=run.tools,
        lost=("seed",) if run.tools else ("seed", "tools"),
        raw=element.value,
        replaced=element.replaced,
    )
