"""Cells of a matrix and the pairs of cells that are compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from schemas.evaluation import ContrastKind
from schemas.fields import LAYERS, Layer, Split
from tasks.harness import Harness


@dataclass(frozen=True)
class Arm:
    """A model in a loop, and the splits it is scored on.

    Attributes:
        word: the model as the user named it.
        name: how its trajectories are called.
    """

    word: str
    loop: str
    name: str
    splits: tuple[Split, ...]


@dataclass(frozen=True)
class Cell:
    """What one score is of."""

    environment: str
    arm: Arm
    harness_id: str
    split: Split


@dataclass(frozen=True)
class Contrast:
    """Two cells that are compared, and the name of what differs."""

    kind: ContrastKind
    subject: str
    old: Cell
    new: Cell


@dataclass(frozen=True)
class Matrix:
    """Everything that is run and compared.

    Attributes:
        harnesses: those of the cells, by id.
        source: word of the model whose gain the others' is set against; empty for none.
    """

    cells: tuple[Cell, ...]
    contrasts: tuple[Contrast, ...]
    harnesses: Mapping[str, Harness]
    source: str = ""


@dataclass(frozen=True)
class World:
    """An environment and its harnesses, the one compared with first."""

    environment: str
    harnesses: tuple[Harness, ...]


@dataclass(frozen=True)
class LayerPlan:
    """Which layers are taken out of every harness, and whether each is tried alone as well."""

    without: tuple[Layer, ...] = ()
    leaves_out_all: bool = False
    adds_each: bool = False

    def left_out(self, harness: Harness) -> tuple[Layer, ...]:
        """Layers to take out of a harness; empty ones would change nothing."""
        everything = _filled(harness) if self.leaves_out_all else ()
        return tuple(dict.fromkeys([*self.without, *everything]))


@dataclass
class _Builder:
    """Gathers contrasts and the cells they need, each once and in order."""

    source: str = ""
    cells: dict[Cell, None] = field(default_factory=dict[Cell, None])
    contrasts: dict[Contrast, None] = field(default_factory=dict[Contrast, None])
    harnesses: dict[str, Harness] = field(default_factory=dict[str, Harness])

    def cell(self, environment: str, arm: Arm, harness: Harness, split: Split) -> Cell:
        cell = Cell(environment, arm, harness.harness_id, split)
        self.cells[cell] = None
        self.harnesses[harness.harness_id] = harness
        return cell

    def compare(self, kind: ContrastKind, subject: str, old: Cell, new: Cell) -> None:
        if old != new:
            self.contrasts[Contrast(kind, subject, old, new)] = None

    def build(self) -> Matrix:
        return Matrix(tuple(self.cells), tuple(self.contrasts), self.harnesses, self.source)


def plan_grid(
    worlds: Sequence[World], arms: Sequence[Arm], layers: LayerPlan, *, source: str = ""
) -> Matrix:
    """Every model in every harness: each harness against the first, each loop against the first."""
    made = _Builder(source)
    for world, arm, split in _rows(worlds, arms):
        base = made.cell(world.environment, arm, world.harnesses[0], split)
        for harness in world.harnesses:
            cell = made.cell(world.environment, arm, harness, split)
            made.compare("harness", harness.harness_id, base, cell)
            _compare_layers(made, cell, harness, layers)
    for world, arm, split in _rows(worlds, arms):
        first = next(one for one in arms if one.word == arm.word)
        for harness in world.harnesses:
            old = made.cell(world.environment, first, harness, split)
            new = made.cell(world.environment, arm, harness, split)
            made.compare("loop", arm.loop, old, new)
    return made.build()


def plan_editors(
    environment: str,
    arms: Sequence[Arm],
    base: Harness,
    evolved: Mapping[tuple[str, str], Harness],
) -> Matrix:
    """Every model in the base harness and in those the editors made for it.

    `evolved` holds harnesses by editor and word of the model.
    """
    made = _Builder()
    editors = list(dict.fromkeys(editor for editor, _ in evolved))
    for _, arm, split in _rows([World(environment, (base,))], arms):
        old = made.cell(environment, arm, base, split)
        for editor in editors:
            new = made.cell(environment, arm, evolved[editor, arm.word], split)
            # An editor that got nothing accepted is a gain of 0, which is told as such.
            made.contrasts[Contrast("editor", editor, old, new)] = None
    return made.build()


def _rows(worlds: Sequence[World], arms: Sequence[Arm]) -> Iterator[tuple[World, Arm, Split]]:
    return ((world, arm, split) for world in worlds for arm in arms for split in arm.splits)


def _compare_layers(made: _Builder, full: Cell, harness: Harness, layers: LayerPlan) -> None:
    def variant(change: Callable[[Harness], Harness]) -> Cell:
        return made.cell(full.environment, full.arm, change(harness), full.split)

    for layer in layers.left_out(harness):
        lesser = variant(lambda one, layer=layer: one.without_layer(layer))
        made.compare("without_layer", layer, lesser, full)
    if layers.adds_each:
        bare = variant(lambda one: _only(one, None))
        for layer in _filled(harness):
            alone = variant(lambda one, layer=layer: _only(one, layer))
            made.compare("with_layer", layer, bare, alone)
        made.compare("all_layers", "all", bare, full)


def _filled(harness: Harness) -> tuple[Layer, ...]:
    """Layers that are on and hold an artifact, or text before the first section."""
    held = {artifact.layer for artifact in harness.artifacts}
    held |= {"contract"} if harness.contract.preamble.strip() else set()
    return tuple(layer for layer in LAYERS if layer in held and layer in harness.layers)


def _only(harness: Harness, kept: Layer | None) -> Harness:
    for layer in LAYERS:
        if layer != kept:
            harness = harness.without_layer(layer)
    return harness
