"""Abstract calls of a family: words its successes share are kept, values become slots."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.agent.protocols import JsonObject
from tasks.editor.reading import Move, Run

KEEP_SHARE = 0.6
THING_SHARE = 0.95
SLOT = "…"
_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\w+|[^\w\s]")
_WORD = re.compile(r"[A-Za-z][A-Za-z_]*")
_THING = re.compile(r"([A-Za-z]+) \d")


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
    """Words that the text arguments of most runs share.

    A word that comes with a number (`table 2`) names a thing: it is kept only when nearly every
    run has it, because then it belongs to the way and not to the task.
    """
    counts: Counter[str] = Counter()
    things: set[str] = set()
    for run in runs:
        texts = [text for move in run.good_calls for text in _texts(move.arguments)]
        counts.update({word for text in texts for word in _TOKEN.findall(text)})
        things |= {word for text in texts for word in _THING.findall(text)}
    return frozenset(
        word
        for word, count in counts.items()
        if _WORD.fullmatch(word)
        and count >= max(2.0, (THING_SHARE if word in things else KEEP_SHARE) * len(runs))
    )


def _texts(arguments: JsonObject | None) -> Iterable[str]:
    return (value for value in (arguments or {}).values() if isinstance(value, str))


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
