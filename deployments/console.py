"""How the command line speaks: results on stdout, everything else on stderr."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tasks.presentation.columns import fold, lay_out


def emit_json(value: Mapping[str, Any]) -> None:
    """Print exactly one JSON object on stdout; what stdout cannot encode is escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, default=str)
    sys.stdout.write(text + "\n")


def emit_text(text: str) -> None:
    """Print a result for people on stdout; characters the terminal lacks are replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def note(text: str) -> None:
    """Say something on stderr that is not a result."""
    sys.stderr.write(text + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a table as wide as the terminal; control characters are shown as what they are.

    Numbers are right-aligned. Where the result goes into a pipe, nothing is wrapped.
    """
    body = [[_cell(value) for value in row] for row in rows]
    right = {
        place
        for place in range(len(columns))
        if body and all(_is_number(row[place]) for row in body)
    }
    return str(lay_out(columns, body, width=output_width(), right=right))


def folded(text: str, indent: int = 2) -> str:
    """Lines of a text no wider than the terminal, what follows of a line indented."""
    width = output_width()
    return "\n".join(fold(line, width, indent) for line in text.split("\n"))


def output_width() -> int | None:
    """Columns of the terminal that results go to; `COLUMNS` overrides it; none for a pipe."""
    told = os.environ.get("COLUMNS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = value if isinstance(value, str) else str(value)
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def plain_text(value: object) -> str:
    """A value for people: names with their counts, items after commas, numbers in few digits."""
    if isinstance(value, Mapping | list | tuple) and not value:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain_text(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain_text(item) for item in value)
    if isinstance(value, float):
        return f"{value:.4g}"
    return "-" if value is None else str(value)


def _is_number(cell: str) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True
