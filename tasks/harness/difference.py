"""Unified diff between two harnesses."""

import difflib
from collections.abc import Mapping

from .harness import Harness


def diff(old: Harness, new: Harness) -> str:
    """Give a unified diff over all files in path order; empty when the files are the same."""
    return diff_files(old.files, new.files)


def diff_files(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """Give the same of two sets of files, each text under its path."""
    parts: list[str] = []
    for path in sorted(old.keys() | new.keys()):
        before, after = old.get(path), new.get(path)
        if before == after:
            continue
        parts += difflib.unified_diff(
            _lines(before),
            _lines(after),
            "/dev/null" if before is None else f"a/{path}",
            "/dev/null" if after is None else f"b/{path}",
            lineterm="",
        )
    return "".join(f"{line}\n" for line in parts)


def _lines(text: str | None) -> list[str]:
    if not text:
        return []
    if text.endswith("\n"):
        return text[:-1].split("\n")
    return [*text.split("\n"), "\\ No newline at end of file"]
