"""What a text tells an agent to do, as far as it says so of named tools.

Read are statements that a stored run can be held against: tools not to be called, a tool to be
called before another or at once, marks not to be used, and JSON examples of arguments. A sentence
that only mentions a tool, describes it, or attaches a condition ("do not call it twice") says
nothing that is read here: what is read is meant to be certain, not complete.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

MAX_CHARS = 20_000
MAX_SENTENCE = 600
MAX_EXAMPLES = 50
_I = re.IGNORECASE

_DONT = r"\b(?:do not|don't|don\u2019t|never|must not|may not|should not|cannot|can't|avoid|stop)\b"
_CALLING = r"(?:call|calling|use|using|run|running|invoke|invoking|make|making)"
_FILLER = r"(?:\s+(?:a|an|any|the|to|tool|function|call|calls|of|ever|again)){0,4}"
_ENDS = r"[`'\"]*\s*(?:[.;:!,]|\n|$)"
_AT_ONCE = r"(?:at once|now|immediately|right away|straight away|directly|first)"
_ITEM = re.compile(r"^\s*(?:\d+[.)]|step \d+[:.]?)\s+(?P<text>.+)$", re.IGNORECASE | re.MULTILINE)
_MARKS = MappingProxyType(
    {"quote": "\"'", "quotation mark": "\"'", "semicolon": ";", "comma": ",", "bracket": "[]"}
)


@dataclass(frozen=True)
class Directives:
    """What a text asks for.

    Attributes:
        forbidden: tools not to be called.
        orders: pairs of tools, the first to be called before the second.
        at_once: tools to be called before anything else.
        forbidden_marks: characters not to be used, with the tool they are about (or null).
        examples: JSON objects given as examples of arguments.
    """

    forbidden: frozenset[str] = frozenset()
    orders: tuple[tuple[str, str], ...] = ()
    at_once: frozenset[str] = frozenset()
    forbidden_marks: tuple[tuple[str | None, str], ...] = ()
    examples: tuple[dict[str, Any], ...] = ()


def read_directives(text: str, tools: Iterable[str]) -> Directives:
    """Read a text; tools are known by their names, whatever the case."""
    return _read(text[:MAX_CHARS], tuple(sorted(set(tools))))


@lru_cache(maxsize=512)
def _read(text: str, tools: tuple[str, ...]) -> Directives:
    names = {tool: re.compile(rf"(?<![\w]){re.escape(tool)}(?![\w])", _I) for tool in tools}
    forbidden: set[str] = set()
    at_once: set[str] = set()
    orders: list[tuple[str, str]] = []
    marks: list[tuple[str | None, str]] = []
    for sentence in _sentences(text):
        named = [tool for tool, pattern in names.items() if pattern.search(sentence)]
        forbidden |= {tool for tool in named if _forbids(sentence, tool)}
        at_once |= {tool for tool in named if _at_once(sentence, tool)}
        orders += _orders(sentence, named)
        marks += [(named[0] if named else None, chars) for chars in _forbidden_marks(sentence)]
    orders += _listed(text, names)
    return Directives(
        forbidden=frozenset(forbidden),
        orders=tuple(dict.fromkeys(orders)),
        at_once=frozenset(at_once),
        forbidden_marks=tuple(marks),
        examples=tuple(_examples(text)),
    )


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?;])\s+|\n+", text)
    return [part[:MAX_SENTENCE] for part in parts if part.strip()]


def _forbids(sentence: str, tool: str) -> bool:
    named = rf"[`'\"]*{re.escape(tool)}"
    pattern = rf"{_DONT}(?:\s+ever)?\s+{_CALLING}{_FILLER}\s+{named}{_ENDS}"
    return re.search(pattern, sentence, _I) is not None


def _at_once(sentence: str, tool: str) -> bool:
    if re.search(_DONT, sentence, _I):
        return False
    named = rf"[`'\"]*{re.escape(tool)}[`'\"]*"
    return bool(re.search(rf"\b{_CALLING}{_FILLER}\s+{named}\s+{_AT_ONCE}\b", sentence, _I))


def _orders(sentence: str, tools: Sequence[str]) -> list[tuple[str, str]]:
    """`x before y`, `x ... then y`, `y after x`; a negated order is turned round."""
    found: list[tuple[str, str]] = []
    for first in tools:
        for second in tools:
            if first == second:
                continue
            a, b = (rf"\b{re.escape(tool)}\b" for tool in (first, second))
            gap = r"[^.;!?\n]{0,60}?"
            before = re.search(rf"{a}{gap}\b(?:before|and then|then)\b{gap}{b}", sentence, _I)
            after = re.search(rf"{b}{gap}\bafter\b{gap}{a}", sentence, _I)
            match = before or after
            if match is None:
                continue
            is_denied = re.search(_DONT, sentence[: match.start()], _I) is not None
            found.append((second, first) if is_denied else (first, second))
    return found


def _listed(text: str, names: dict[str, re.Pattern[str]]) -> list[tuple[str, str]]:
    """Order in which the steps of a numbered list first name the tools."""
    first: dict[str, int] = {}
    for number, item in enumerate(_ITEM.finditer(text)):
        if re.search(_DONT, item["text"].split(".")[0], _I):
            continue
        for tool, pattern in names.items():
            if pattern.search(item["text"]):
                first.setdefault(tool, number)
    return [(a, b) for a in first for b in first if first[a] < first[b]]


def _forbidden_marks(sentence: str) -> list[str]:
    found: list[str] = []
    for word, chars in _MARKS.items():
        if re.search(rf"{_DONT}\s+(?:use|write|put|add)\s+(?:\w+\s+)?{word}s?\b", sentence, _I):
            found.append(chars)
    return found


def _examples(text: str) -> list[dict[str, Any]]:
    """JSON objects in a text."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    start = text.find("{")
    while start != -1 and len(found) < MAX_EXAMPLES:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value, dict):
                found.append(value)
        start = text.find("{", end)
    return found
