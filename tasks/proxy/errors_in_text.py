"""Results that read like errors, for clients that do not say which call failed."""

import json

_WORDS = ("error", "traceback", "exception")
_LONGEST_JSON = 20_000


def reads_as_error(text: str) -> bool:
    """Whether a result of unknown status is an error by its text.

    It is one when it begins with the word, or is a JSON object with a member `error` that says
    something or `isError`/`is_error` that is true. What else a world writes when a call fails
    cannot be known here.
    """
    head = text[:200].lstrip().lower()
    if head.startswith(_WORDS):
        return True
    if not head.startswith("{") or len(text) > _LONGEST_JSON:
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict):
        return False
    return bool(value.get("error")) or True in (value.get("isError"), value.get("is_error"))
