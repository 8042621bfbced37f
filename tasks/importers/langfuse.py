"""Langfuse exports: rows of observations, or traces with their observations (formats.md 2.13).

Blob exports write names with underscores, the API in camel case; both are read. Scores stand with
a trace, or in the folder `scores` beside the one that holds the observations.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tasks.importers.container import Element, Outline, every, outline
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Drafted, Note, Redacts, Refusal, Source
from tasks.importers.names import clean_name
from tasks.importers.payload import decode_text, messages_of, tools_of
from tasks.importers.reading import (
    JsonObject,
    as_amount,
    as_content,
    as_count,
    as_list,
    as_name,
    as_object,
    as_text,
    drop_nulls,
)
from tasks.importers.span_attributes import read_time
from tasks.importers.spans import Kind, Span, ToolRun
from tasks.importers.spool import Group, Spool, SpooledRow
from tasks.importers.trace_episode import Trace, read_trace

OBSERVATIONS = "observations"
SCORES = "scores"
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_KINDS: dict[str, Kind] = {"GENERATION": "llm", "TOOL": "tool", "AGENT": "agent"}
_TYPES = frozenset(
    {
        *("SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR"),
        *("EMBEDDING", "GUARDRAIL"),
    }
)


def _members(value: JsonValue) -> JsonObject:
    """A row with its names in one spelling."""
    return {_CAMEL.sub(r"_\1", k).lower(): v for k, v in as_object(drop_nulls(value)).items()}


def _is_observation(value: JsonValue) -> bool:
    row = _members(value)
    return as_text(row.get("type")) in _TYPES and "trace_id" in row


def _is_trace(value: JsonValue) -> bool:
    observations = as_list(as_object(value).get(OBSERVATIONS))
    return any(map(_is_observation, observations))


def _is_score(value: JsonValue) -> bool:
    row = _members(value)
    return {"trace_id", "name", "data_type"} <= set(row) and "type" not in row


class LangfuseReader:
    """Reads observations, alone or inside their traces."""

    name = "langfuse"
    describes = "Langfuse exports (rows of observations, or traces with `observations`)"
    spreads: tuple[str, ...] = (OBSERVATIONS,)

    def recognises(self, outline: Outline) -> bool:
        """Rows with a type of observation and a trace, traces that hold such, or scores."""
        return any(_is_observation(s) or _is_trace(s) or _is_score(s) for s in outline.samples)

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield one episode for each trace and agent, refusals first."""
        with Spool() as spool:
            scored = yield from _spool(source, redactor, spool)
            _spool_scores(source.path, redactor, spool)
            for group in spool.groups():
                yield from _read_group(group, source)
        if scored:
            yield Note(f"{scored} scores; they are read with the observations they stand beside")


def _elements(source: Source) -> Iterator[Element]:
    """Rows of a file; a trace that is the whole of it comes after its observations."""
    if source.outline.spread == OBSERVATIONS:
        rest = dict(source.outline.members)
        for element in every(source.path, source.outline):
            yield replace(element, value=_inherit(element.value, rest))
        yield Element(0, "scores", {SCORES: rest.get(SCORES), "id": rest.get("id")})
    else:
        yield from every(source.path, source.outline)


def _inherit(value: JsonValue, trace: JsonObject) -> JsonValue:
    """What a trace says once goes to each of its observations."""
    if not isinstance(value, dict):
        return value
    named = {"trace_id": trace.get("id"), "trace_name": trace.get("name")}
    return {**named, **value}


def _spool(source: Source, redactor: Redacts, spool: Spool) -> Iterator[Drafted]:
    """Put observations and scores with their traces; the number of scores that stand alone."""
    alone = 0
    for element in _elements(source):
        if element.problem is not None:
            yield Refusal(element.index, element.place, element.problem, element.excerpt)
            continue
        value = redactor.value(element.value)
        rows = [_inherit(o, value) for o in as_list(as_object(value).get(OBSERVATIONS))]
        rows += _scores_of(value)
        rows = rows or [value]
        if not any(map(_is_row, rows)) and not _is_empty_scores(value):
            reason = "neither an observation nor a score of a trace"
            yield Refusal.of(element.index, element.place, reason, value)
        for row in filter(_is_row, rows):
            alone += _is_score(row) and row is value
            key = as_name(_members(row).get("trace_id")) or ""
            spool.put(key, SpooledRow(element.index, element.place, row))
    return alone


