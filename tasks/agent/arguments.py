"""Argument text of a tool call as a model wrote it: a JSON object, or why it is none."""

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from schemas.ids import canonical_json
from schemas.text import clean_text
from tasks.agent.protocols import JsonObject

MAX_DEPTH = 64
_SPACE = " \t\n\r"


@dataclass(frozen=True)
class ParsedArguments:
    """Arguments of a call.

    Attributes:
        arguments: the object; null when the text is not one.
        canonical: the object as canonical JSON; null when the text is not one.
        error: why the text could not be used, for people and models; null when it could.
        error_kind: `arguments_not_json`, `trailing_data` or `not_an_object`.
    """

    arguments: JsonObject | None
    canonical: str | None
    error: str | None = None
    error_kind: str | None = None


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is not a JSON value"
    raise ValueError(message)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _failed(kind: str, error: str) -> ParsedArguments:
    return ParsedArguments(None, None, error, kind)


def clean_value(value: Any, depth: int = 0) -> Any:
    """Make a decoded JSON value storable: clean text, finite numbers, bounded depth.

    Raises:
        ValueError: it is nested too deeply or holds a number outside the range of JSON.
    """
    if depth > MAX_DEPTH:
        message = f"nested more than {MAX_DEPTH} levels deep"
        raise ValueError(message)
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        message = "a number is out of range"
        raise ValueError(message)
    if isinstance(value, dict):
        items = cast("JsonObject", value).items()
        return {clean_text(key): clean_value(item, depth + 1) for key, item in items}
    if isinstance(value, list):
        return [clean_value(item, depth + 1) for item in cast("list[Any]", value)]
    return value


def _describe(value: Any) -> str:
    names: dict[type, str] = {
        str: "text",
        list: "a list",
        bool: "a truth value",
        int: "a number",
        float: "a number",
        object: "null",
    }
    return next(name for kind, name in names.items() if isinstance(value, kind))


def _decode(text: str) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        message = f"{error.msg} at character {error.pos}"
        raise ValueError(message) from error
    except RecursionError as error:
        message = f"nested more than {MAX_DEPTH} levels deep"
        raise ValueError(message) from error


def parse_arguments(raw: str | None) -> ParsedArguments:
    """Read argument text strictly; empty text and `null` count as an object without members.

    Two glued objects are trailing data, never the first of the two. A doubly encoded object is
    text, hence not an object.
    """
    text = (raw or "").strip(_SPACE)
    if text in {"", "null"}:
        return ParsedArguments({}, "{}")
    try:
        value, end = _decode(text)
        if end != len(text):
            return _failed("trailing_data", f"trailing data after character {end}")
        if not isinstance(value, dict):
            return _failed("not_an_object", f"not an object but {_describe(value)}")
        arguments = cast("JsonObject", clean_value(value))
        return ParsedArguments(arguments, canonical_json(arguments))
    except ValueError as error:
        return _failed("arguments_not_json", f"not valid JSON: {error}")
