"""What the dialects of spans have alike: a step, a tool run, evaluations."""

from tasks.importers.decoding import JsonValue
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_name,
    as_text,
)
from tasks.importers.span_attributes import FlatSpan
from tasks.importers.spans import Kind, Span, ToolRun

KINDS: dict[str, Kind] = {"llm": "llm", "tool": "tool", "agent": "agent"}


def held(flat: FlatSpan, *names: str) -> JsonValue:
    """The first attribute that is there."""
    return next((flat.attributes[name] for name in names if name in flat.attributes), None)


def step(flat: FlatSpan, number: int, kind: Kind, dialect: str, **further: object) -> Span:
    """A step with what all dialects have alike."""
    values: JsonObject = {
        "span_id": flat.span_id or f"#{number}",
        "parent_id": flat.parent_id,
        "name": flat.name,
        "kind": kind,
        "start": flat.start or number,
        "error": flat.error,
        "dialect": dialect,
        "scores": _scores(flat),
        **further,
    }
    return Span(**values)


def _scores(flat: FlatSpan) -> JsonObject:
    """Evaluations on a span itself, and on its events."""
    found: JsonObject = {}
    for holder in (flat.attributes, *flat.events):
        name = as_text(holder.get("gen_ai.evaluation.name"))
        if name:
            value = holder.get("gen_ai.evaluation.score.value")
            found[name] = (
                value if value is not None else holder.get("gen_ai.evaluation.score.label")
            )
    return found


def run_of(flat: FlatSpan, tool: JsonValue, call_id: JsonValue, *sides: JsonValue) -> ToolRun:
    """A tool run; arguments stay text where they are text."""
    given, answer = sides
    raw = as_text(given)
    return ToolRun(
        tool=as_text(tool) or flat.name,
        call_id=as_name(call_id),
        raw=raw,
        arguments=None if raw is not None else given,
        result=as_content(answer),
    )


def settings_of(flat: FlatSpan, start: str) -> JsonObject:
    """Attributes that begin alike, without what they begin with."""
    return {k[len(start) :]: v for k, v in flat.attributes.items() if k.startswith(start)}
