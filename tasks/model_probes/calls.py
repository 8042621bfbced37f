"""Tool calls: one, their results, several in one reply, and calls written as text."""

import re
from typing import Any

from tasks.agent.arguments import parse_arguments
from tasks.agent.protocols import JsonObject
from tasks.agent.text_mode import read_call, text_messages
from tasks.model_probes.desk import Desk, Finding, Heard

INTEGER = {"type": "integer"}
PAIR = {
    "type": "object",
    "properties": {"a": INTEGER, "b": INTEGER},
    "required": ["a", "b"],
    "additionalProperties": False,
}
ADD: JsonObject = {
    "type": "function",
    "function": {
        "name": "add_numbers",
        "description": "Add two whole numbers.",
        "parameters": PAIR,
    },
}
QUESTION = "What is 1794 plus 2537? Use the tool add_numbers."
TWO = "Use add_numbers for 11 plus 22 and also for 33 plus 44: two calls in one reply."
FALLBACK = 'set mode = "text" or "schema"'
# Marks of calls in the words of models, and the parser each takes in vLLM and SGLang.
MARKS = (
    (r"<tool_call>\s*<function=", "qwen3_coder"),
    (r"<tool_call>", "hermes"),
    (r"<\|python_tag\|>", "llama3_json"),
    (r"\[TOOL_CALLS\]", "mistral"),
    (r"<\|tool_calls_section_begin\|>", "kimi_k2"),
    (r"<\uff5ctool\u2581call", "deepseek_v3"),
    (r"<\|channel\|>commentary|to=functions\.", "openai"),
    (r"<function=", "llama4_json"),
    (r"functools\[", "phi4_mini_json"),
    (r"^\s*\[\s*add_numbers\(", "pythonic"),
    (r"\{\s*\"name\"\s*:\s*\"add_numbers\"\s*,\s*\"parameters\"", "llama3_json"),
    (r"\{\s*\"name\"\s*:\s*\"add_numbers\"", "hermes"),
)


async def probe_call(desk: Desk) -> Finding:
    """Whether a tool call comes as one."""
    heard = await desk.ask(QUESTION, most=256, tools=[ADD])
    if heard.refusal:
        return _refused(heard.refusal)
    if heard.calls:
        return _judged(heard.calls[0])
    return _not_called(heard)


def _refused(refusal: str) -> Finding:
    seen = f"refuses tools: {refusal}"
    if "enable-auto-tool-choice" in refusal or "tool-call-parser" in refusal:
        change = "start vLLM with --enable-auto-tool-choice --tool-call-parser NAME"
        return Finding("tool_calls", "defect", seen, f"{change} for this model, or {FALLBACK}")
    if "jinja" in refusal.lower():
        return Finding("tool_calls", "defect", seen, f"start llama.cpp with --jinja, or {FALLBACK}")
    return Finding("tool_calls", "missing", seen, FALLBACK)


def _judged(call: JsonObject) -> Finding:
    raw: Any = call.get("arguments")
    if call.get("name") != "add_numbers":
        seen = f"calls `{str(call.get('name'))[:60]}` instead of add_numbers"
        return Finding("tool_calls", "defect", seen, "check the server's tool-call parser")
    if isinstance(raw, dict):
        seen = "gives arguments as an object, not as its text; read as such"
        return Finding("tool_calls", "ok", seen)
    parsed = parse_arguments(raw if isinstance(raw, str) else "")
    if parsed.error:
        seen = f"argument text cannot be used: {parsed.error}"
        return Finding("tool_calls", "defect", seen, "check the server's tool-call parser")
    return Finding("tool_calls", "ok", f"calls add_numbers with {parsed.canonical}")


def _not_called(heard: Heard) -> Finding:
    text = f"{heard.text} {heard.thought.reasoning}"
    parser = next((name for mark, name in MARKS if re.search(mark, text, re.MULTILINE)), None)
    if parser is None:
        return Finding("tool_calls", "missing", f"answers in words: {text[:80]!r}", FALLBACK)
    seen = f"writes the call into its text, as the parser `{parser}` would read: {text[:80]!r}"
    change = f"vLLM: --enable-auto-tool-choice --tool-call-parser {parser}; SGLang: "
    change += f"--tool-call-parser {parser}; llama.cpp: --jinja"
    return Finding("tool_calls", "defect", seen, change)


async def probe_results(desk: Desk) -> Finding:
    """Whether a conversation with a call and its result is taken."""
    call = {"name": "add_numbers", "arguments": '{"a": 1794, "b": 2537}'}
    messages = [
        {"role": "user", "content": QUESTION},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c00000000", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "c00000000", "content": "4331"},
    ]
    heard = await desk.ask(messages, tools=[ADD])
    if heard.refusal:
        return Finding("tool_results", "missing", f"refuses them: {heard.refusal}", FALLBACK)
    if "4331" in heard.text.replace(",", ""):
        return Finding("tool_results", "ok", "reads the result of a call")
    change = "check that the chat template has a place for tool messages"
    return Finding(
        "tool_results", "unknown", f"does not use the result: {heard.text[:80]!r}", change
    )


async def probe_parallel(desk: Desk) -> Finding:
    """Whether several calls come in one reply, each whole."""
    heard = await desk.ask(TWO, most=256, tools=[ADD])
    if heard.refusal:
        return Finding("parallel_calls", "missing", heard.refusal)
    raw = [str(call.get("arguments")) for call in heard.calls]
    glued = [text for text in raw if parse_arguments(text).error_kind == "trailing_data"]
    if glued:
        change = "update the server, or set sampling.extra_body = { parallel_tool_calls = false }"
        return Finding("parallel_calls", "defect", f"glues calls together: {glued[0][:80]}", change)
    if len(raw) > 1:
        return Finding("parallel_calls", "ok", f"{len(raw)} calls in one reply")
    return Finding("parallel_calls", "missing", "one call a reply, which costs turns only")


async def probe_text(desk: Desk) -> Finding:
    """Whether the model writes calls as text when it is told how."""
    heard = await desk.ask(text_messages([{"role": "user", "content": QUESTION}], [ADD]), most=256)
    if heard.refusal:
        return Finding("text_calls", "missing", heard.refusal)
    call = read_call(heard.text)
    if call is None or parse_arguments(call.arguments).error:
        change = 'an example of a call in the contract helps; or set mode = "schema"'
        return Finding(
            "text_calls", "missing", f"writes no usable call: {heard.text[:80]!r}", change
        )
    return Finding("text_calls", "ok", f"writes {call.name} with {call.arguments[:60]}")
