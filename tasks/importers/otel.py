"""OpenTelemetry spans of language models: OTLP, SDK dumps, Phoenix rows (formats.md 2.11).

Spans of a trace, or of a conversation where they name one, are gathered from the whole file and
rebuilt into one episode for each agent. Spans in a dialect that nobody here knows are counted
and named, so that they do not vanish.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from tasks.importers.container import Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Drafted, Note, Redacts, Refusal, Source
from tasks.importers.names import clean_name
from tasks.importers.reading import JsonObject, as_list, as_name, as_object, as_text
from tasks.importers.span_attributes import FlatSpan, flatten
from tasks.importers.span_dialects import read_span
from tasks.importers.spool import Group, Spool, SpooledRow
from tasks.importers.trace_episode import Trace, read_trace

LIST = "resourceSpans"
_MARKS = ("gen_ai.", "openinference.", "llm.", "ai.operationId", "agentops.", "traceloop.")
_CONVERSATION = "gen_ai.conversation.id"
_NAMED = 5


def _has_marks(value: JsonValue) -> bool:
    members = as_object(value)
    if "resourceSpans" in members or "scopeSpans" in members:
        return True
    if {"traceId", "spanId"} <= set(members) or {"spanContext", "attributes"} <= set(members):
        return True
    given = members.get("attributes")
    keys = set(members) | set(as_object(given))
    keys |= {as_name(as_object(item).get("key")) or "" for item in as_list(given)}
    return any(key.removeprefix("attributes.").startswith(_MARKS) for key in keys)


class OtelReader:
    """Reads spans of the GenAI conventions, of OpenInference and of the AI SDK."""

    name = "otel"
    describes = "OpenTelemetry or OpenInference spans (`resourceSpans`, or rows with attributes)"
    spreads: tuple[str, ...] = (LIST,)

    def recognises(self, outline: Outline) -> bool:
        """An envelope, or spans with attributes of language models."""
        is_envelope = outline.spread == LIST or _has_marks(outline.members)
        return is_envelope or any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield episodes trace by trace, refusals first."""
        strange: Counter[str] = Counter()
        with Spool() as spool:
            yield from _spool(source, redactor, spool)
            for group in spool.groups():
                yield from _read_group(group, source, strange)
        if strange:
            names = ", ".join(repr(name[:60]) for name, _ in strange.most_common(_NAMED))
            yield Note(f"{strange.total()} spans are in no dialect that is known, such as {names}")


def _spool(source: Source, redactor: Redacts, spool: Spool) -> Iterator[Refusal]:
    for element in every(source.path, source.outline):
        if element.problem is not None:
            yield Refusal(element.index, element.place, element.problem, element.excerpt)
            continue
        if not _has_marks(element.value):
            shown = redactor.value(element.value)
            yield Refusal.of(element.index, element.place, "it holds no spans", shown)
            continue
        for flat in flatten(element.value):
            key = as_name(flat.attributes.get(_CONVERSATION)) or flat.trace_id
            row = redactor.value(_pack(flat))
            spool.put(key or f"#{element.index}", SpooledRow(element.index, element.place, row))


def _pack(flat: FlatSpan) -> JsonObject:
    return {**flat.__dict__, "events": list(flat.events)}


def _unpack(value: JsonValue) -> FlatSpan:
    members = as_object(value)
    return FlatSpan(**{**members, "events": tuple(members["events"])})


def _read_group(group: Group, source: Source, strange: Counter[str]) -> Iterator[Drafted]:
    flats = [_unpack(row.value) for row in group.rows]
    spans = []
    for number, flat in enumerate(flats):
        span = read_span(flat, number)
        if span is None:
            strange[flat.name or "without a name"] += 1
        else:
            spans.append(span)
    service = next((flat.service for flat in flats if flat.service), None)
    trace = Trace(
        index=group.first.index,
        place=group.first.place,
        trace_id=None if group.key.startswith("#") else group.key,
        environment=f"otel_{clean_name(service)}" if service else "otel",
        spans=tuple(spans),
        raw=[as_object(row.value) for row in group.rows],
    )
    for episode in read_trace(trace, source):
        yield replace(episode, place=f"{episode.place}, {as_text(group.key)}")
