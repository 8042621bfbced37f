"""Chat completions on the wire: our messages into a request, a response into a reply."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from schemas.errors import ModelFault
from schemas.ids import canonical_json
from tasks.agent.arguments import parse_arguments
from tasks.agent.protocols import JsonObject, ModelReply, RawCall
from tasks.agent.reasoning import take_reasoning, text_of

Message = Mapping[str, Any]
NAME_LENGTH = 64
SERVED_LENGTH = 200
MALFORMED = "malformed_arguments"
"""Member under which argument text that is no object goes back to the endpoint."""


def native_messages(messages: Sequence[Message]) -> list[Message]:
    """Make a conversation acceptable to strict servers.

    Many servers decode the arguments of earlier calls and refuse the whole request when one is
    no JSON object, so such a text goes back as a member of an object. The record keeps the raw
    text.
    """
    return [_native(message) if message.get("tool_calls") else message for message in messages]


def _native(message: Message) -> Message:
    return {**message, "tool_calls": [_native_call(call) for call in message["tool_calls"]]}


def _native_call(call: Message) -> Message:
    function = call["function"]
    sent = {
        "name": _tool_name(function["name"]),
        "arguments": _native_arguments(function["arguments"]),
    }
    return {**call, "function": sent}


# Every request tells all earlier calls again.
@lru_cache(maxsize=4096)
def _native_arguments(raw: str) -> str:
    if parse_arguments(raw).error:
        return canonical_json({MALFORMED: raw})
    return raw if raw.strip().startswith("{") else "{}"


@lru_cache(maxsize=1024)
def _tool_name(name: str) -> str:
    """Reduce a name to the characters that endpoints take."""
    kept = "".join(
        char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name
    )
    return kept[:NAME_LENGTH] or "unnamed"


def _malformed(what: str) -> ModelFault:
    return ModelFault(f"the endpoint's response {what}", kind="malformed")


def _object(value: Any, what: str) -> JsonObject:
    if not isinstance(value, dict):
        raise _malformed(what)
    return cast("JsonObject", value)


def read_reply(payload: object) -> ModelReply:
    """Read a response; what the model said is kept as it is.

    A message without text and calls is an empty reply: the model said nothing, the endpoint is
    not to blame.

    Raises:
        ModelFault: it is no chat completion.
    """
    body = _object(payload, "is not a JSON object")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        what = f"has no choices{_server_message(body)}"
        raise _malformed(what)
    choice = _object(cast("list[Any]", choices)[0], "has a choice that is no object")
    message = _object(choice.get("message"), "has a choice without a message")
    usage = cast("object", body.get("usage"))
    counts = cast("JsonObject", usage) if isinstance(usage, dict) else {}
    thought = take_reasoning(message)
    return ModelReply(
        text=thought.text or text_of(message.get("refusal")),
        calls=_calls(message),
        reasoning=thought.reasoning or None,
        finish_reason=text_of(choice.get("finish_reason")) or None,
        prompt_tokens=_count(counts.get("prompt_tokens")),
        completion_tokens=_count(counts.get("completion_tokens")),
        served_model=text_of(body.get("model"))[:SERVED_LENGTH] or None,
        system_fingerprint=text_of(body.get("system_fingerprint"))[:SERVED_LENGTH] or None,
        logprobs=_logprobs(choice.get("logprobs")),
    )


def _server_message(body: JsonObject) -> str:
    error = body.get("error")
    return f": {canonical_json(error)[:200]}" if isinstance(error, str | dict) else ""


def _logprobs(value: Any) -> tuple[tuple[str, float], ...] | None:
    """Tokens with their log-probabilities; null when there are none, or some make no sense."""
    listed = cast("JsonObject", value).get("content") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        return None
    pairs: list[tuple[str, float]] = []
    for item in cast("list[Any]", listed):
        one = cast("JsonObject", item) if isinstance(item, dict) else {}
        token, logprob = one.get("token"), one.get("logprob")
        if not isinstance(token, str) or not isinstance(logprob, int | float):
            return None
        if not math.isfinite(logprob):
            return None
        pairs.append((token, float(logprob)))
    return tuple(pairs)


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 1e15 else None


def _calls(message: JsonObject) -> tuple[RawCall, ...]:
    listed = message.get("tool_calls")
    calls: list[Any] = cast("list[Any]", listed) if isinstance(listed, list) else []
    if not calls and isinstance(message.get("function_call"), dict):
        calls = [{"function": message["function_call"]}]
    return tuple(_call(call) for call in calls)


def _call(value: Any) -> RawCall:
    """Read a call; what is missing stays empty and becomes the agent's failure, not ours."""
    call = cast("JsonObject", value) if isinstance(value, dict) else {}
    function = call.get("function")
    parts = cast("JsonObject", function) if isinstance(function, dict) else {}
    arguments = parts.get("arguments")
    if arguments is None:
        raw = ""
    elif isinstance(arguments, str):
        raw = arguments
    else:
        raw = _as_text(arguments)
    return RawCall(text_of(parts.get("name")), raw, text_of(call.get("id")))


def _as_text(arguments: Any) -> str:
    """Write down arguments that a server sent as a value; Python's NaN stays visible as such."""
    try:
        return canonical_json(arguments)
    except ValueError:
        return repr(arguments)
