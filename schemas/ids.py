"""Content ids: a typed prefix and 16 hex digits of a hash over canonical JSON."""

import hashlib
import json
from typing import Any

ID_HEX_DIGITS = 16


def canonical_json(value: Any) -> str:
    """Render a JSON value with sorted keys, no spaces, UTF-8 text and no NaN.

    Raises:
        ValueError: the value holds NaN or an infinity.
        TypeError: the value holds something JSON has no type for.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sha256_hex(text: str) -> str:
    """Hash text as UTF-8; a lone surrogate counts as a question mark."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def make_id(prefix: str, key: Any) -> str:
    """Derive an id such as `traj_0123456789abcdef` from everything that identifies a row."""
    return f"{prefix}_{sha256_hex(canonical_json(key))[:ID_HEX_DIGITS]}"
