"""Tables of plain text that fit a width: cells are wrapped, and what cannot fit becomes records."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

GAP = "  "
LONGEST_WORD = 24
"""Words up to this length, ids among them, stay in one piece; longer ones may be broken."""
_SPACES = re.compile(r"(?<=\s)(?=\S)")
_MARKS = re.compile(r"(?<=[/,;_.:-])(?=[^\s/,;_.:-])")
_ID = re.compile(r"[a-z]+_[0-9a-f]{16}")


@dataclass(frozen=True)
class Layout:
    """Lines of a table: its head and its rows. Records have no head."""

    head: tuple[str, ...]
    body: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((*self.head, *self.body))


def lay_out(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    width: int | None = None,
    right: Collection[int] = (),
    ruler: bool = True,
) -> Layout:
    """Lay out one-line texts within a width; the columns at the places `right` are right-aligned.

    A table that fits stays as it is. Else its widest columns are wrapped between words, then also
    after marks such as `/` and `_`; when that is not enough every row becomes a block of
    `column  value` lines.
    """
    body = [list(row) for row in rows]
    widths = [
        max([cell_width(name), *(cell_width(row[place]) for row in body)])
        for place, name in enumerate(columns)
    ]
    if width is not None and _total(widths) > width:
        fitting = (
            floors
            for split in (_words, _parts)
            if _total(floors := _floors(columns, body, split)) <= width
        )
        floors = next(fitting, None)
        if floors is None:
            return Layout((), tuple(_records(columns, body, width)))
        widths = _shrunk(widths, floors, width)
    head = list(_lines([_wrap(name, wide) for name, wide in _each(columns, widths)], widths))
    if ruler:
        head.append(GAP.join("-" * wide for wide in widths))
    lines: list[str] = []
    for row in body:
        lines += _lines([_wrap(cell, wide) for cell, wide in _each(row, widths)], widths, right)
    return Layout(tuple(head), tuple(lines))


def fold(line: str, width: int | None, indent: int = 2) -> str:
    """Break a line that is too wide between words; what follows is indented."""
    if width is None or cell_width(line) <= width:
        return line
    first, *_ = _wrap(line, width)
    rest = _wrap(line[len(first) :].lstrip(), max(1, width - indent))
    return "\n".join([first, *(" " * indent + part for part in rest)])


def cell_width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if combining(char):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _each(cells: Sequence[str], widths: Sequence[int]) -> Iterator[tuple[str, int]]:
    return zip(cells, widths, strict=True)


def _words(text: str) -> list[str]:
    return _SPACES.split(text)


def _parts(text: str) -> list[str]:
    """Words, and what stands between the marks within a word; an id is in one piece."""
    return [
        part
        for word in _words(text)
        for part in ([word] if _ID.fullmatch(word.strip()) else _MARKS.split(word))
    ]


def _floors(
    columns: Sequence[str], body: Sequence[Sequence[str]], split: Callable[[str], list[str]]
) -> list[int]:
    """The narrowest columns can be without breaking what a split leaves in one piece."""
    return [
        max(
            min(LONGEST_WORD, cell_width(piece.rstrip()))
            for piece in (*_parts(name), *(piece for row in body for piece in split(row[place])))
        )
        or 1
        for place, name in enumerate(columns)
    ]


def _shrunk(widths: Sequence[int], floors: Sequence[int], width: int) -> list[int]:
    """Take from the widest columns first, so that narrow ones stay as they are."""
    shrunk = list(widths)
    for _ in range(_total(widths) - width):
        place = max(
            (place for place, floor in enumerate(floors) if shrunk[place] > floor),
            key=lambda place: shrunk[place],
        )
        shrunk[place] -= 1
    return shrunk


def _wrap(text: str, width: int) -> list[str]:
    """Lines of at most a width: broken between words, else after a mark, else anywhere."""
    if cell_width(text) <= width:
        return [text]
    lines = [""]
    for piece in _fitting(text, width):
        if cell_width(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines if line.strip()]


def _fitting(text: str, width: int) -> Iterator[str]:
    """Pieces of a text that fit a width, as large as they can be."""
    for word in _words(text):
        if cell_width(word.rstrip()) <= width:
            yield word
            continue
        for part in _parts(word):
            if cell_width(part.rstrip()) <= width:
                yield part
            else:
                yield from _pieces(part, width)


def _pieces(word: str, width: int) -> Iterator[str]:
    piece, used = "", 0
    for char in word:
        wide = _char_width(char)
        if piece and used + wide > width:
            yield piece
            piece, used = "", 0
        piece, used = piece + char, used + wide
    yield piece


def _lines(
    cells: Sequence[Sequence[str]], widths: Sequence[int], right: Collection[int] = ()
) -> Iterator[str]:
    for number in range(max(len(cell) for cell in cells)):
        parts = (
            _pad(cell[number] if number < len(cell) else "", wide, at_end=place in right)
            for place, (cell, wide) in enumerate(zip(cells, widths, strict=True))
        )
        yield GAP.join(parts).rstrip()


def _pad(text: str, width: int, *, at_end: bool) -> str:
    space = " " * (width - cell_width(text))
    return space + text if at_end else text + space


def _records(columns: Sequence[str], body: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    names = min(max(cell_width(name) for name in columns), LONGEST_WORD, width // 2)
    room = max(1, width - names - len(GAP))
    for number, row in enumerate(body):
        if number:
            yield ""
        for name, cell in zip(columns, row, strict=True):
            yield from _lines([_wrap(name, names), _wrap(cell, room)], [names, room])
