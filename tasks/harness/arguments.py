"""Argument text of a tool call -> an object, or why it is none; nothing is guessed."""

import json
from dataclasses import dataclass

from pydantic import JsonValue

from .text import JsonObject, is_too_deep, parse_json


@dataclass(frozen=True)
class ParsedArguments:
    """The object, or the reason why there is none."""

    value: JsonObject | None
    error: str | None = None


def parse_arguments(raw: str | None) -> ParsedArguments:
    """Parse argument text; a call without any text is a call without arguments."""
    if raw is None or not raw.strip():
        return ParsedArguments({})
    try:
        value: JsonValue = parse_json(raw)
    except json.JSONDecodeError as error:
        return ParsedArguments(None, _explain(error))
    except (ValueError, RecursionError) as error:
        return ParsedArguments(None, f"arguments are not JSON: {str(error)[:120]}")
    if not isinstance(value, dict):
        return ParsedArguments(None, f"arguments are {_kind(value)}, not a JSON object")
    if is_too_deep(value):
        return ParsedArguments(None, "arguments are nested too deeply")
    return ParsedArguments(value)


def _explain(error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        return f"arguments have trailing data after the JSON object at character {error.pos}"
    return f"arguments are not JSON: {error.msg} at character {error.pos}"


def _kind(value: JsonValue) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "a number"
