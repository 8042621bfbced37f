"""A finished response told as the stream of events its client waits for."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

Event = dict[str, Any]


def response_events(payload: Mapping[str, Any]) -> Iterator[bytes]:
    """All events in order, numbered, each part in one piece."""
    for number, event in enumerate(_events(payload)):
        text = json.dumps({**event, "sequence_number": number}, ensure_ascii=False)
        yield f"event: {event['type']}\ndata: {text}\n\n".encode("utf-8", "replace")


def _events(payload: Mapping[str, Any]) -> Iterator[Event]:
    begun = {**payload, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(payload["output"]):
        yield from _item_events(index, item)
    yield {"type": "response.completed", "response": dict(payload)}


def _item_events(index: int, item: Mapping[str, Any]) -> Iterator[Event]:
    place = {"output_index": index, "item_id": item.get("id", "")}
    empty = {"function_call": {"arguments": ""}, "message": {"content": []}}
    begun = {**item, **empty.get(item.get("type", ""), {}), "status": "in_progress"}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    if item.get("type") == "function_call":
        text = item["arguments"]
        base = "response.function_call_arguments"
        yield {"type": f"{base}.delta", **place, "delta": text}
        yield {"type": f"{base}.done", **place, "arguments": text, "name": item.get("name", "")}
    for number, part in enumerate(item.get("content") or []):
        yield from _part_events({**place, "content_index": number}, part)
    yield {"type": "response.output_item.done", "output_index": index, "item": dict(item)}


def _part_events(place: Event, part: Mapping[str, Any]) -> Iterator[Event]:
    is_text = part.get("type") == "output_text"
    begun = {**part, "text": ""} if is_text else dict(part)
    yield {"type": "response.content_part.added", **place, "part": begun}
    if is_text:
        text = part.get("text", "")
        yield {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []}
        yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": dict(part)}
