"""Take pending segments into the live file: screen, insert, validate, all or nothing.

One transaction per batch of segments. Segments are removed after the commit, and inserting a row
that is already stored does nothing, so a process killed at any moment leaves work that the next
ingest finishes.
"""

import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import duckdb
import polars as pl

from schemas.errors import TackroomError, WarehouseError
from schemas.runs import ValidationResultRow
from warehouse.batch import Outcome, SegmentFrames, insert_rows, rejected_id, take_in
from warehouse.database import (
    DamagedFile,
    create_database,
    failed,
    first_line,
    is_damage,
    missing,
    open_database,
)
from warehouse.disk import full_disk, is_full
from warehouse.frames import bytes_of
from warehouse.landing import move_to_failed, pending_segments, read_segment, remove_abandoned
from warehouse.migrate import is_current, migrate
from warehouse.paths import Paths

_WAITING = "nothing was stored; the segments still wait in landing/pending"


@dataclass(frozen=True)
class IngestReport:
    """What one ingest did.

    Attributes:
        batch_id: id of the batch; of the last one when several were needed.
        rows: new rows per table.
        checks: checks whose result was recorded.
        failed: those that failed, warnings included.
        validations: validations Great Expectations ran.
        quarantined: rows that were refused.
        failed_segments: segments set aside, each with the reason.
    """

    batch_id: str = ""
    rows: dict[str, int] = field(default_factory=dict[str, int])
    checks: int = 0
    failed: int = 0
    validations: int = 0
    quarantined: int = 0
    failed_segments: dict[str, TackroomError] = field(default_factory=dict[str, TackroomError])

    def __add__(self, other: "IngestReport") -> "IngestReport":
        """The report of both."""
        rows = dict(self.rows)
        for name, count in other.rows.items():
            rows[name] = rows.get(name, 0) + count
        return IngestReport(
            batch_id=other.batch_id or self.batch_id,
            rows=rows,
            checks=self.checks + other.checks,
            failed=self.failed + other.failed,
            validations=self.validations + other.validations,
            quarantined=self.quarantined + other.quarantined,
            failed_segments={**self.failed_segments, **other.failed_segments},
        )


class _BrokenContract(Exception):
    """A batch was rolled back because a check failed."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        super().__init__(outcome.batch_id)


def ingest_pending(paths: Paths, live: duckdb.DuckDBPyConnection) -> IngestReport:
    """Ingest all pending segments into the open live file. The caller holds the ingest lock.

    When a check fails with several segments pending, each is tried on its own, so that rows of one
    stage never hold up another's; those that still fail are moved to `landing/failed`.

    Raises:
        WarehouseError: the live file cannot be written.
    """
    remove_abandoned(paths)
    readable, report = _read(pending_segments(paths), paths)
    if not readable:
        return report
    try:
        return report + _ingest(live, readable, paths)
    except _BrokenContract as broken:
        if len(readable) == 1:
            return report + _set_aside(readable, broken, paths)
    return report + _ingest_singly(live, readable, paths)


@contextmanager
def live_database(paths: Paths) -> Generator[duckdb.DuckDBPyConnection]:
    """Open the live file, created or migrated first. The caller holds the ingest lock.

    Raises:
        DamagedFile: the file is lost or damaged.
        WarehouseError: the file is from a newer release or cannot be written.
    """
    if not paths.live.exists():
        if paths.current.is_symlink():
            raise missing(paths.live)
        create_database(paths.live)
    with open_database(paths.live, read_only=False) as connection:
        if not _is_current(connection, paths):
            with _transaction(connection, paths):
                migrate(connection)
        yield connection


def _is_current(connection: duckdb.DuckDBPyConnection, paths: Paths) -> bool:
    try:
        return is_current(connection)
    except duckdb.Error as error:
        raise failed(paths.live, error) from error


def _read(segments: Sequence[str], paths: Paths) -> tuple[SegmentFrames, IngestReport]:
    frames: dict[str, dict[str, pl.DataFrame]] = {}
    unreadable: dict[str, TackroomError] = {}
    for segment in segments:
        try:
            frames[segment] = read_segment(paths.pending / segment)
        except WarehouseError as error:
            unreadable[segment] = error
            move_to_failed([segment], paths, str(error))
    return frames, IngestReport(failed_segments=unreadable)


def _ingest(live: duckdb.DuckDBPyConnection, segments: SegmentFrames, paths: Paths) -> IngestReport:
    size = bytes_of(frame for frames in segments.values() for frame in frames.values())
    try:
        with _transaction(live, paths, size=size):
            outcome = take_in(live, segments)
            _require_success(outcome)
    except _BrokenContract as broken:
        with _transaction(live, paths):
            insert_rows(live, _rejected_results(broken.outcome))
        raise
    for segment in segments:
        shutil.rmtree(paths.pending / segment, ignore_errors=True)
    return _report(outcome)


def _require_success(outcome: Outcome) -> None:
    if outcome.failures:
        raise _BrokenContract(outcome)


def _ingest_singly(
    live: duckdb.DuckDBPyConnection, segments: SegmentFrames, paths: Paths
) -> IngestReport:
    """Try segments one by one, again and again while one gets through; set the rest aside."""
    report = IngestReport()
    waiting = dict(segments)
    while True:
        broken: dict[str, _BrokenContract] = {}
        for segment, frames in waiting.items():
            try:
                report += _ingest(live, {segment: frames}, paths)
            except _BrokenContract as error:
                broken[segment] = error
        if not broken or len(broken) == len(waiting):
            break
        waiting = {segment: waiting[segment] for segment in broken}
    for segment, error in broken.items():
        report += _set_aside({segment: waiting[segment]}, error, paths)
    return report


def _set_aside(segments: SegmentFrames, broken: _BrokenContract, paths: Paths) -> IngestReport:
    error = broken.outcome.error()
    move_to_failed(list(segments), paths, str(error))
    return IngestReport(
        batch_id=broken.outcome.batch_id,
        checks=len(broken.outcome.results),
        failed=sum(not row.success for row in broken.outcome.results),
        validations=broken.outcome.validations,
        failed_segments=dict.fromkeys(segments, error),
    )


def _report(outcome: Outcome) -> IngestReport:
    return IngestReport(
        batch_id=outcome.batch_id,
        rows=outcome.rows,
        checks=len(outcome.results),
        failed=sum(not row.success for row in outcome.results),
        validations=outcome.validations,
        quarantined=len(outcome.refused),
    )


def _rejected_results(outcome: Outcome) -> list[ValidationResultRow]:
    """Results of a batch that was rolled back, under an id of their own."""
    batch_id = rejected_id(outcome.batch_id)
    return [row.model_copy(update={"batch_id": batch_id}) for row in outcome.results]


@contextmanager
def _transaction(
    connection: duckdb.DuckDBPyConnection, paths: Paths, *, size: int = 0
) -> Generator[None]:
    """All or nothing; `size` is about how many bytes it writes."""
    try:
        connection.execute("BEGIN TRANSACTION")
        yield
        connection.execute("COMMIT")
    except duckdb.Error as error:
        _roll_back(connection)
        if is_full(error):
            what = "cannot take in what was landed"
            raise full_disk(what, paths.live, kept=_WAITING, needed=size) from error
        if is_damage(error):
            what = f"the warehouse file {paths.live} is damaged: {first_line(error)}"
            raise DamagedFile(paths.live, what) from error
        what = f"the warehouse could not take the batch: {first_line(error)}"
        raise WarehouseError(what, hint=_WAITING) from error
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):  # a failed statement may have ended the transaction already
        connection.execute("ROLLBACK")
