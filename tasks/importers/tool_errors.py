"""Classes of tool errors, read from the words of the tau environments."""

import re

_UNKNOWN_TOOL = re.compile(r"Unknown action|Tool '[^']{1,200}' not found|unknown tool", re.I)
_SCHEMA = re.compile(
    r"missing \d+ required|unexpected keyword argument|required positional argument"
    r"|validation error|invalid arguments?\b|field required",
    re.I,
)
_UNAVAILABLE = re.compile(r"\b50[0-4]\b|Service Unavailable|timed? ?out", re.I)
_HEAD = 400


def is_error_text(text: str) -> bool:
    """Tell whether a result is an error by the text that the environments write."""
    head = text[:_HEAD].lstrip()
    return head.startswith(("Error:", "Error ", "Unknown action"))


def error_kind(text: str) -> str:
    """Class of an error text."""
    head = text[:_HEAD]
    if _UNKNOWN_TOOL.search(head):
        return "unknown_tool"
    if _SCHEMA.search(head):
        return "schema"
    if _UNAVAILABLE.search(head):
        return "unavailable"
    return "tool_error"
