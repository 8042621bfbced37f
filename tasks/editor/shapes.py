"""Abstract calls of a family: words its successes share are kept, values become slots."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.agent.protocols import JsonObject
from tasks.editor.reading import Move, Run

KEEP_SHARE = 0.6
SLOT = "…"
_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\w+|[^\w\s]")
_WORD = re.compile(r"[A-Za-z][A-Za-z_]*")


@dataclass(frozen=True)
class Shape:
    """A call with its values left out: tool, and the shared words of its text arguments."""

    tool: str
    argument: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """Readable form, such as `SELECT DISTINCT … FROM …`."""
        return " ".join(self.words)


def shared_words(runs: Sequence[Run]) -> frozenset[str]:
    """Words that appear in the text arguments of most of the runs."""
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update({word for move in run.good_calls for word in _words(move.arguments)})
    least = max(2.0, KEEP_SHARE * len(runs))
    return frozenset(word for word, count in counts.items() if count >= least)


def _words(arguments: JsonObject | None) -> Iterable[str]:
    for value in (arguments or {}).values():
        if isinstance(value, str):
            yield from (token for token in _TOKEN.findall(value) if _WORD.fullmatch(token))


def shape_of(move: Move, kept: frozenset[str]) -> Shape:
    """Reduce a call to its shape; only the first text argument of several words counts."""
    for argument, value in sorted((move.arguments or {}).items()):
        if isinstance(value, str) and len(value.split()) > 1:
            return Shape(move.tool, argument, _masked(value, kept))
    return Shape(move.tool, "", ())


def _masked(text: str, kept: frozenset[str]) -> tuple[str, ...]:
    out: list[str] = []
    for token in _TOKEN.findall(text[:4000]):
        if token in kept:
            out.append(token)
        elif not out or out[-1] != SLOT:
            out.append(SLOT)
    return tuple(out)


def sequence(run: Run, kept: frozenset[str]) -> list[Shape]:
    """Shapes of a run's working calls in order, direct repetitions left out."""
    found: list[Shape] = []
    for move in run.good_calls:
        shape = shape_of(move, kept)
        if not found or found[-1] != shape:
            found.append(shape)
    return found
