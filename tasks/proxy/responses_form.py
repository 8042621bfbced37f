"""Responses: `instructions` and `input` items in, `output` items out.

The history must stand in the request. One that only names `previous_response_id` or a
`conversation` keeps it where it cannot be seen, and is not steered.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.harness import Conditioned
from tasks.proxy.chat_form import OURS
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
from tasks.proxy.responses_events import response_events

IS_ERROR = "is_error"
_BY_MODEL = ("function_call", "reasoning")
_RESULT = "function_call_output"


class ResponsesForm:
    """The form of `/v1/responses`."""

    name = "responses"
    path = "/responses"

    def read(self, body: Mapping[str, Any]) -> Talk:
        """Take a request apart; one whose history is kept elsewhere is not steered."""
        if body.get("previous_response_id") or body.get("conversation") or body.get("prompt"):
            message = "the request's history is kept by the upstream"
            raise MalformedBodyError(message)
        items = _items(body.get("input"))
        groups = _grouped(items)
        opening = [_chat_message(item) for item in groups[0]]
        instructions = body.get("instructions")
        if isinstance(instructions, str) and instructions:
            opening.insert(0, {"role": "system", "content": instructions})
        exchanges = [
            Exchange(_said(said), tuple(map(_answer, answers)))
            for said, answers in zip(groups[1::2], groups[2::2], strict=True)
        ]
        tools = mappings(body.get("tools") or [], "tools")
        functions = [read for tool in tools if (read := chat_tool(tool)) is not None]
        return Talk(tuple(opening), tuple(exchanges), tuple(functions))

    def write(
        self, body: Mapping[str, Any], conditioned: Conditioned, later: Sequence[Item]
    ) -> Item:
        """The request with a conditioned opening and all items behind it, asked as a whole."""
        changed = self.whole(body)
        messages = [dict(message) for message in conditioned.messages]
        if messages and messages[0].get("role") == "system":
            changed["instructions"] = text_of(messages.pop(0)["content"])
        changed["input"] = [*map(_input_message, messages), *later]
        others = [tool for tool in body.get("tools") or [] if chat_tool(tool) is None]
        tools = [*map(_flat, conditioned.tools), *others]
        return changed | {"tools": tools} if tools else changed

    def whole(self, body: Mapping[str, Any]) -> Item:
        """The request as it is, without streaming and without members of ours."""
        kept = {k: v for k, v in body.items() if k not in ("stream", "stream_options", OURS)}
        if isinstance(kept.get("input"), list):
            kept["input"] = [_clean(i) if isinstance(i, dict) else i for i in kept["input"]]
        return kept

    def read_reply(self, payload: Mapping[str, Any]) -> Said:
        """Take a response apart."""
        if payload.get("status") not in ("completed", None):
            message = f"the response is {payload.get('status')}"
            raise MalformedBodyError(message)
        return _said(mappings(payload.get("output"), "output"))

    def write_reply(self, payload: Mapping[str, Any], text: str, calls: Sequence[Written]) -> Item:
        """The response with other calls in it; text and reasoning stay as they are."""
        output = [item for item in payload["output"] if item.get("type") != "function_call"]
        if not calls and not any(item.get("type") == "message" for item in output):
            output.append(_message_item(text))
        return {**payload, "output": [*output, *map(_call_item, calls)]}

    def own_reply(self, body: Mapping[str, Any], said: Said) -> Item:
        """A response that no upstream gave."""
        zero = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
        details = {
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        return {
            "id": "resp_harness",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "model": str(body.get("model", "")),
            "output": list(said.items),
            "parallel_tool_calls": True,
            "tool_choice": body.get("tool_choice", "auto"),
            "tools": body.get("tools") or [],
            "usage": zero | details,
        }

    def said_by_us(self, text: str, calls: Sequence[Written]) -> Said:
        """A reply that no model gave, as it stands in a history."""
        message = [_message_item(text)] if text or not calls else []
        return Said(text, tuple(calls), (*message, *map(_call_item, calls)))

    def result(self, call_id: str, text: str) -> Item:
        """The result of a call."""
        return {"type": _RESULT, "call_id": call_id, "output": text}

    def words(self, text: str) -> Item:
        """Words of the user."""
        return {"role": "user", "content": text}

    def with_text(self, item: Item, added: str) -> Item:
        """An item with text behind its own."""
        member = "output" if item.get("type") == _RESULT else "content"
        content = item.get(member)
        if isinstance(content, list):
            return {**item, member: [*content, {"type": "input_text", "text": added.strip()}]}
        return {**item, member: (text_of(content) + added).lstrip("\n")}

    def usage(self, payload: Mapping[str, Any]) -> Usage:
        """What a response says it cost."""
        counts = payload.get("usage")
        counts = counts if isinstance(counts, dict) else {}
        status = payload.get("status")
        return Usage(
            count_of(counts.get("input_tokens")),
            count_of(counts.get("output_tokens")),
            status if isinstance(status, str) else None,
        )

    def error_events(self, body: bytes) -> Iterator[bytes]:
        """An answer that is no reply as an error in a stream."""
        error = error_of(body)["error"]
        told = error if isinstance(error, dict) else {"message": str(error)}
        event = {"type": "error", "code": str(told.get("code")), "param": None}
        event |= {"message": str(told.get("message")), "sequence_number": 0}
        yield f"event: error\ndata: {json.dumps(event)}\n\n".encode()

    def events(self, payload: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[bytes]:
        """The response as the events a client expects, each part in one piece."""
        del body
        return response_events(payload)


def _items(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return mappings(value, "input")


def _is_by_model(item: Mapping[str, Any]) -> bool:
    return item.get("type") in _BY_MODEL or item.get("role") == "assistant"


def _grouped(items: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Opening, then in turns what the model said and what came back; of odd length."""
    groups: list[list[Mapping[str, Any]]] = [[]]
    for item in items:
        is_said = len(groups) % 2 == 0
        if _is_by_model(item) is not is_said:
            groups.append([])
        groups[-1].append(item)
    return groups if len(groups) % 2 else [*groups, []]


