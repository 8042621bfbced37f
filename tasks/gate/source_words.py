"""What of a rule's source its author chose, as against words of the language it is written in.

A secret can stand in a literal, a comment or a name of the author's own. `str` in `str(x)` is none,
even where some task's answer is `STR`.
"""

import builtins
import io
import json
import keyword
import math
import re
import tokenize
from collections.abc import Iterable, Mapping

_BUILT_IN_TYPES: tuple[type, ...] = (str, int, float, bool, list, dict, set, tuple, bytes)
LANGUAGE = (
    frozenset(keyword.kwlist)
    | frozenset(keyword.softkwlist)
    | frozenset(dir(builtins))
    | frozenset(name for owner in (*_BUILT_IN_TYPES, re, json, math) for name in dir(owner))
)


def without_language(files: Mapping[str, str]) -> dict[str, str]:
    """The same files, each word of the language in a Python file replaced by spaces."""
    return {path: _masked(text) if path.endswith(".py") else text for path, text in files.items()}


def _masked(source: str) -> str:
    lines = source.split("\n")
    try:
        spans = list(_language_spans(source))
    except (tokenize.TokenError, SyntaxError):
        return source
    for row, start, end in spans:
        line = lines[row]
        lines[row] = line[:start] + " " * (end - start) + line[end:]
    return "\n".join(lines)


def _language_spans(source: str) -> Iterable[tuple[int, int, int]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and token.string.strip("_") in LANGUAGE:
            yield token.start[0] - 1, token.start[1], token.end[1]
