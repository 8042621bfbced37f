"""A document as lines for a terminal, with or without colour."""

from collections.abc import Iterator

from tasks.presentation.chart import Chart
from tasks.presentation.columns import lay_out
from tasks.presentation.cutting import visible
from tasks.presentation.document import (
    Block,
    Diff,
    Document,
    Facts,
    Group,
    Passage,
    Sides,
    Table,
    Tone,
)

_CODES = {"": "", "dim": "2", "good": "32", "bad": "31", "mark": "1;33", "act": "36", "head": "1"}
_DIFF_TONES: dict[str, Tone] = {"+": "good", "-": "bad", "@": "act"}
MAX_CELL = 60
INDENT = "  "


def render_terminal(document: Document, *, color: bool, width: int | None = None) -> str:
    """Render a document, its tables within a width; only our own escapes leave as escapes."""
    paint = _Paint(on=color, width=width)
    badges = "".join(f" [{badge}]" for badge in document.badges)
    lines = [paint("head", document.title) + paint("mark", badges)]
    lines.append(paint("", document.lead))
    for group in document.groups:
        lines += ["", *_group(group, paint, 0)]
    return "\n".join(lines)


class _Paint:
    """Colours a text; whatever it says, the only escapes left in it are ours."""

    def __init__(self, *, on: bool, width: int | None) -> None:
        self._on = on
        self.width = width

    def __call__(self, tone: str, text: str) -> str:
        code = _CODES[tone]
        safe = visible(text)
        return f"\x1b[{code}m{safe}\x1b[0m" if self._on and code and safe else safe


def _group(group: Group, paint: _Paint, depth: int) -> Iterator[str]:
    pad = INDENT * depth
    if group.folded:
        yield pad + paint("dim", f"{group.title}: left out here; --html FILE shows it")
        return
    yield pad + paint("head" if not group.tone else group.tone, group.title)
    for block in group.blocks:
        if isinstance(block, Group):
            yield from _group(block, paint, depth + 1)
        else:
            yield from (f"{pad}{INDENT}{line}".rstrip() for line in _block(block, paint, depth + 1))


def _block(block: Block, paint: _Paint, depth: int) -> Iterator[str]:
    match block:
        case Facts():
            yield from _facts(block, paint)
        case Passage():
            yield from _passage(block, paint)
        case Diff():
            for line in block.text.split("\n"):
                yield paint(_DIFF_TONES.get(line[:1], ""), line)
        case Table():
            yield from _table(block, paint, depth)
        case Sides():
            yield from _group(block.left, paint, 0)
            yield from _group(block.right, paint, 0)
        case Chart():
            return


def _facts(block: Facts, paint: _Paint) -> Iterator[str]:
    width = max((len(name) for name, _ in block.rows), default=0)
    for name, value in block.rows:
        first, *more = value.split("\n")
        yield f"{paint('dim', name.ljust(width))}  {paint('', first)}"
        yield from (f"{' ' * width}  {paint('', line)}" for line in more)


def _passage(block: Passage, paint: _Paint) -> Iterator[str]:
    first, *more = block.text.split("\n")
    if not more:
        head = f"{block.label}: " if block.label and first else block.label
        yield paint(block.tone, f"{head}{first}")
        return
    if block.label:
        yield paint(block.tone, f"{block.label}:")
    pad = INDENT if block.label else ""
    yield from (paint(block.tone, f"{pad}{line}") for line in (first, *more))


def _table(block: Table, paint: _Paint, depth: int) -> Iterator[str]:
    yield paint("dim", block.caption)
    rows = [[_cell(visible(value)) for value in row] for row in block.rows]
    right = {place for place, name in enumerate(block.columns) if name in block.numeric}
    room = paint.width and max(1, paint.width - len(INDENT) * depth)
    layout = lay_out(block.columns, rows, width=room, right=right, ruler=False)
    yield from (paint("dim", line) for line in layout.head)
    yield from (paint("", line) for line in layout.body)


def _cell(value: str) -> str:
    flat = " ".join(value.split())
    return flat if len(flat) <= MAX_CELL else f"{flat[: MAX_CELL - 1]}…"
