"""Spans as the tools write them, to one flat form: OTLP envelopes, SDK dumps and Phoenix rows.

Attributes become one mapping from dotted names to plain values. Lists that were written as
`name.0.…` come back as lists, in the order of their numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tasks.importers.decoding import JsonValue
from tasks.importers.reading import (
    JsonObject,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
)

_DEEPEST = 20
_NANO = 10**9
_DIGITS = 19
_FAILED = ("2", "STATUS_CODE_ERROR", "ERROR")


@dataclass(frozen=True)
class FlatSpan:
    """A span with its attributes by dotted name; `service` is what the program calls itself."""

    trace_id: str | None
    span_id: str | None
    parent_id: str | None
    name: str
    start: int
    attributes: JsonObject
    error: str | None = None
    service: str | None = None
    events: tuple[JsonObject, ...] = field(default=())

    def indexed(self, name: str) -> list[JsonValue]:
        """A list, also one that was written with a number in each name."""
        given = self.attributes.get(name)
        if isinstance(given, list):
            return [nest(_flat(item)) if isinstance(item, dict) else item for item in given]
        members: dict[int, JsonObject] = {}
        start = f"{name}."
        for key, value in self.attributes.items():
            if key.startswith(start):
                number, _, rest = key[len(start) :].partition(".")
                if number.isdecimal() and len(number) < 10:
                    members.setdefault(int(number), {})[rest] = value
        return [nest(members[number]) for number in sorted(members)]


def nest(flat: JsonObject) -> JsonValue:
    """Dotted names to objects and lists inside one another."""
    if "" in flat:
        return flat[""]
    groups: dict[str, JsonObject] = {}
    for key, value in flat.items():
        head, _, rest = key.partition(".")
        groups.setdefault(head, {})[rest] = value
    if groups and all(head.isdecimal() and len(head) < 10 for head in groups):
        return [nest(groups[head]) for head in sorted(groups, key=int)]
    return {head: nest(rest) for head, rest in groups.items()}


def _plain(value: JsonValue, depth: int = 0) -> JsonValue:
    """A value of OTLP, which says its type, as a plain one."""
    members = as_object(value)
    if depth > _DEEPEST or len(members) != 1:
        return value
    kind, inner = next(iter(members.items()))
    if kind == "intValue":
        return int(inner) if isinstance(inner, str) and inner.lstrip("-").isdecimal() else inner
    if kind == "arrayValue":
        return [_plain(item, depth + 1) for item in as_list(as_object(inner).get("values"))]
    if kind == "kvlistValue":
        return _pairs(as_object(inner).get("values"), depth + 1)
    return inner if kind in ("stringValue", "doubleValue", "boolValue", "bytesValue") else value


def _pairs(value: JsonValue, depth: int = 0) -> JsonObject:
    pairs = (as_object(item) for item in as_list(value))
    return {name: _plain(p.get("value"), depth) for p in pairs if (name := as_name(p.get("key")))}


def _flat(value: JsonObject, start: str = "", depth: int = 0) -> JsonObject:
    found: JsonObject = {}
    for key, item in value.items():
        name = f"{start}{key}"
        if isinstance(item, dict) and item and depth < _DEEPEST:
            found |= _flat(item, f"{name}.", depth + 1)
        else:
            found[name] = item
    return found


def _attributes(value: JsonValue) -> JsonObject:
    return _flat(_pairs(value) if isinstance(value, list) else as_object(value))


def read_time(value: JsonValue) -> int:
    """Nanoseconds since 1970 of a time in any of the usual forms; 0 when there is none.

    Nanoseconds as number or text, `[seconds, nanoseconds]`, smaller numbers by their size, or a
    date; without a zone it is UTC.
    """
    if isinstance(value, list) and len(value) == 2:
        return (as_count(value[0]) or 0) * _NANO + (as_count(value[1]) or 0)
    if isinstance(value, str) and not value.isdecimal():
        return _read_date(value)
    if isinstance(value, str):
        return _scale(int(value[:_DIGITS]))
    return _scale(value) if isinstance(value, int | float) else 0


def _scale(number: float) -> int:
    """Seconds, milli- and microseconds are told by their size."""
    for limit, factor in ((10**17, 1), (10**14, 10**3), (10**11, 10**6)):
        if number >= limit:
            return int(number) * factor
    return int(number * _NANO)


def _read_date(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return 0
    zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    since = zoned - datetime(1970, 1, 1, tzinfo=UTC)
    return ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * 1_000


def _error(span: JsonObject, events: tuple[JsonObject, ...]) -> str | None:
    status = as_object(span.get("status"))
    code = as_name(status.get("code")) or as_name(status.get("status_code"))
    code = code or as_name(span.get("status_code"))
    thrown = (e.get("exception.message") or e.get("exception.type") for e in events)
    told = next((text for item in thrown if (text := as_text(item))), None)
    if (code or "").rsplit(".", 1)[-1] not in _FAILED:
        return None
    message = as_text(status.get("message")) or as_text(status.get("description"))
    return message or as_text(span.get("status_message")) or told or "failed"


def _first(span: JsonObject, *names: str) -> str | None:
    """The first member that names something; a name with dots may also be inside objects."""
    for name in names:
        outer, _, inner = name.partition(".")
        value = span.get(name, as_object(span.get(outer)).get(inner) if inner else None)
        if (found := as_name(value)) is not None:
            return found
    return None


def _read_span(value: JsonValue, service: str | None) -> FlatSpan:
    span = as_object(drop_nulls(value))
    given = span.get("attributes")
    attributes = _attributes(given) if given is not None else _columns(span)
    events = tuple(_event(item) for item in as_list(span.get("events")))
    start = next(
        (span[n] for n in ("startTimeUnixNano", "startTime", "start_time") if n in span), 0
    )
    return FlatSpan(
        trace_id=_first(span, "traceId", "trace_id", "context.trace_id", "spanContext.traceId"),
        span_id=_first(span, "spanId", "span_id", "context.span_id", "spanContext.spanId", "id"),
        parent_id=_first(span, "parentSpanId", "parent_id", "parentSpanContext.spanId"),
        name=as_text(span.get("name")) or "",
        start=read_time(start),
        attributes=attributes,
        error=_error(span, events),
        service=service,
        events=events,
    )


def _columns(span: JsonObject) -> JsonObject:
    """Attributes of a row: columns that begin with `attributes.`, or all of a bare mapping."""
    start = "attributes."
    named = {key[len(start) :]: value for key, value in span.items() if key.startswith(start)}
    return _flat(named or span)


def _event(value: JsonValue) -> JsonObject:
    event = as_object(value)
    return {"": as_text(event.get("name")) or "", **_attributes(event.get("attributes"))}


def flatten(element: JsonValue) -> Iterator[FlatSpan]:
    """Spans of an element: an envelope, a part of one, or a span by itself."""
    members = as_object(element)
    if "resourceSpans" in members:
        for part in as_list(members["resourceSpans"]):
            yield from flatten(part)
    elif "scopeSpans" in members or "instrumentationLibrarySpans" in members:
        resource = _attributes(as_object(members.get("resource")).get("attributes"))
        service = as_text(resource.get("service.name"))
        scopes = members.get("scopeSpans", members.get("instrumentationLibrarySpans"))
        for scope in as_list(scopes):
            for span in as_list(as_object(scope).get("spans")):
                yield _read_span(span, service)
    else:
        resource = _attributes(as_object(members.get("resource")).get("attributes"))
        yield _read_span(members, as_text(resource.get("service.name")))
