"""Several layer-local changes on one parent: what they change, and all of them together."""

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import HarnessError
from .harness import Harness
from .values import Layer


@dataclass(frozen=True)
class Change:
    """One artifact that a child adds, replaces or removes; `body` is null when it removes."""

    layer: Layer
    name: str
    body: str | None


@dataclass(frozen=True)
class Dropped:
    """A child that could not be put on the others, and why."""

    position: int
    why: str


@dataclass(frozen=True)
class Bundle:
    """The parent with all changes that fit together.

    Attributes:
        applied: positions of the children whose changes it holds.
        dropped: the others; the later of two that touch one artifact is dropped.
    """

    harness: Harness
    applied: tuple[int, ...]
    dropped: tuple[Dropped, ...]


def changes(parent: Harness, child: Harness) -> tuple[Change, ...]:
    """List the artifacts that differ, in the child's order, removals last."""
    before: dict[tuple[Layer, str], str] = {
        (item.layer, item.name): item.body for item in parent.artifacts
    }
    after: dict[tuple[Layer, str], str] = {
        (item.layer, item.name): item.body for item in child.artifacts
    }
    changed = [
        Change(layer, name, body)
        for (layer, name), body in after.items()
        if before.get((layer, name)) != body
    ]
    gone = [Change(layer, name, None) for layer, name in before if (layer, name) not in after]
    return (*changed, *gone)


def apply(harness: Harness, wanted: Sequence[Change]) -> Harness:
    """Make the changes on any harness.

    Raises:
        HarnessError: one of them does not fit.
    """
    for change in wanted:
        if change.body is None:
            harness = harness.remove(change.layer, change.name)
        else:
            harness = harness.put(change.layer, change.name, change.body)
    return harness


def bundle(parent: Harness, children: Sequence[Harness]) -> Bundle:
    """Put the changes of several children of one parent together, in the order given."""
    harness = parent
    taken: dict[tuple[Layer, str], int] = {}
    applied: list[int] = []
    dropped: list[Dropped] = []
    for position, child in enumerate(children):
        wanted = changes(parent, child)
        rival = next((one for one in wanted if (one.layer, one.name) in taken), None)
        if rival is not None:
            first = taken[rival.layer, rival.name]
            dropped.append(Dropped(position, f"{rival.layer} {rival.name!r} is changed by {first}"))
            continue
        try:
            harness = apply(harness, wanted)
        except HarnessError as error:
            dropped.append(Dropped(position, str(error)))
            continue
        taken.update({(one.layer, one.name): position for one in wanted})
        applied.append(position)
    return Bundle(harness, tuple(applied), tuple(dropped))
