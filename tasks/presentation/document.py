"""What a page holds, whatever it is rendered to: facts, passages, tables, charts, groups."""

from dataclasses import dataclass, field
from typing import Literal

from tasks.presentation.chart import Chart

Tone = Literal["", "dim", "good", "bad", "mark", "act"]
"""How a passage stands out: left aside, success, error, evidence, intervention."""


@dataclass(frozen=True)
class Facts:
    """Names and values, a line each; empty values are left out."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Passage:
    """Text as it was written, under a label."""

    label: str
    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Diff:
    """A unified diff."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table with a caption; the columns named in `numeric` are right-aligned."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sides:
    """Two groups to compare."""

    left: "Group"
    right: "Group"


Block = Facts | Passage | Diff | Table | Sides | Chart


@dataclass(frozen=True)
class Group:
    """Blocks under a title. Folded ones are opened on demand, and left out on a terminal."""

    title: str
    blocks: tuple["Block | Group", ...] = ()
    tone: Tone = ""
    folded: bool = False


@dataclass(frozen=True)
class Document:
    """A whole page.

    Attributes:
        title: what the page is about.
        lead: one line below the title.
        badges: words that hold for every number on the page, such as `simulated`.
    """

    title: str
    lead: str
    groups: tuple[Group, ...]
    badges: tuple[str, ...] = field(default=())


def facts(*rows: tuple[str, object]) -> Facts:
    """Facts without those that are empty or unknown."""
    return Facts(tuple((name, str(value)) for name, value in rows if value not in (None, "", "-")))
