"""JSON objects in what a model wrote around them."""

import json
from collections.abc import Callable
from typing import Any, cast

_TAIL = 32_000
_LONGEST = 8_000
"""Characters that are searched and that an object may have: without bounds, brackets that are
never closed take a time that grows with the square of their number."""


def last_object(
    text: str, is_wanted: Callable[[dict[str, Any]], bool] = lambda _: True
) -> dict[str, Any] | None:
    """The last JSON object in a text that is wanted; models think aloud before they answer."""
    decoder = json.JSONDecoder()
    text = text[-_TAIL:]
    found: dict[str, Any] | None = None
    place = text.find("{")
    while place >= 0:
        try:
            value, length = decoder.raw_decode(text[place : place + _LONGEST])
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        if isinstance(value, dict) and is_wanted(cast("dict[str, Any]", value)):
            found = cast("dict[str, Any]", value)
        place = text.find("{", place + length)
    return found
