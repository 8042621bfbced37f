"""Where the parts of a warehouse lie inside the data folder."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Paths:
    """The files and folders of one warehouse.

    Attributes:
        home: the data folder.
    """

    home: Path

    @property
    def live(self) -> Path:
        """The live file; only the ingester opens it."""
        return self.home / "warehouse.duckdb"

    @property
    def current(self) -> Path:
        """Stable path of the newest snapshot."""
        return self.home / "current.duckdb"

    @property
    def snapshots(self) -> Path:
        """Folder of numbered snapshots."""
        return self.home / "snapshots"

    @property
    def pending(self) -> Path:
        """Segments that wait for the ingester."""
        return self.home / "landing" / "pending"

    @property
    def unfinished(self) -> Path:
        """Segments that are being written."""
        return self.home / "landing" / "unfinished"

    @property
    def failed(self) -> Path:
        """Segments whose rows broke a check."""
        return self.home / "landing" / "failed"

    @property
    def lock(self) -> Path:
        """File that the ingester locks."""
        return self.home / "ingest.lock"

    def create(self) -> None:
        """Create the folders that are missing."""
        for folder in (self.snapshots, self.pending, self.unfinished, self.failed):
            folder.mkdir(parents=True, exist_ok=True)
