"""Conversations of a trace to episodes: verdict by scores that the user names, else unknown."""

from collections.abc import Iterator
from dataclasses import dataclass

from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftEpisode, DraftMessage, DraftVerdict, Source
from tasks.importers.elements import conversation_key, first_text
from tasks.importers.faults import classify_fault
from tasks.importers.spans import Span
from tasks.importers.stated_verdict import judge_named
from tasks.importers.trace_rebuild import Thread, rebuild, split_threads


@dataclass(frozen=True)
class Trace:
    """All steps of a trace, and what is known of it as a whole.

    Attributes:
        index: position in the file at which it begins.
        trace_id: the source's id; null when the steps carry none.
        scores: verdicts of evaluators on the whole of it, by name.
    """

    index: int
    place: str
    trace_id: str | None
    environment: str
    spans: tuple[Span, ...]
    family: str = "trace"
    native_task: str | None = None
    scores: dict[str, JsonValue] | None = None
    raw: JsonValue = None
    replaced: int = 0


def read_trace(trace: Trace, source: Source) -> Iterator[DraftEpisode]:
    """One episode for each agent of a trace."""
    threads = split_threads(trace.spans)
    several = len(threads) > 1
    for thread in threads:
        yield _episode(trace, thread, source, several=several)


def _thread_id(trace: Trace, agent: str | None, *, several: bool) -> str | None:
    if trace.trace_id is None or not several or agent is None:
        return trace.trace_id
    return f"{trace.trace_id}/{agent}" if agent else trace.trace_id


def _episode(trace: Trace, thread: Thread, source: Source, *, several: bool) -> DraftEpisode:
    messages = rebuild(thread)
    native_id = _thread_id(trace, thread.agent, several=several)
    is_inner = several and thread.parent is not None
    model = next((span.model for span in thread.asked if span.model), None)
    task_text = first_text(messages, "user") or ""
    tools = next((list(span.tools) for span in thread.asked if span.tools), None)
    return DraftEpisode(
        index=trace.index,
        place=trace.place,
        environment=trace.environment,
        family=trace.family,
        native_task=trace.native_task,
        task_text=task_text,
        task_definition=[trace.native_task, task_text],
        identity=conversation_key(native_id, messages),
        verdict=_judge(trace, thread, source, is_inner=is_inner),
        messages=messages,
        model=model or source.options.model or "unknown",
        model_settings=[model, next((span.settings for span in thread.asked), None)],
        is_model_sourced=model is not None,
        cost_usd=_sum_cost(thread),
        system_text=first_text(messages, "system"),
        task_prompt=task_text or None,
        tools=tools,
        lost=_lost(thread, messages, tools),
        raw=trace.raw,
        replaced=trace.replaced,
        native_id=native_id,
        parent_native_id=_thread_id(trace, thread.parent, several=True) if is_inner else None,
        dialect="+".join(thread.dialects),
    )


def _sum_cost(thread: Thread) -> float | None:
    known = [span.cost_usd for span in thread.asked if span.cost_usd is not None]
    return sum(known) if known else None


def _judge(trace: Trace, thread: Thread, source: Source, *, is_inner: bool) -> DraftVerdict:
    scores = dict(trace.scores or {})
    for span in trace.spans:
        scores |= span.scores
    last = thread.asked[-1] if thread.asked else None
    parts: dict[str, JsonValue] = {"scores": scores} if scores else {}
    if last is not None and last.error is not None and not last.said:
        fault = classify_fault(last.error)
        parts["error"] = last.error[:4_000]
        return DraftVerdict("unknown", "fault", "fault", None, fault, None, parts)
    field = "" if is_inner else source.options.verdict_field
    return judge_named({"scores": scores, **scores}, field, parts=parts)


def _lost(
    thread: Thread, messages: tuple[DraftMessage, ...], tools: list[JsonValue] | None
) -> tuple[str, ...]:
    calls = [call for message in messages for call in message.calls]
    is_silent = any(not span.said and span.error is None for span in thread.asked)
    checks = (
        ("arguments_raw", any(call.raw is None for call in calls)),
        ("content", is_silent),
        ("seed", True),
        ("tokens", all(span.prompt_tokens is None for span in thread.asked)),
        ("tools", not tools),
    )
    return tuple(kind for kind, is_lost in checks if is_lost)
