"""Equal things look equal: canonical arguments, repetition keys, masked error texts."""

import json
import math
import re
from typing import Any

from schemas.ids import sha256_hex

TEXT_CAP = 100_000
"""Characters of one text that rules read; what follows is never needed to decide."""
_MASK_CAP = 400
_MASKED_LENGTH = 160
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"|`[^`]{0,200}`")
_IDENTIFIER = re.compile(r"\b(?=\w*\d)[A-Za-z0-9_]{2,80}\b|#?\b\d[\d.,:/-]{0,40}")
_SPACE = re.compile(r"\s+")


def clip(text: str | None) -> str:
    """Bound a text from outside."""
    return (text or "")[:TEXT_CAP]


def parse_object(text: str | None) -> dict[str, Any] | None:
    """Read a JSON object; None when the text is not one."""
    if not text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _plain(value: Any, depth: int = 0) -> Any:
    if depth > 20:
        return "…"
    if isinstance(value, str):
        return _SPACE.sub(" ", value[:TEXT_CAP]).strip()
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) else repr(value)
    if isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    return value


def canonical_arguments(arguments: dict[str, Any] | None, raw: str | None = None) -> str:
    """Render arguments so that white space and key order make no difference."""
    if arguments is None:
        return _SPACE.sub(" ", clip(raw)).strip()
    return json.dumps(_plain(arguments), sort_keys=True, separators=(",", ":"))


def result_digest(result: str | None) -> str:
    """Hash what came back; a changed result means that a repeated call is no loop."""
    return sha256_hex(result or "")[:16]


def mask(text: str | None) -> str:
    """Reduce an error text to its shape: literals, numbers and identifiers become marks."""
    lines = [line.strip() for line in clip(text)[:_MASK_CAP].splitlines() if line.strip()]
    shape = " ".join(lines[:2])
    shape = _QUOTED.sub("<value>", shape)
    shape = _IDENTIFIER.sub("<id>", shape)
    return _SPACE.sub(" ", shape).strip()[:_MASKED_LENGTH]