def _chat_message(item: Mapping[str, Any]) -> Item:
    if item.get("type") not in (None, "message"):
        message = f"an item of type {item.get('type')} stands before the first reply"
        raise MalformedBodyError(message)
    return {"role": str(item.get("role", "user")), "content": item.get("content")}


def _input_message(message: Mapping[str, Any]) -> Item:
    content = message.get("content")
    if isinstance(content, list):
        parts = [
            {**part, "type": "input_text"} if part.get("type") == "text" else part
            for part in content
        ]
        return {**message, "content": parts}
    return dict(message)


def _said(items: Sequence[Mapping[str, Any]]) -> Said:
    texts = [text_of(item.get("content")) for item in items if item.get("role") == "assistant"]
    calls = [item for item in items if item.get("type") == "function_call"]
    unknown = [i for i in items if not _is_by_model(i)]
    if unknown:
        message = f"an output item of type {unknown[0].get('type')} is not known"
        raise MalformedBodyError(message)
    return Said(
        "\n".join(text for text in texts if text),
        tuple(map(_written, calls)),
        tuple(dict(item) for item in items),
        "\n".join(_summary(item) for item in items if item.get("type") == "reasoning"),
    )


def _summary(item: Mapping[str, Any]) -> str:
    return text_of(item.get("summary")) or text_of(item.get("content"))


def _written(item: Mapping[str, Any]) -> Written:
    arguments = item.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return Written(str(item.get("call_id") or ""), str(item.get("name") or ""), text)


def _answer(item: Mapping[str, Any]) -> Answer:
    is_error = item.get(IS_ERROR)
    is_result = item.get("type") == _RESULT
    mapping(item, "an input item")
    return Answer(
        str(item.get("call_id") or "") if is_result else None,
        text_of(item.get("output") if is_result else item.get("content")),
        is_error if isinstance(is_error, bool) else None,
        _clean(item),
    )


def _clean(item: Mapping[str, Any]) -> Item:
    return {key: value for key, value in item.items() if key != IS_ERROR}


def _message_item(text: str) -> Item:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": "msg_harness",
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }


def _call_item(call: Written) -> Item:
    return {
        "type": "function_call",
        "id": f"fc_{call.call_id}",
        "call_id": call.call_id,
        "name": call.tool,
        "arguments": call.arguments,
        "status": "completed",
    }


def _flat(tool: Mapping[str, Any]) -> Item:
    """A function definition as response requests hold it."""
    return {"type": "function", **tool["function"]}
