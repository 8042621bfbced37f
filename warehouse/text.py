"""Make text storable: lone surrogates and NULs become U+FFFD, JSON holds finite numbers only."""

import json
import re
from typing import Any, cast

from schemas.ids import canonical_json, finite_json

_ESCAPED = re.compile(r"\\u(?:0000|[dD][89abABcdefCDEF])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def clean_text(text: str) -> str:
    """Replace lone surrogates and NULs; pairs of surrogates become the character they mean."""
    if not _UNSTORABLE.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\x00", REPLACEMENT)


def clean_json(text: str) -> str:
    """Clean JSON text, including what hides in its escapes; broken JSON is cleaned as text.

    Rows made without validation come here unchecked, so numbers that JSON lacks go here too.
    """
    plain = finite_json(clean_text(text))
    if not _ESCAPED.search(plain):
        return plain
    try:
        return canonical_json(_clean_value(json.loads(plain)))
    except (ValueError, RecursionError):
        return plain


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean_value(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {clean_text(key): _clean_value(item) for key, item in items}
    return value
