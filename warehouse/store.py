"""The warehouse of one data folder: land rows, ingest them, publish a snapshot, read it."""

from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import duckdb

from schemas.errors import DataContractError, TackroomError, WarehouseError
from schemas.fields import Row
from warehouse.database import DamagedFile
from warehouse.disk import full_disk, is_full
from warehouse.ingest import IngestReport, ingest_pending, live_database
from warehouse.landing import Landed, land_rows
from warehouse.lock import file_lock
from warehouse.opened import connect_snapshot, is_of_this_release
from warehouse.paths import Paths
from warehouse.reader import Reader
from warehouse.repair import advising, mend
from warehouse.snapshot import (
    damaged_snapshots,
    leads_to_newest,
    newest_snapshot,
    publish_snapshot,
)

LOCK_TIMEOUT_S = 300.0


class Warehouse:
    """Land, ingest, publish, read. Any number of processes may share one data folder.

    A new folder gets an empty warehouse and a first snapshot; one of an older release is migrated.

    Attributes:
        paths: where its parts lie.
    """

    def __init__(self, home: Path, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        """Open the warehouse of a data folder.

        Raises:
            WarehouseError: the folder cannot be written, or the file is damaged or newer than us.
        """
        self.paths = Paths(home)
        self._lock_timeout_s = lock_timeout_s
        self._landed: set[str] = set()
        try:
            self.paths.create()
        except OSError as error:
            if is_full(error):
                what = "cannot create the data folder"
                raise full_disk(what, home, kept="nothing was stored") from error
            what = f"cannot create the data folder {home}: {error.strerror or error}"
            raise WarehouseError(what, hint="choose a folder that can be written") from error
        if not self._is_ready():
            self._mend()

    def land(self, rows: Iterable[Row], *, stage: str) -> Landed:
        """Write rows of any tables as one immutable segment.

        Raises:
            WarehouseError: the disk is full or the folder cannot be written; nothing was landed.
        """
        landed = land_rows(rows, stage=stage, paths=self.paths)
        if landed.segment:
            self._landed.add(landed.segment)
        return landed

    def ingest(self) -> IngestReport:
        """Take everything that is pending into the live file, checked, in one transaction.

        Raises:
            DataContractError: rows landed here broke a check; nothing of their segment is stored.
            WarehouseError: the live file cannot be written; the segments wait for the next ingest.
        """
        with self._lock(), advising(self.paths), live_database(self.paths) as live:
            report = ingest_pending(self.paths, live)
            self._require_success(report)
        return report

    def commit(self) -> IngestReport:
        """Ingest and publish.

        Raises:
            DataContractError: rows landed here broke a check; nothing of their segment is stored.
            WarehouseError: the live file or the snapshot cannot be written.
        """
        with self._lock(), advising(self.paths):
            with live_database(self.paths) as live:
                report = ingest_pending(self.paths, live)
                self._require_success(report)
            publish_snapshot(self.paths)
        return report

    def publish(self) -> Path:
        """Copy the live file to a new snapshot when it has changed; return the newest snapshot."""
        with self._lock(), advising(self.paths):
            with live_database(self.paths):  # what does not open must not become a snapshot
                pass
            return publish_snapshot(self.paths)

    @contextmanager
    def read(self) -> Generator[Reader]:
        """Open the newest snapshot for reading; one that is damaged is replaced first.

        Raises:
            WarehouseError: no snapshot can be read, or the one that is open is damaged inside.
        """
        with advising(self.paths):
            snapshot, connection = self._open_newest()
            try:
                yield Reader(connection, snapshot)
            finally:
                connection.close()

    @property
    def snapshot(self) -> Path:
        """The newest snapshot.

        Raises:
            WarehouseError: nothing was published.
        """
        found = newest_snapshot(self.paths)
        if found is None:
            what = f"no snapshot in {self.paths.snapshots}"
            raise WarehouseError(what, hint="run `tackroom init`")
        return found

    def _open_newest(self) -> tuple[Path, duckdb.DuckDBPyConnection]:
        is_mended = False
        while True:
            snapshot = self.snapshot
            try:
                opened = connect_snapshot(snapshot, is_whole=is_mended)
            except DamagedFile:
                if is_mended:
                    raise
                self._mend()
                is_mended = True
            except WarehouseError:
                if snapshot.exists():
                    raise
                # newer ones were published and this one removed meanwhile: take the newest
            else:
                return snapshot, opened

    def _is_ready(self) -> bool:
        if not self.paths.live.exists() or not leads_to_newest(self.paths):
            return False
        if damaged_snapshots(self.paths):
            return False
        try:
            return is_of_this_release(self.snapshot)
        except WarehouseError:
            return False

    def _mend(self) -> None:
        with self._lock():
            mend(self.paths)

    def _lock(self) -> AbstractContextManager[None]:
        return file_lock(self.paths.lock, timeout_s=self._lock_timeout_s)

    def _require_success(self, report: IngestReport) -> None:
        mine, self._landed = self._landed, set()
        for segment in sorted(mine or report.failed_segments):
            if error := self._failure(segment, report):
                raise error

    def _failure(self, segment: str, report: IngestReport) -> TackroomError | None:
        """Why a segment was set aside, by this ingest or by another process."""
        if segment in report.failed_segments:
            return report.failed_segments[segment]
        reason = self.paths.failed / segment / "reason.txt"
        if not reason.exists():
            return None
        return DataContractError(reason.read_text("utf-8").strip())
