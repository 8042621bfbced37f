"""How good forecasts were: what was foretold of edits against what full runs then showed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["regression", "fix"]
KINDS: tuple[Kind, ...] = ("regression", "fix")


@dataclass(frozen=True)
class Seen:
    """Mean success of a task without and with an edit."""

    edit_id: str
    editor: str
    task_id: str
    before: float
    after: float

    def shows(self, kind: Kind) -> bool:
        """Whether the task went this way."""
        return self.after < self.before if kind == "regression" else self.after > self.before


@dataclass(frozen=True)
class Foretold:
    """A forecast of one task; `touch` and `fix` foretell that it may be fixed."""

    edit_id: str
    task_id: str
    prediction: str
    forecaster: str

    @property
    def kind(self) -> Kind:
        """What is foretold."""
        return "regression" if self.prediction == "risk" else "fix"


@dataclass(frozen=True)
class Score:
    """Forecasts of one kind; shares are null where nothing was foretold, or nothing happened."""

    editor: str
    forecaster: str
    kind: Kind
    edits: int
    tasks: int
    foretold: int
    happened: int
    hits: int

    @property
    def precision(self) -> float | None:
        """Share of what was foretold that happened."""
        return self.hits / self.foretold if self.foretold else None

    @property
    def recall(self) -> float | None:
        """Share of what happened that was foretold."""
        return self.hits / self.happened if self.happened else None


ALL = "all"
"""Stands for the edits of all editors together."""


def score_forecasts(seen: Sequence[Seen], foretold: Iterable[Foretold]) -> list[Score]:
    """Score each forecaster for each editor and for all; tasks that were not run say nothing."""
    said = set(foretold)
    forecasters = sorted({one.forecaster for one in said})
    editors = [ALL, *sorted({one.editor for one in seen})]
    return [
        _score(editor, forecaster, kind, seen, said)
        for editor in editors
        for forecaster in forecasters
        for kind in KINDS
    ]


def _score(
    editor: str, forecaster: str, kind: Kind, seen: Sequence[Seen], said: set[Foretold]
) -> Score:
    own = [one for one in seen if editor in (ALL, one.editor)]
    known = {
        (one.edit_id, one.task_id)
        for one in said
        if one.forecaster == forecaster and one.kind == kind
    }
    is_foretold = [(one.edit_id, one.task_id) in known for one in own]
    is_real = [one.shows(kind) for one in own]
    return Score(
        editor=editor,
        forecaster=forecaster,
        kind=kind,
        edits=len({one.edit_id for one in own}),
        tasks=len(own),
        foretold=sum(is_foretold),
        happened=sum(is_real),
        hits=sum(a and b for a, b in zip(is_foretold, is_real, strict=True)),
    )
