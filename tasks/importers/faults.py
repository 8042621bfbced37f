"""Infrastructure failures, told from failures of the agent by what a source says of them."""

import re

_API = re.compile(
    r"RateLimit|APIError|APIConnection|APITimeout|APIStatus|InternalServer|ServiceUnavailable"
    r"|BadGateway|AuthenticationError|PermissionDenied|Overloaded"
    r"|Connection(?:Error| reset| refused)"
    r"|litellm\.|openai\.|anthropic\.|\b(?:429|50[0-4])\b",
    re.IGNORECASE,
)
_GRADER = re.compile(
    r"(?:verif|grad|eval|judge|checker)\w*.{0,40}(?:time ?d? ?out|error|exception)", re.I
)
_TIMEOUT = re.compile(r"time ?d? ?out", re.IGNORECASE)
_CONTEXT = re.compile(r"context.{0,20}(?:length|window)|maximum context", re.IGNORECASE)
_HEAD = 20_000


def classify_fault(text: str) -> str:
    """Name the kind of infrastructure failure that an error text tells of."""
    head = text[:_HEAD]
    if _CONTEXT.search(head):
        return "context_overflow"
    if _GRADER.search(head[:400]):
        return "grader_error"
    if _API.search(head):
        return "api_error"
    return "timeout" if _TIMEOUT.search(head) else "crash"


def is_api_error(text: str) -> bool:
    """Tell whether a short text is the report of an API failure, not something an agent says."""
    return (
        len(text) <= 2_000
        and re.match(
            r"\s*(?:Error|Exception|[\w.]{0,80}(?:Error|Exception|Timeout))\b.{0,200}", text
        )
        is not None
        and _API.search(text) is not None
    )
