"""Chat completions: `messages` in, one choice out."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.harness import Conditioned
from tasks.proxy.forms import (
    Answer,
    Exchange,
    Item,
    MalformedBodyError,
    Said,
    Talk,
    Usage,
    Written,
    chat_tool,
    count_of,
    error_of,
    mapping,
    mappings,
    text_of,
)

OURS = "tackroom"
"""Member of a body with which a client that knows of us can say more."""
_REPLY_ONLY = frozenset({"annotations", "audio", "function_call"})
"""Members of a reply that endpoints do not take back in a history."""
IS_ERROR = "is_error"
"""Member of a tool message with which a client can say that the call failed."""


class ChatForm:
    """The form of `/v1/chat/completions`."""

    name = "chat"
    path = "/chat/completions"

    def read(self, body: Mapping[str, Any]) -> Talk:
        """Take a request apart; legacy `functions` and several choices are not steered."""
        if body.get("functions") or body.get("n") not in (None, 1):
            message = "the request asks for several choices or uses legacy functions"
            raise MalformedBodyError(message)
        messages = mappings(body.get("messages"), "messages")
        starts = [at for at, one in enumerate(messages) if one.get("role") == "assistant"]
        ends = [*starts[1:], len(messages)]
        opening = messages[: starts[0]] if starts else messages
        exchanges = [
            Exchange(_said(messages[start]), tuple(map(_answer, messages[start + 1 : end])))
            for start, end in zip(starts, ends, strict=False)
        ]
        tools = mappings(body.get("tools") or [], "tools")
        return Talk(
            tuple(_as_system(_clean(one), messages) for one in opening),
            tuple(exchanges),
            tuple(read for tool in tools if (read := chat_tool(tool)) is not None),
        )

    def write(
        self, body: Mapping[str, Any], conditioned: Conditioned, later: Sequence[Item]
    ) -> Item:
        """The request with a conditioned opening and all items behind it, asked as a whole."""
        asked = mappings(body.get("messages"), "messages")
        opening = [_as_developer(one, asked) for one in conditioned.messages]
        changed = self.whole(body) | {"messages": [*opening, *later]}
        tools = _with_others(body.get("tools") or [], conditioned.tools)
        return changed | {"tools": tools} if tools else changed

    def whole(self, body: Mapping[str, Any]) -> Item:
        """The request as it is, without streaming and without members of ours."""
        kept = {k: v for k, v in body.items() if k not in ("stream", "stream_options", OURS)}
        messages = body.get("messages")
        if isinstance(messages, list) and any(IS_ERROR in m for m in messages if _is_object(m)):
            kept["messages"] = [_clean(m) if _is_object(m) else m for m in messages]
        return kept

    def read_reply(self, payload: Mapping[str, Any]) -> Said:
        """Take a response apart."""
        choices = mappings(payload.get("choices"), "choices")
        if len(choices) != 1:
            message = f"{len(choices)} choices"
            raise MalformedBodyError(message)
        message = mapping(choices[0].get("message"), "message")
        kept = {k: v for k, v in message.items() if v is not None and k not in _REPLY_ONLY}
        return _said(kept)

    def write_reply(self, payload: Mapping[str, Any], text: str, calls: Sequence[Written]) -> Item:
        """The response with another text and other calls in it."""
        choice = dict(payload["choices"][0])
        message = {k: v for k, v in choice["message"].items() if k != "tool_calls"}
        message["content"] = text if text or not calls else message.get("content")
        if calls:
            message["tool_calls"] = [_call_item(call) for call in calls]
        reason = "tool_calls" if calls else "stop"
        choice |= {"message": message, "finish_reason": reason, "logprobs": None}
        return {**payload, "choices": [choice]}

    def own_reply(self, body: Mapping[str, Any], said: Said) -> Item:
        """A response that no upstream gave."""
        message = said.items[0]
        reason = "tool_calls" if said.calls else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        return {
            "id": "chatcmpl-harness",
            "object": "chat.completion",
            "created": 0,
            "model": str(body.get("model", "")),
            "choices": [choice],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }

    def said_by_us(self, text: str, calls: Sequence[Written]) -> Said:
        """A reply that no model gave, as it stands in a history."""
        message: Item = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [_call_item(call) for call in calls]
        return Said(text, tuple(calls), (message,))

    def result(self, call_id: str, text: str) -> Item:
        """The result of a call."""
        return {"role": "tool", "tool_call_id": call_id, "content": text}

    def words(self, text: str) -> Item:
        """Words of the user."""
        return {"role": "user", "content": text}

    def with_text(self, item: Item, added: str) -> Item:
        """An item with text behind its own."""
        content = item.get("content")
        if isinstance(content, list):
            return {**item, "content": [*content, {"type": "text", "text": added.strip()}]}
        return {**item, "content": (text_of(content) + added).lstrip("\n")}

    def usage(self, payload: Mapping[str, Any]) -> Usage:
        """What a response says it cost."""
        counts = payload.get("usage")
        counts = counts if isinstance(counts, dict) else {}
        reason = payload["choices"][0].get("finish_reason")
        return Usage(
            count_of(counts.get("prompt_tokens")),
            count_of(counts.get("completion_tokens")),
            reason if isinstance(reason, str) else None,
        )

    def error_events(self, body: bytes) -> Iterator[bytes]:
        """An answer that is no reply as an error in a stream."""
        yield _event(error_of(body))

    def events(self, payload: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[bytes]:
        """The response as one chunk for each part of the reply."""
        frame = {k: v for k, v in payload.items() if k not in ("choices", "usage")}
        frame["object"] = "chat.completion.chunk"
        for choice in payload["choices"]:
            index = choice.get("index", 0)
            message = choice["message"]
            calls = [
                {"index": at, **call} for at, call in enumerate(message.get("tool_calls") or [])
            ]
            delta = {**message, "tool_calls": calls} if calls else dict(message)
            part = _part(index, delta, None) | {"logprobs": choice.get("logprobs")}
            yield _event(frame | {"choices": [part]})
            yield _event(frame | {"choices": [_part(index, {}, choice.get("finish_reason"))]})
        options = body.get("stream_options")
        if isinstance(options, dict) and options.get("include_usage"):
            yield _event(frame | {"choices": [], "usage": payload.get("usage")})
        yield b"data: [DONE]\n\n"


def _said(message: Mapping[str, Any]) -> Said:
    calls = mappings(message.get("tool_calls") or [], "tool_calls")
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    return Said(
        text_of(message.get("content")),
        tuple(_written(call) for call in calls),
        (_clean(message),),
        reasoning if isinstance(reasoning, str) else "",
    )


def _written(call: Mapping[str, Any]) -> Written:
    function = mapping(call.get("function"), "a function call")
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return Written(str(call.get("id") or ""), str(function.get("name") or ""), text)


def _call_item(call: Written) -> Item:
    function = {"name": call.tool, "arguments": call.arguments}
    return {"id": call.call_id, "type": "function", "function": function}


def _answer(message: Mapping[str, Any]) -> Answer:
    is_error = message.get(IS_ERROR)
    return Answer(
        str(message.get("tool_call_id") or "") if message.get("role") == "tool" else None,
        text_of(message.get("content")),
        is_error if isinstance(is_error, bool) else None,
        _clean(message),
    )


def _clean(message: Mapping[str, Any]) -> Item:
    return {key: value for key, value in message.items() if key != IS_ERROR}


def _has_only_developer(messages: Sequence[Mapping[str, Any]]) -> bool:
    roles = {message.get("role") for message in messages}
    return "developer" in roles and "system" not in roles


def _as_system(message: Item, messages: Sequence[Mapping[str, Any]]) -> Item:
    """A developer message as the system message it is to harnesses, where there is no other."""
    is_one = message.get("role") == "developer" and _has_only_developer(messages)
    return {**message, "role": "system"} if is_one else message


def _as_developer(message: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> Item:
    is_one = message.get("role") == "system" and _has_only_developer(messages)
    return {**message, "role": "developer"} if is_one else dict(message)


def _with_others(written: object, functions: Sequence[Mapping[str, Any]]) -> list[Item]:
    """Conditioned functions with the tools that are none behind them."""
    others = [tool for tool in mappings(written, "tools") if chat_tool(tool) is None]
    return [dict(tool) for tool in [*functions, *others]]


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _part(index: int, delta: Mapping[str, Any], reason: object) -> Item:
    return {"index": index, "delta": dict(delta), "finish_reason": reason, "logprobs": None}


def _event(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return b"data: " + text.encode("utf-8", "replace") + b"\n\n"
