"""What an import yields, item by item, and what a warehouse already holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from schemas.episode import Episode
from schemas.fields import Row, Split
from schemas.runs import QuarantineRow
from schemas.trajectories import (
    ImportReportRow,
    TaskRow,
    TrajectorySourceRow,
    VerdictRow,
)
from tasks.importers.verdicts import Stated


@dataclass(frozen=True)
class ImportedEpisode:
    """An episode that was not known before, with its task.

    Attributes:
        shared: task and prompts that no earlier episode of this import has brought along.
    """

    episode: Episode
    task: TaskRow
    shared: tuple[Row, ...]

    def rows(self) -> tuple[Row, ...]:
        """Rows to land, source included."""
        made = self.episode
        return (*self.shared, made.trajectory, *made.steps, *made.calls, *made.sources)


@dataclass(frozen=True)
class DuplicateEpisode:
    """A known episode at another place; a verdict comes along when it says something else."""

    source: TrajectorySourceRow
    verdict: VerdictRow | None = None

    def rows(self) -> tuple[Row, ...]:
        """Rows to land."""
        return (self.source,) if self.verdict is None else (self.source, self.verdict)


@dataclass(frozen=True)
class SupersededEpisode:
    """An attempt that was left out because the source holds a later one."""

    place: str

    def rows(self) -> tuple[Row, ...]:
        """Nothing to land."""
        return ()


@dataclass(frozen=True)
class RefusedEpisode:
    """An episode or file that was not imported; `row` names file, position and reason.

    Attributes:
        place: as `row.place`, with the path by which the user named the file.
    """

    row: QuarantineRow
    place: str

    def rows(self) -> tuple[Row, ...]:
        """Rows to land."""
        return (self.row,)


@dataclass(frozen=True)
class FileReport:
    """What became of one file.

    Attributes:
        is_repeated: the same file with the same options was imported before; its row is not to
            be landed a second time.
        outcomes: imported episodes by outcome, faults apart.
        contradictions: known episodes that the file gives another verdict, one sentence each.
        is_passed_over: nobody named the file, and it holds no episodes.
    """

    row: ImportReportRow
    is_repeated: bool = False
    outcomes: dict[str, int] = field(default_factory=dict[str, int])
    contradictions: tuple[str, ...] = ()
    is_passed_over: bool = False

    def rows(self) -> tuple[Row, ...]:
        """Rows to land."""
        return () if self.is_repeated else (self.row,)


ImportItem = ImportedEpisode | DuplicateEpisode | SupersededEpisode | RefusedEpisode | FileReport


@dataclass(frozen=True)
class ImportResult:
    """Everything that a batch of files gave."""

    episodes: tuple[Episode, ...]
    tasks: tuple[TaskRow, ...]
    duplicates: tuple[DuplicateEpisode, ...]
    refusals: tuple[QuarantineRow, ...]
    reports: tuple[FileReport, ...]

    @property
    def sources(self) -> tuple[TrajectorySourceRow, ...]:
        """Every place an episode was found at."""
        first = tuple(source for episode in self.episodes for source in episode.sources)
        return (*first, *(duplicate.source for duplicate in self.duplicates))


@dataclass(frozen=True)
class Known:
    """What a warehouse already holds.

    Attributes:
        verdict_of: what is stored of a trajectory's verdict; null when it is not stored.
        has_import: whether the report of an import is stored.
        split_of: split of a task by its id; `train` unless it is known as select or sealed.
    """

    verdict_of: Callable[[str], Stated | None] = lambda _: None
    has_import: Callable[[str], bool] = lambda _: False
    split_of: Callable[[str], Split] = lambda _: "train"


def total_counts(reports: Sequence[FileReport]) -> dict[str, int]:
    """Totals over files, for a summary."""
    names = ("episodes", "imported", "duplicates", "superseded", "refused", "unknown_task")
    totals = {
        name: sum(getattr(report.row, name) for report in reports)
        for name in (*names, "redactions")
    }
    return totals | {
        "passed_over": sum(report.is_passed_over for report in reports),
        "disputed": sum(len(report.contradictions) for report in reports),
    }
