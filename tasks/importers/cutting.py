"""Cuts a JSON document into elements by brackets and strings alone, in bounded memory.

Nothing is decoded here: an element whose inside is broken still has an end, so its siblings are
found. Nesting is counted, never followed by recursion.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TextIO

from tasks.importers.decoding import Undecodable, decode

CHUNK = 1 << 20
_INSIDE = re.compile(r'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(r'[^\s,:{}\[\]"]++')
_SPACE = re.compile(r"[\s\x00]*+")
_PLAIN = r'(?:"[^"\\]{0,200}"|[\w.+-]{1,40})'
_BEGIN = re.compile(rf'{{\s*("[^"\\]{{1,60}}")\s*:\s*{_PLAIN}\s*,\s*("[^"\\]{{1,60}}")\s*:')
_MOST_RECOVERIES = 100
_LONGEST_BEGIN = 1_000
_CLOSER = {"{": "}", "[": "]"}

TRUNCATED = "the file ends in the middle of it"
MISMATCHED = "its brackets do not match, so neither its end nor what follows can be found"
BROKEN = "its brackets do not match"
MISPLACED = "something else than a value stands here, so what follows cannot be found"
TRAILING = "something follows the end of the document"
UNFINISHED = "the file ends here, before its list is closed; what followed is missing"


@dataclass(frozen=True)
class Piece:
    """A value cut out of a document.

    Attributes:
        member: key in the outermost object; null for elements of an outermost array.
        index: position in its array; null for a value that is no element.
        text: the value's text; as far as it goes when there is a problem.
        position: character at which it starts, from 0.
        depth: deepest nesting inside.
        problem: why it has no proper end; nothing follows it then.
    """

    member: str | None
    index: int | None
    text: str
    position: int
    depth: int = 0
    problem: str | None = None


def _learn_begin(piece: Piece) -> re.Pattern[str] | None:
    """How elements begin: two keys, the first with a scalar.

    Elements of one list begin alike and objects inside them seldom do, so the next element can
    be found behind one that has no end; a wrong guess is refused by the reader.
    """
    begin = None if piece.problem else _BEGIN.match(piece.text)
    if begin is None:
        return None
    first, second = map(re.escape, begin.groups())
    return re.compile(rf"{{\s*{first}\s*:\s*{_PLAIN}\s*,\s*{second}\s*:")


class Cursor:
    """Walks over a text stream, keeping only what is not yet consumed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._buffer = ""
        self._at = 0
        self._dropped = 0
        self._step = CHUNK

    @property
    def position(self) -> int:
        """Characters consumed so far."""
        return self._dropped + self._at

    def _refill(self) -> bool:
        """Read on; ever more at a time, so that one huge value costs linear time."""
        chunk = self._stream.read(self._step)
        self._buffer += chunk
        self._step *= 2
        return bool(chunk)

    def _consume(self, end: int) -> str:
        text = self._buffer[self._at : end]
        self._at = end
        if self._at >= CHUNK:
            self._buffer = self._buffer[self._at :]
            self._dropped += self._at
            self._at, self._step = 0, CHUNK
        return text

    def peek(self) -> str:
        """Next character that is no white space; empty at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._at)
            self._consume(match.end() if match else self._at)
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._refill():
                return ""

    def skip_to(self, pattern: re.Pattern[str]) -> bool:
        """Move on to where a pattern matches next; stay when it does not."""
        start = self._at + 1
        while True:
            found = pattern.search(self._buffer, start)
            if found:
                self._consume(found.start())
                return True
            start = max(start, len(self._buffer) - _LONGEST_BEGIN)
            if not self._refill():
                return False

    def skip(self) -> None:
        """Consume one character."""
        self._consume(self._at + 1)

    def cut(self, member: str | None = None, index: int | None = None) -> Piece:
        """Consume one value; one that has no end is shown and not consumed."""
        first, position = self.peek(), self.position
        depth, problem = 0, None
        if first in _CLOSER:
            end, depth, problem = self._find_end()
        elif first == '"':
            end, problem = self._find_scalar_end(_STRING)
        elif _SCALAR.match(first):
            end, problem = self._find_scalar_end(_SCALAR)
        else:
            end, problem = self._at, MISPLACED if first else UNFINISHED
        text = self._buffer[self._at : end] if problem else self._consume(end)
        return Piece(member, index, text, position, depth, problem)

    def _find_scalar_end(self, pattern: re.Pattern[str]) -> tuple[int, str | None]:
        while True:
            match = pattern.match(self._buffer, self._at)
            if match and (pattern is _STRING or match.end() < len(self._buffer)):
                return match.end(), None
            if not self._refill():
                return len(self._buffer), None if match else TRUNCATED

    def _find_end(self) -> tuple[int, int, str | None]:
        """Follow brackets from the present one to its partner: end, depth, problem."""
        expected, depth, at = bytearray(), 0, self._at
        while True:
            match = _INSIDE.match(self._buffer, at)
            at = match.end() if match else at
            if at >= len(self._buffer) or self._buffer[at] == '"':
                if not self._refill():
                    return len(self._buffer), depth, TRUNCATED
                continue
            mark = self._buffer[at]
            at += 1
            if mark in _CLOSER:
                expected.append(ord(_CLOSER[mark]))
                depth = max(depth, len(expected))
            elif expected.pop() != ord(mark):
                return at, depth, MISMATCHED
            if not expected:
                return at, depth, None


def _cut_elements(cursor: Cursor, member: str | None) -> Iterator[Piece]:
    cursor.skip()
    index, recoveries = 0, _MOST_RECOVERIES
    begin: re.Pattern[str] | None = None
    while True:
        mark = cursor.peek()
        if mark == "]":
            cursor.skip()
            return
        if mark == ",":
            cursor.skip()
            continue
        piece = cursor.cut(member, index)
        if not piece.problem:
            begin = begin or _learn_begin(piece)
        elif begin is None or recoveries == 0 or not cursor.skip_to(begin):
            yield piece
            return
        else:
            recoveries -= 1
            piece = replace(piece, problem=BROKEN)
        yield piece
        index += bool(piece.text)


def _cut_members(cursor: Cursor, spread: Collection[str]) -> Iterator[Piece]:
    cursor.skip()
    while True:
        mark = cursor.peek()
        if mark == "}":
            cursor.skip()
            return
        if mark == ",":
            cursor.skip()
            continue
        key = cursor.cut()
        name = _read_name(key)
        if name is None or cursor.peek() != ":":
            problem = key.problem or (UNFINISHED if not cursor.peek() else MISPLACED)
            yield Piece(name, None, key.text, key.position, 0, problem)
            return
        cursor.skip()
        last: Piece | None = None
        if name in spread and cursor.peek() == "[":
            position = cursor.position
            for last in _cut_elements(cursor, name):
                yield last
            if last is None:
                yield Piece(name, None, "[]", position)
        else:
            last = cursor.cut(name)
            yield last
        if last and last.problem:
            return


def _read_name(key: Piece) -> str | None:
    if key.problem or not key.text.startswith('"'):
        return None
    try:
        return decode(key.text).value
    except Undecodable:
        return None


def cut_document(stream: TextIO, spread: Collection[str]) -> Iterator[Piece]:
    """Cut the first value of a stream into elements (array) or members (object).

    Members whose key is in `spread` and that are arrays are cut into their elements. A value
    that is neither array nor object comes as one piece. What follows the first value comes as a
    piece with the problem `TRAILING`.
    """
    cursor = Cursor(stream)
    mark = cursor.peek()
    if not mark:
        return
    last: Piece | None = None
    if mark == "[":
        pieces = _cut_elements(cursor, None)
    elif mark == "{":
        pieces = _cut_members(cursor, spread)
    else:
        pieces = iter((cursor.cut(),))
    for last in pieces:
        yield last
    if (last is None or not last.problem) and cursor.peek():
        yield Piece(None, None, "", cursor.position, 0, TRAILING)
