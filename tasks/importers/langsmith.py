"""LangSmith runs: rows of runs, or roots with their `child_runs` (formats.md 2.14)."""

from collections.abc import Iterator

from tasks.importers.container import Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Drafted, DraftMessage, Redacts, Refusal, Source
from tasks.importers.names import clean_name
from tasks.importers.payload import decode_text, find_items, messages_of, tools_of
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

LIST = "runs"
_KINDS: dict[str, Kind] = {"llm": "llm", "chat_model": "llm", "tool": "tool", "agent": "agent"}
_DEEPEST = 50


def _is_run(value: JsonValue) -> bool:
    row = as_object(value)
    is_placed = any(name in row for name in ("trace_id", "dotted_order", "parent_run_id"))
    return isinstance(row.get("run_type"), str) and (is_placed or "inputs" in row)


class LangSmithReader:
    """Reads runs, flat or nested."""

    name = "langsmith"
    describes = "LangSmith runs (rows with `run_type`, `inputs`, `trace_id`)"
    spreads: tuple[str, ...] = (LIST,)

    def recognises(self, outline: Outline) -> bool:
        """Rows with a kind of run."""
        return _is_run(outline.members) or any(map(_is_run, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield one episode for each trace, refusals first."""
        with Spool() as spool:
            for element in every(source.path, source.outline):
                if element.problem is not None:
                    yield Refusal(element.index, element.place, element.problem, element.excerpt)
                    continue
                value = redactor.value(element.value)
                runs = list(_flat(value, None))
                if not runs:
                    yield Refusal.of(element.index, element.place, "it is no run", value)
                for run in runs:
                    spool.put(_trace_of(run), SpooledRow(element.index, element.place, run))
            for group in spool.groups():
                yield from read_trace(_read_group(group), source)


def _flat(value: JsonValue, root: str | None, depth: int = 0) -> Iterator[JsonObject]:
    """A run and the runs inside it; what a nested one does not say comes from its root."""
    if not _is_run(value) or depth > _DEEPEST:
        return
    run = dict(as_object(drop_nulls(value)))
    inner = as_list(run.pop("child_runs", None))
    trace = root or _trace_of(run)
    yield {**run, "trace_id": trace}
    for child in inner:
        named = {"parent_run_id": run.get("id"), **child} if isinstance(child, dict) else child
        yield from _flat(named, trace, depth + 1)


def _trace_of(run: JsonObject) -> str:
    return as_name(run.get("trace_id")) or as_name(run.get("id")) or ""


def _read_group(group: Group) -> Trace:
    runs = [as_object(row.value) for row in group.rows]
    if all(isinstance(run.get("dotted_order"), str) for run in runs):
        runs.sort(key=lambda run: str(run["dotted_order"]))
    root = next((run for run in runs if not run.get("parent_run_id")), runs[0])
    scores = {
        name: as_object(stats).get("avg")
        for name, stats in as_object(root.get("feedback_stats")).items()
    }
    name = as_text(root.get("name"))
    return Trace(
        index=group.first.index,
        place=group.first.place,
        trace_id=group.key or None,
        environment="langsmith",
        family=clean_name(name) if name else "trace",
        native_task=as_name(root.get("reference_example_id")),
        spans=tuple(_read_run(run, number) for number, run in enumerate(runs)),
        scores=scores,
        raw=[*runs],
    )


def _read_run(run: JsonObject, number: int) -> Span:
    kind = _KINDS.get(str(run["run_type"]), "other")
    extra = as_object(run.get("extra"))
    metadata = as_object(extra.get("metadata"))
    settings = as_object(extra.get("invocation_params"))
    is_asking = kind == "llm"
    model = metadata.get("ls_model_name") or settings.get("model") or settings.get("model_name")
    return Span(
        span_id=as_name(run.get("id")) or f"#{number}",
        parent_id=as_name(run.get("parent_run_id")),
        name=as_text(run.get("name")) or "",
        kind=kind,
        start=number if "dotted_order" in run else read_time(run.get("start_time")) or number,
        given=messages_of(run.get("inputs"), "user") if is_asking else (),
        said=_read_answer(run) if is_asking else (),
        tool=_read_tool(run) if kind == "tool" else None,
        model=as_text(model),
        settings={**settings, "ls_temperature": metadata.get("ls_temperature")},
        tools=tuple(tools_of(settings.get("tools") or as_object(run.get("inputs")).get("tools"))),
        prompt_tokens=as_count(run.get("prompt_tokens")),
        completion_tokens=as_count(run.get("completion_tokens")),
        cost_usd=as_amount(run.get("total_cost")),
        error=as_content(run.get("error")),
        dialect="langsmith",
    )


def _read_answer(run: JsonObject) -> tuple[DraftMessage, ...]:
    outputs = decode_text(run.get("outputs"))
    return messages_of(outputs, "assistant") if outputs else ()


def _read_tool(run: JsonObject) -> ToolRun:
    inputs = as_object(run.get("inputs"))
    given = inputs.get("input", inputs.get("args", inputs)) if len(inputs) == 1 else inputs
    raw = as_text(given)
    output = as_object(run.get("outputs")).get("output", run.get("outputs"))
    answer = next(iter(messages_of(output, "tool")), None) if find_items(output) else None
    named = as_name(as_object(run.get("extra")).get("tool_call_id"))
    return ToolRun(
        tool=as_text(run.get("name")) or "",
        call_id=answer.result_of if answer else named,
        raw=raw,
        arguments=None if raw is not None else given,
        result=answer.text if answer else as_content(output),
    )