def _is_row(value: JsonValue) -> bool:
    return _is_observation(value) or _is_score(value)


def _is_empty_scores(value: JsonValue) -> bool:
    return SCORES in as_object(value) and set(as_object(value)) <= {SCORES, "id"}


def _scores_of(trace: JsonValue) -> list[JsonValue]:
    members = as_object(trace)
    given = [as_object(score) for score in as_list(members.get(SCORES))]
    return [{"trace_id": members.get("id"), "data_type": "NUMERIC", **score} for score in given]


def _spool_scores(path: Path, redactor: Redacts, spool: Spool) -> None:
    """Scores of the export, which stand in a folder of their own."""
    folder = path.parent.parent / SCORES
    if path.parent.name == SCORES or not folder.is_dir():
        return
    for file in sorted(folder.glob("*.json*")):
        for element in every(file, outline(file, ())):
            if element.problem is None and _is_score(element.value):
                row = redactor.value(element.value)
                key = as_name(_members(row).get("trace_id")) or ""
                spool.put(key, SpooledRow(element.index, element.place, row))


def _read_group(group: Group, source: Source) -> Iterator[Drafted]:
    rows = [_members(row.value) for row in group.rows if _is_observation(row.value)]
    if not rows:
        return
    name = next((text for row in rows if (text := as_text(row.get("trace_name")))), None)
    scores = {
        str(score["name"]): score.get("value", score.get("string_value"))
        for row in group.rows
        if _is_score(row.value) and (score := _members(row.value))
    }
    first = next(row for row in group.rows if _is_observation(row.value))
    trace = Trace(
        index=first.index,
        place=first.place,
        trace_id=group.key or None,
        environment="langfuse",
        family=clean_name(name) if name else "trace",
        spans=tuple(_read_observation(row, number) for number, row in enumerate(rows)),
        scores=scores,
        raw=[as_object(row.value) for row in group.rows],
    )
    yield from read_trace(trace, source)


def _read_observation(row: JsonObject, number: int) -> Span:
    kind = _KINDS.get(str(row["type"]), "other")
    usage = as_object(decode_text(row.get("usage_details"))) or as_object(row.get("usage"))
    cost = as_object(decode_text(row.get("cost_details")))
    is_failed = row.get("level") == "ERROR"
    given = decode_text(row.get("input"))
    is_asking = kind == "llm"
    total = next((row[n] for n in ("total_cost", "calculated_total_cost") if n in row), None)
    return Span(
        span_id=as_name(row.get("id")) or f"#{number}",
        parent_id=as_name(row.get("parent_observation_id")),
        name=as_text(row.get("name")) or "",
        kind=kind,
        start=read_time(row.get("start_time")) or number,
        given=messages_of(given, "user") if is_asking else (),
        said=messages_of(row.get("output"), "assistant") if is_asking else (),
        tool=_read_tool(row) if kind == "tool" else None,
        model=as_text(row.get("model")) or as_text(row.get("provided_model_name")),
        settings=decode_text(row.get("model_parameters")),
        tools=tuple(tools_of(as_object(given).get("tools"))) if is_asking else (),
        prompt_tokens=as_count(usage.get("input")),
        completion_tokens=as_count(usage.get("output")),
        cost_usd=as_amount(cost.get("total") if total is None else total),
        error=(as_text(row.get("status_message")) or "failed") if is_failed else None,
        dialect="langfuse",
    )


def _read_tool(row: JsonObject) -> ToolRun:
    given = row.get("input")
    raw = as_text(given)
    return ToolRun(
        tool=as_text(row.get("name")) or "",
        call_id=as_name(as_object(row.get("metadata")).get("tool_call_id")),
        raw=raw,
        arguments=None if raw is not None else given,
        result=as_content(row.get("output")),
    )
