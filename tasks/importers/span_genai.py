"""Spans of the GenAI conventions, of their older forms, and of AgentOps and OpenLLMetry."""

from tasks.importers.decoding import JsonValue
from tasks.importers.draft import DraftMessage
from tasks.importers.parts import text_parts
from tasks.importers.payload import decode_text, messages_of, tools_of
from tasks.importers.reading import (
    as_count,
    as_list,
    as_number,
    as_object,
    as_text,
)
from tasks.importers.span_attributes import FlatSpan
from tasks.importers.span_steps import KINDS, held, run_of, settings_of, step
from tasks.importers.spans import Kind, Span, ToolRun

_ASKING = frozenset({"chat", "text_completion", "generate_content", "completion", "message"})
_OPERATIONS: dict[str, Kind] = {"execute_tool": "tool", "invoke_agent": "agent"}
_OPERATIONS |= {"create_agent": "agent", "invoke_workflow": "agent"}


def _genai_kind(flat: FlatSpan) -> Kind | None:
    operation = as_text(held(flat, "gen_ai.operation.name"))
    told = as_text(held(flat, "agentops.span.kind", "traceloop.span.kind"))
    if operation is not None:
        return "llm" if operation in _ASKING else _OPERATIONS.get(operation, "other")
    if told is not None and told in KINDS:
        return KINDS[told]
    is_asking = any(
        name.startswith(
            ("gen_ai.prompt", "gen_ai.completion", "gen_ai.request.model", "llm.request")
        )
        for name in flat.attributes
    )
    if "gen_ai.tool.call.id" in flat.attributes:
        return "tool"
    return "llm" if is_asking else None


def _genai_messages(flat: FlatSpan, newer: str, older: str, event: str) -> JsonValue:
    given = held(flat, f"gen_ai.{newer}.messages")
    if given is not None:
        return given
    indexed = flat.indexed(f"gen_ai.{older}")
    if indexed:
        return [_older_message(item) for item in indexed]
    given = held(flat, f"gen_ai.{older}")
    if given is not None:
        return given
    told = (one.get(f"gen_ai.{newer}.messages", one.get(event)) for one in flat.events)
    return next((value for value in told if value is not None), None)


def _older_message(item: JsonValue) -> JsonValue:
    """A message of indexed names, whose calls have their members at the top."""
    message = dict(as_object(item))
    message.setdefault("role", "assistant")
    message.setdefault("content", None)
    calls = [as_object(call) for call in as_list(message.get("tool_calls"))]
    if calls:
        message["tool_calls"] = calls
    return message


def read_genai(flat: FlatSpan, number: int) -> Span | None:
    """A step; null when no attribute is of these conventions."""
    kind = _genai_kind(flat)
    if kind is None:
        return None
    agent = as_text(held(flat, "gen_ai.agent.name")) or as_text(held(flat, "gen_ai.agent.id"))
    is_older = "gen_ai.input.messages" not in flat.attributes and any(
        name.startswith(("gen_ai.prompt", "gen_ai.completion")) for name in flat.attributes
    )
    dialect = "gen_ai_older" if is_older else "gen_ai"
    if kind == "tool":
        return step(flat, number, kind, dialect, agent=agent, tool=_genai_run(flat))
    if kind != "llm":
        return step(flat, number, kind, dialect, agent=agent)
    given = messages_of(_genai_messages(flat, "input", "prompt", "gen_ai.prompt"), "user")
    said = messages_of(
        _genai_messages(flat, "output", "completion", "gen_ai.completion"), "assistant"
    )
    finish = as_list(decode_text(held(flat, "gen_ai.response.finish_reasons")))
    return step(
        flat,
        number,
        kind,
        dialect,
        agent=agent,
        given=_with_system(held(flat, "gen_ai.system_instructions"), given),
        said=said,
        model=as_text(held(flat, "gen_ai.response.model", "gen_ai.request.model")),
        settings=settings_of(flat, "gen_ai.request."),
        tools=tuple(tools_of(held(flat, "gen_ai.tool.definitions"))),
        prompt_tokens=as_count(
            held(flat, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
        ),
        completion_tokens=as_count(
            held(flat, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
        ),
        cost_usd=as_number(held(flat, "gen_ai.usage.cost")),
        finish_reason=as_text(finish[0]) if finish else None,
    )


def _genai_run(flat: FlatSpan) -> ToolRun:
    return run_of(
        flat,
        held(flat, "gen_ai.tool.name", "tool.name"),
        held(flat, "gen_ai.tool.call.id"),
        held(flat, "gen_ai.tool.call.arguments", "input", "agentops.entity.input"),
        held(flat, "gen_ai.tool.call.result", "output", "agentops.entity.output"),
    )


def _with_system(given: JsonValue, messages: tuple[DraftMessage, ...]) -> tuple[DraftMessage, ...]:
    text = text_parts(decode_text(given))
    if not text or any(message.role == "system" for message in messages):
        return messages
    return (DraftMessage(role="system", text=text), *messages)
