"""JSON objects in what a model wrote around them."""

import json
from collections.abc import Callable
from typing import Any, cast


def last_object(
    text: str, is_wanted: Callable[[dict[str, Any]], bool] = lambda _: True
) -> dict[str, Any] | None:
    """The last JSON object in a text that is wanted; models think aloud before they answer."""
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    place = text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        if isinstance(value, dict) and is_wanted(cast("dict[str, Any]", value)):
            found = cast("dict[str, Any]", value)
        place = text.find("{", end)
    return found
