"""Spans of the AI SDK: messages as JSON text with parts of its own."""

from collections.abc import Callable

from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftMessage
from tasks.importers.payload import decode_text, messages_of, tools_of
from tasks.importers.reading import (
    JsonObject,
    as_content,
    as_count,
    as_list,
    as_object,
    as_text,
)
from tasks.importers.span_attributes import FlatSpan
from tasks.importers.span_steps import held, run_of, settings_of, step
from tasks.importers.spans import Span


def read_ai_sdk(flat: FlatSpan, number: int) -> Span | None:
    """A step; null when the span names no operation of the AI SDK."""
    operation = as_text(held(flat, "ai.operationId"))
    if operation is None:
        return None
    if operation == "ai.toolCall":
        run = run_of(
            flat,
            held(flat, "ai.toolCall.name"),
            held(flat, "ai.toolCall.id"),
            held(flat, "ai.toolCall.args", "ai.toolCall.input"),
            held(flat, "ai.toolCall.result", "ai.toolCall.output"),
        )
        return step(flat, number, "tool", "ai_sdk", tool=run)
    if not operation.endswith((".doGenerate", ".doStream")):
        is_agent = operation in ("ai.generateText", "ai.streamText")
        agent = as_text(held(flat, "ai.telemetry.functionId"))
        return step(flat, number, "agent" if is_agent else "other", "ai_sdk", agent=agent)
    return step(
        flat,
        number,
        "llm",
        "ai_sdk",
        given=_ai_given(flat),
        said=_ai_said(flat),
        model=as_text(held(flat, "ai.response.model", "ai.model.id")),
        settings=settings_of(flat, "ai.settings."),
        tools=tuple(tools_of(held(flat, "ai.prompt.tools"))),
        prompt_tokens=as_count(held(flat, "ai.usage.promptTokens", "ai.usage.inputTokens")),
        completion_tokens=as_count(
            held(flat, "ai.usage.completionTokens", "ai.usage.outputTokens")
        ),
        finish_reason=as_text(held(flat, "ai.response.finishReason")),
    )


def _ai_given(flat: FlatSpan) -> tuple[DraftMessage, ...]:
    """Messages whose parts are calls and results of this dialect, in the shape of blocks."""
    items = as_list(decode_text(held(flat, "ai.prompt.messages")))
    return messages_of([_ai_message(item) for item in items], "user")


_AI_PARTS: dict[str, Callable[[JsonObject], JsonValue]] = {
    "tool-call": lambda part: {
        "type": "tool_use",
        "id": part.get("toolCallId"),
        "name": part.get("toolName"),
        "input": part.get("input", part.get("args")),
    },
    "tool-result": lambda part: {
        "type": "tool_result",
        "tool_use_id": part.get("toolCallId"),
        "content": as_content(part.get("output", part.get("result"))),
    },
    "reasoning": lambda part: {"type": "thinking", "thinking": part.get("text")},
}


def _ai_message(item: JsonValue) -> JsonValue:
    message = as_object(item)
    if not isinstance(message.get("content"), list):
        return item
    parts = [as_object(part) for part in message["content"]]
    known = [_AI_PARTS.get(as_text(part.get("type")) or "", lambda p: p)(part) for part in parts]
    role = "user" if message.get("role") == "tool" else message.get("role")
    return {"role": role, "content": known}


def _ai_said(flat: FlatSpan) -> tuple[DraftMessage, ...]:
    calls = [as_object(call) for call in as_list(decode_text(held(flat, "ai.response.toolCalls")))]
    text = held(flat, "ai.response.text", "ai.response.object")
    if text is None and not calls:
        return ()
    written = [
        {
            "id": call.get("toolCallId"),
            "function": {
                "name": call.get("toolName"),
                "arguments": call.get("input", call.get("args")),
            },
        }
        for call in calls
    ]
    return messages_of({"role": "assistant", "content": text, "tool_calls": written}, "assistant")
