"""Reads members of untrusted JSON objects by the type they should have."""

import math
from typing import Any

from schemas.ids import canonical_json
from tasks.importers.decoding import JsonValue

JsonObject = dict[str, Any]
MOST = 2**53


class Unreadable(Exception):
    """An element is not what its format says; the message says where and why."""


def as_object(value: JsonValue) -> JsonObject:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue) -> str | None:
    """The value if it is text."""
    return value if isinstance(value, str) else None


def as_number(value: JsonValue) -> float | None:
    """The value if it is a finite number; truth values and texts are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and abs(value) > MOST:
        return None
    return float(value) if math.isfinite(value) else None


def as_count(value: JsonValue) -> int | None:
    """The value if it is a whole number from 0 that a column can hold."""
    number = as_number(value)
    if number is None or number < 0 or number > MOST or number != int(number):
        return None
    return int(number)


def as_amount(value: JsonValue) -> float | None:
    """A number that may have been written as text, as decimals are."""
    try:
        return as_number(float(value)) if isinstance(value, str) else as_number(value)
    except ValueError:
        return None


def as_name(value: JsonValue) -> str | None:
    """An id or name: text that is not blank, or a whole number."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def as_content(value: JsonValue) -> str | None:
    """Message content as text: text as it is, text parts joined, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        parts = [as_object(part).get("text") for part in value]
        if all(isinstance(part, str) for part in parts):
            return "\n".join(str(part) for part in parts)
    return canonical_json(value)


def drop_nulls(value: JsonValue) -> JsonValue:
    """Leave out null members, which columnar writers add everywhere."""
    if isinstance(value, dict):
        return {key: drop_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [drop_nulls(item) for item in value]
    return value


def require_object(value: JsonValue, what: str) -> JsonObject:
    """The value, which must be an object.

    Raises:
        Unreadable: it is something else.
    """
    if isinstance(value, dict):
        return value
    message = f"{what} is no object but {describe(value)}"
    raise Unreadable(message)


def require_list(value: JsonValue, what: str) -> list[JsonValue]:
    """The value, which must be a list.

    Raises:
        Unreadable: it is something else.
    """
    if isinstance(value, list):
        return value
    message = f"{what} is no list but {describe(value)}"
    raise Unreadable(message)


def describe(value: JsonValue) -> str:
    """Name a value's type for people."""
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "a truth value"
    names: dict[type, str] = {str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
