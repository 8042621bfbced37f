"""What sort of file this is, told by its content, and its elements one after the other."""

import codecs
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Literal, TextIO

from tasks.importers.cutting import TRAILING, Piece, cut_document
from tasks.importers.decoding import MAX_NESTING, Decoded, JsonValue, Undecodable, decode

Kind = Literal["empty", "array", "object", "lines", "archive", "other"]
_SAMPLES = 20
EXCERPT = 20_000
_LINES_SNIFFED = 5
_LINE_LIMIT = 8 << 20
_BLOCK = 1 << 20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
TOO_DEEP = f"nested more than {MAX_NESTING} levels deep"


@dataclass(frozen=True)
class Element:
    """One element of a container, decoded, or why it could not be.

    Attributes:
        index: position among the elements, from 0.
        place: where it starts, for people.
        value: the decoded value; null when there is a problem.
        replaced: characters replaced in its texts.
        problem: why it has no value.
        excerpt: beginning of its text when there is a problem.
    """

    index: int
    place: str
    value: JsonValue = None
    replaced: int = 0
    problem: str | None = None
    excerpt: str = ""


@dataclass(frozen=True)
class Outline:
    """A file seen from afar.

    Attributes:
        kind: shape of the container; `lines` is one JSON value a line.
        members: members of an outermost object, without the spread lists; of an archive its
            names, without values.
        spread: name of the list that holds the elements; null when there is none.
        samples: first elements that could be decoded.
        problem: why the file could not be followed to its end.
    """

    kind: Kind
    members: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    spread: str | None = None
    samples: tuple[JsonValue, ...] = ()
    replaced: int = 0
    problem: str | None = None


def hash_file(path: Path) -> str:
    """Hash the bytes of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def open_text(path: Path) -> TextIO:
    """Open a file as text; bytes that are no text become lone surrogates, replaced later."""
    with path.open("rb") as stream:
        head = stream.read(4)
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            errors = "surrogateescape" if encoding == "utf-8-sig" else "replace"
            return path.open(encoding=encoding, errors=errors, newline="\n")
    return path.open(encoding="utf-8", errors="surrogateescape", newline="\n")


def _is_object(line: str) -> bool:
    try:
        return line.startswith("{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _read_begin(stream: TextIO) -> str:
    """The next line as far as it is not too long; the rest of it is passed over."""
    line = rest = stream.readline(_LINE_LIMIT)
    while len(rest) == _LINE_LIMIT and not rest.endswith("\n"):
        rest = stream.readline(_LINE_LIMIT)
    return line


def _is_lines(path: Path) -> bool:
    """One value a line: an object on a line of its own that is not the only line."""
    with open_text(path) as stream:
        lines = [_read_begin(stream) for _ in range(_LINES_SNIFFED)]
    filled = [line for line in lines if line.strip()]
    if len(filled) < 2 or filled[0].lstrip().startswith("["):
        return False
    if any(map(_is_object, filled[1:])):
        return True
    return _is_object(filled[0]) and filled[1].startswith("{")


def outline(path: Path, spread: Collection[str]) -> Outline:
    """Look at a file without keeping it: kind, members, a few sample elements."""
    if _is_lines(path):
        return Outline("lines", samples=_take_values(lines(path)))
    with open_text(path) as stream:
        pieces = cut_document(stream, spread)
        first = next(pieces, None)
        if first is None or first.problem == TRAILING:
            return _outline_without_elements(path)
        if first.member is None and first.index is None:
            return Outline("other", problem=_find_break(first))
        if first.member is None:
            samples = _take_values(map(_decode_piece, chain((first,), pieces)))
            problem = None if samples else _decode_piece(first).problem
            return Outline("array", samples=samples, problem=problem)
        return _outline_object(first, pieces)


def _outline_without_elements(path: Path) -> Outline:
    """An empty array; or nothing at all, of which NULs are not a part."""
    position = 0
    with open_text(path) as stream:
        while block := stream.read(_BLOCK):
            text = block.lstrip()
            position += len(block) - len(text)
            if text.startswith("\x00"):
                return Outline("other", problem=f"a NUL byte at character {position}")
            if text:
                return Outline("array")
    return Outline("empty")


def _find_break(piece: Piece) -> str | None:
    """Where a value that is neither array nor object stops being JSON; null when it is JSON."""
    if piece.problem:
        return f"{piece.problem}, at character {piece.position}"
    try:
        decode(piece.text)
    except Undecodable as error:
        return f"no value at character {piece.position + (error.position or 0)}"
    return None


def _take_values(items: Iterable[Element]) -> tuple[JsonValue, ...]:
    values = (item.value for item in items if item.problem is None)
    return tuple(islice(values, _SAMPLES))


def _outline_object(first: Piece, rest: Iterator[Piece]) -> Outline:
    members: dict[str, JsonValue] = {}
    samples: list[JsonValue] = []
    spread, problem, replaced = None, None, 0
    piece: Piece | None = first
    while piece is not None:
        if piece.index is not None:
            spread = spread or piece.member
            if len(samples) < _SAMPLES and piece.problem is None:
                samples.append(_decode_piece(piece).value)
        elif piece.member is not None and piece.problem is None:
            element = _decode_piece(piece)
            members[piece.member] = element.value
            replaced += element.replaced
            problem = problem or (f"{piece.member}: {element.problem}" if element.problem else None)
        if piece.problem and piece.index is None:
            problem = problem or f"{piece.problem}, at character {piece.position}"
        piece = next(rest, None)
    return Outline("object", members, spread, tuple(samples), replaced, problem)


def _decode_piece(piece: Piece) -> Element:
    place = f"character {piece.position}"
    index = piece.index or 0
    problem = piece.problem or (TOO_DEEP if piece.depth > MAX_NESTING else None)
    if problem is None:
        try:
            decoded: Decoded = decode(piece.text)
        except Undecodable as error:
            problem = str(error)
        else:
            return Element(index, place, decoded.value, decoded.replaced)
    return Element(index, place, problem=problem, excerpt=piece.text[:EXCERPT])


def elements(path: Path, spread: str | None) -> Iterator[Element]:
    """Elements of an outermost array, or of the list `spread` of an outermost object."""
    with open_text(path) as stream:
        for piece in cut_document(stream, () if spread is None else (spread,)):
            is_element = piece.member == spread and piece.index is not None
            if is_element or (piece.problem and piece.problem != TRAILING):
                yield _decode_piece(piece)


def whole(path: Path) -> Element:
    """The whole file as one element."""
    with open_text(path) as stream:
        text = stream.read()
    try:
        decoded = decode(text)
    except Undecodable as error:
        return Element(0, "character 0", problem=str(error), excerpt=text[:EXCERPT])
    return Element(0, "character 0", decoded.value, decoded.replaced)


def lines(path: Path) -> Iterator[Element]:
    """One element a line; blank lines do not count, the place names the line from 1."""
    index = 0
    with open_text(path) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip("\x00 \t\r\n"):
                continue
            place = f"line {number}"
            try:
                decoded = decode(line.strip())
                yield Element(index, place, decoded.value, decoded.replaced)
            except Undecodable as error:
                yield Element(index, place, problem=str(error), excerpt=line[:EXCERPT])
            index += 1


def every(path: Path, seen: Outline) -> Iterator[Element]:
    """Elements of a file whatever its container; an object without a list is one element."""
    if seen.kind == "lines":
        return lines(path)
    if seen.kind == "array" or seen.spread is not None:
        return elements(path, seen.spread)
    return iter((whole(path),))
