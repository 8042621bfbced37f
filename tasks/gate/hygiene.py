"""What no added text may hold: addresses, keys, and characters or marks that steer unseen.

An artifact is read by a model and shown to people. What an agent can see in its world anyway is no
news, so everything here is judged against the visible text.
"""

import re
import unicodedata
from collections.abc import Iterator

from schemas.redaction import has_secret
from tasks.gate.findings import Finding

MAX_NAMED = 5
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s\"'<>)\]]+"
    r"|\bdata:[a-z]+/[^\s\"'<>)\]]*"
    r"|\bmailto:[^\s\"'<>)\]]+"
    r"|\bwww\.[a-z0-9-]+\.[^\s\"'<>)\]]+"
    r"|\b[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{2,63})+\b"
    r"|(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\d.])",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"<\|[^|<>\n]{1,40}\|>"
    r"|</?s>"
    r"|\[/?(?:INST|SYS|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|<</?SYS>>"
    r"|</?(?:start_of_turn|end_of_turn|bos|eos|tool_call|tool_response|function_calls)>"
    r"|<\uff5c[^|<>\n]{1,40}\uff5c>"
)
"""Marks by which chat templates tell turns and roles apart; in a text they pose as another role."""
_HARMLESS = frozenset("\n\t")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def unwelcome(added: str, visible: str) -> list[Finding]:
    """Everything in added text that may not be there."""
    found = [
        Finding("static", f"It names the address {address[:80]!r}, which the agent has never seen.")
        for address in sorted({match.group() for match in _ADDRESS.finditer(added)})
        if address not in visible
    ]
    if has_secret(added):
        text = "It holds what looks like a key, a token or a password; a harness may hold none."
        found.append(Finding("static", text))
    found += [
        Finding("static", f"It holds the mark {mark!r} by which chat templates set roles.")
        for mark in sorted({match.group() for match in _MARK.finditer(added)})
        if mark not in visible
    ]
    unseen = sorted(set(_unseen(added, visible)))
    if unseen:
        named = ", ".join(f"U+{ord(char):04X}" for char in unseen[:MAX_NAMED])
        found.append(Finding("static", f"It holds characters that nobody can see: {named}."))
    return found


def _unseen(added: str, visible: str) -> Iterator[str]:
    for char in set(added) - _HARMLESS:
        if unicodedata.category(char) in _UNSEEN and char not in visible:
            yield char
