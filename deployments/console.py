"""How the command line speaks: results on stdout, everything else on stderr."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any


def emit_json(value: Mapping[str, Any]) -> None:
    """Print exactly one JSON object on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=str) + "\n")


def emit_text(text: str) -> None:
    """Print a result for people on stdout; characters the terminal lacks are replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def note(text: str) -> None:
    """Say something on stderr that is not a result."""
    sys.stderr.write(text + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a table of plain text; numbers are right-aligned, control characters shown."""
    body = [[_cell(value) for value in row] for row in rows]
    widths = [
        max(len(name), *(len(row[i]) for row in body)) if body else len(name)
        for i, name in enumerate(columns)
    ]
    numeric = [bool(body) and all(_is_number(row[i]) for row in body) for i in range(len(columns))]

    def line(cells: Sequence[str]) -> str:
        parts = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        )
        return "  ".join(parts).rstrip()

    ruler = "  ".join("-" * width for width in widths)
    return "\n".join([line(list(columns)), ruler, *(line(row) for row in body)])


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = value if isinstance(value, str) else str(value)
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _is_number(cell: str) -> bool:
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True


class Progress:
    """A counter on the terminal; silent where stderr is not one."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shown = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Show how far the work has come."""
        if self._shown:
            sys.stderr.write(f"\r{self._title}: {done}/{total}\x1b[K")
            sys.stderr.flush()

    def close(self) -> None:
        """Leave the line as it was."""
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


ProgressCallback = Callable[[int, int], None]
