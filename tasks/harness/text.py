"""Text and JSON as the runtime keeps them: LF, NFC, no lone surrogates, bounded, hashable."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring as _encode_string
from math import isinf
from typing import cast

from pydantic import JsonValue

JsonObject = dict[str, JsonValue]
ID_HEX_DIGITS = 16
MAX_DEPTH = 64
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=str)


def normalise(text: str) -> str:
    """Turn line ends into LF and the text into NFC; lone surrogates become U+FFFD."""
    joined = without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", joined)


def without_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates, which no encoder accepts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def canonical_json(value: object) -> str:
    """Render a JSON value with sorted keys, no spaces and UTF-8 text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sha256_hex(text: str) -> str:
    """Hash text as UTF-8."""
    return hashlib.sha256(without_surrogates(text).encode()).hexdigest()


def make_id(prefix: str, key: object) -> str:
    """Derive an id such as `art_0123456789abcdef` from everything that identifies a thing."""
    return f"{prefix}_{sha256_hex(canonical_json(key))[:ID_HEX_DIGITS]}"


def shorten(text: str, limit: int) -> str:
    """Cut the middle out of a text longer than `limit` and say how much is missing."""
    if len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit // 8
    missing = len(text) - head - tail
    return f"{text[:head]}\n[{missing} characters left out]\n{text[len(text) - tail :]}"


def parse_json(text: str) -> JsonValue:
    """Parse JSON text; NaN and numbers beyond a double, which JSON cannot hold, are refused.

    Raises:
        ValueError: the text is no JSON, or holds such a number.
        RecursionError: it is nested beyond what the parser takes.
    """
    return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite_float)


def _refuse_constant(name: str) -> JsonValue:
    message = f"{name} is not a JSON value"
    raise ValueError(message)


def _finite_float(text: str) -> float:
    value = float(text)
    if isinf(value):
        message = f"the number {text[:40]} is too large"
        raise ValueError(message)
    return value


def is_too_deep(value: object) -> bool:
    """Tell whether a value is nested deeper than any reader here can be trusted with."""
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return False
    return True


def _children(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(cast("Mapping[object, object]", value).values())
    if isinstance(value, list | tuple):
        return list(cast("Sequence[object]", value))
    return []


def encode(value: object) -> str:
    """Render anything as JSON text the sandbox can read; NaN becomes null, odd objects text."""
    if isinstance(value, str):
        return without_surrogates(_encode_string(value))
    try:
        text = _ENCODER.encode(value)
    except RecursionError:
        return "null"
    except ValueError:
        if is_too_deep(value):
            return "null"
        text = json.dumps(_without_nan(value), ensure_ascii=False, default=str)
    # Counting brackets is cheap and never too low, so most values need no walk.
    if text.count("[") + text.count("{") > MAX_DEPTH and is_too_deep(value):
        return "null"
    return without_surrogates(text)


def _without_nan(value: object) -> object:
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {str(key): _without_nan(inner) for key, inner in pairs}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in cast("Sequence[object]", value)]
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return None
    return value


def shorten_strings(value: JsonValue, limit: int) -> JsonValue:
    """Shorten every string inside a JSON value."""
    if isinstance(value, str):
        return shorten(value, limit)
    if isinstance(value, list):
        return [shorten_strings(inner, limit) for inner in value]
    if isinstance(value, dict):
        return {key: shorten_strings(inner, limit) for key, inner in value.items()}
    return value
