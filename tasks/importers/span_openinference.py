"""Spans of OpenInference: flattened messages, kinds of its own."""

from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftMessage
from tasks.importers.payload import decode_text, messages_of
from tasks.importers.reading import (
    JsonObject,
    as_count,
    as_list,
    as_number,
    as_object,
    as_text,
)
from tasks.importers.span_attributes import FlatSpan
from tasks.importers.span_steps import KINDS, held, run_of, step
from tasks.importers.spans import Span


def read_openinference(flat: FlatSpan, number: int) -> Span | None:
    """A step; null when the span has no kind of OpenInference."""
    told = as_text(held(flat, "openinference.span.kind"))
    if told is None:
        return None
    kind = KINDS.get(told.lower(), "other")
    agent = as_text(held(flat, "agent.name", "graph.node.id")) if kind == "agent" else None
    if kind == "tool":
        run = run_of(
            flat,
            held(flat, "tool.name"),
            held(flat, "tool_call.id", "tool.id"),
            held(flat, "input.value", "tool.parameters"),
            held(flat, "output.value"),
        )
        return step(flat, number, kind, "openinference", tool=run)
    if kind != "llm":
        return step(flat, number, kind, "openinference", agent=agent)
    return step(
        flat,
        number,
        kind,
        "openinference",
        given=_inference_side(flat, "input"),
        said=_inference_side(flat, "output"),
        model=as_text(held(flat, "llm.model_name")),
        settings=decode_text(held(flat, "llm.invocation_parameters")),
        tools=tuple(_inference_tool(item) for item in flat.indexed("llm.tools")),
        prompt_tokens=as_count(held(flat, "llm.token_count.prompt")),
        completion_tokens=as_count(held(flat, "llm.token_count.completion")),
        cost_usd=as_number(held(flat, "llm.cost.total")),
    )


def _inference_tool(item: JsonValue) -> JsonValue:
    tool = as_object(item)
    schema = as_object(tool.get("tool")).get("json_schema", tool.get("tool.json_schema"))
    return decode_text(schema if schema is not None else item)


def _inference_side(flat: FlatSpan, side: str) -> tuple[DraftMessage, ...]:
    items = [_inference_message(item) for item in flat.indexed(f"llm.{side}_messages")]
    role = "user" if side == "input" else "assistant"
    return messages_of(items or held(flat, f"{side}.value"), role)


def _inference_message(item: JsonValue) -> JsonValue:
    """A message of this dialect in the shape of a chat."""
    message = as_object(as_object(item).get("message", item))
    texts = [
        as_object(as_object(c).get("message_content", c)) for c in as_list(message.get("contents"))
    ]
    calls = [
        as_object(as_object(c).get("tool_call", c)) for c in as_list(message.get("tool_calls"))
    ]
    content = message.get("content")
    shown = [{"type": "text", "text": text.get("text")} for text in texts if "text" in text]
    return {
        "role": message.get("role", "assistant"),
        "content": content if content is not None else shown or None,
        "tool_calls": calls or None,
        "tool_call_id": message.get("tool_call_id"),
        "name": message.get("name"),
        "function_call": _legacy(message),
    }


def _legacy(message: JsonObject) -> JsonValue:
    name = as_text(message.get("function_call_name"))
    given = message.get("function_call_arguments_json")
    return None if name is None else {"name": name, "arguments": given}
