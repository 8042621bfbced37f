"""Content ids: a typed prefix and 16 hex digits of a hash over canonical JSON."""

import hashlib
import json
from typing import Any

from schemas.numbers import finite

ID_HEX_DIGITS = 16
_NO_NUMBER = ("NaN", "Infinity")


def canonical_json(value: Any) -> str:
    """Render a JSON value with sorted keys, no spaces, UTF-8 text and finite numbers.

    NaN and infinities become words (`schemas/numbers.py`).

    Raises:
        TypeError: the value holds something JSON has no type for.
    """
    try:
        return _dumps(value)
    except ValueError:
        return _dumps(finite(value))


def finite_json(text: str) -> str:
    """Make words of NaN and infinities in JSON text; any other text stays as it is."""
    if not any(mark in text for mark in _NO_NUMBER):
        return text
    found: list[str] = []

    def keep(word: str) -> str:
        found.append(word)
        return word

    try:
        value = json.loads(text, parse_constant=keep)
        return canonical_json(value) if found else text
    except (ValueError, RecursionError):
        return text


def _dumps(value: Any) -> str:
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sha256_hex(text: str) -> str:
    """Hash text as UTF-8; a lone surrogate counts as a question mark."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def make_id(prefix: str, key: Any) -> str:
    """Derive an id such as `traj_0123456789abcdef` from everything that identifies a row."""
    return f"{prefix}_{sha256_hex(canonical_json(key))[:ID_HEX_DIGITS]}"
