"""Unified diff between two harnesses."""

import difflib

from .harness import Harness


def diff(old: Harness, new: Harness) -> str:
    """Give a unified diff over all files in path order; empty when the files are the same."""
    parts: list[str] = []
    for path in sorted(old.files.keys() | new.files.keys()):
        before, after = old.files.get(path), new.files.get(path)
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
