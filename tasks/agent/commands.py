"""Commands of text worlds: their words, the things they are about, near misses of one another.

The thresholds of a near miss stand here once, for the annotator, which says what went wrong, and
for editors, which write rules against it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

NEAR = 0.55
"""Similarity from which on two commands of one verb are a near miss: the value of the released
text-world harness (methods.md C.1). What it does in invented worlds is measured by
`tests/agent/test_commands.py` and told in docs/annotation.md."""
CLEAR = 0.05
"""Lead that the nearest command must have over the next, else two are meant (methods.md C.1)."""
MAX_CHARS = 400
MAX_KNOWN = 8_192
"""Commands whose words are remembered: worlds offer the same ones again and again."""
FUNCTION_WORDS = frozenset(
    [
        *("a", "an", "the", "at", "by", "for", "from", "in", "inside", "into", "of", "off", "on"),
        *("onto", "out", "over", "to", "toward", "towards", "under", "up", "upon", "with"),
        "within",
    ]
)
"""English articles and prepositions: a closed class that names no thing."""


@dataclass(frozen=True)
class Near:
    """The command that was meant, and how close what was said comes to it."""

    command: str
    similarity: float


def plain_command(text: str) -> str:
    """A command as words: lower case, no marks around it."""
    return re.sub(r"\s+", " ", text[:MAX_CHARS]).strip(" \t`*\"'.>-!").lower()


def verb_of(command: str) -> str:
    """First word of a command, in lower case."""
    return _verb(command[:MAX_CHARS])


@lru_cache(maxsize=MAX_KNOWN)
def _verb(command: str) -> str:
    return plain_command(command).split(" ")[0]


def things_of(command: str) -> frozenset[str]:
    """Names with their number, such as `drawer 2`; where there are none, all content words."""
    return _things(command[:MAX_CHARS])


@lru_cache(maxsize=MAX_KNOWN)
def _things(command: str) -> frozenset[str]:
    words = re.findall(r"\w+", plain_command(command))
    numbered = {f"{one} {two}" for one, two in pairwise(words) if two.isdigit()}
    return frozenset(numbered) or _content(words)


def _content(words: list[str]) -> frozenset[str]:
    """Words behind the verb that name something, numbers left out."""
    return frozenset(w for w in words[1:] if w not in FUNCTION_WORDS and not w.isdigit())


def _same_things(said: str, other: str) -> bool:
    """Whether two commands are about the same; what carries no number may mean any number."""
    things = things_of(said)
    if things == things_of(other):
        return True
    words = re.findall(r"\w+", plain_command(other))
    return bool(things) and not any(w.isdigit() for w in said) and things == _content(words)


def similarity(one: str, other: str) -> float:
    """How alike two commands are in letters, from 0 to 1."""
    return SequenceMatcher(None, plain_command(one), plain_command(other)).ratio()


def near_misses(said: str, offered: Iterable[str], *, near: float = NEAR) -> list[Near]:
    """Offered commands of the same verb about the same things, the closest first."""
    verb = verb_of(said)
    same = [one for one in offered if verb_of(one) == verb and _same_things(said, one)]
    found = [Near(one, similarity(said, one)) for one in same]
    close = [one for one in found if one.similarity >= near]
    return sorted(close, key=lambda one: (-one.similarity, one.command))


def the_one(misses: list[Near], *, clear: float = CLEAR) -> Near | None:
    """The command that was meant; null when two are as close."""
    is_clear = len(misses) == 1 or (
        len(misses) > 1 and misses[0].similarity - misses[1].similarity >= clear
    )
    return misses[0] if is_clear else None
