"""Files to rows, one file after the other, one episode at a time.

`stream_files` yields what it finds as it goes: nothing but the present episode and the ids seen
so far is held. `import_files` collects the same for small batches. A file that cannot be read,
and an episode that cannot be read, are refusals with file, position and reason; neither stops
anything else.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from tasks.importers.assemble import HarnessOf
from tasks.importers.draft import ReadOptions
from tasks.importers.file_import import FileImport, Job
from tasks.importers.finding import FoundFile
from tasks.importers.results import (
    DuplicateEpisode,
    FileReport,
    ImportedEpisode,
    ImportItem,
    ImportResult,
    Known,
    RefusedEpisode,
)


def stream_files(
    files: Iterable[Path | FoundFile],
    *,
    harness_of: HarnessOf,
    now: datetime,
    options: ReadOptions | None = None,
    known: Known | None = None,
) -> Iterator[ImportItem]:
    """Import files in the order given, yielding each episode as it is read.

    A folder stands for its results.json. Globs and folders of files are for the caller to
    expand (`finding.py`).
    """
    job = Job(harness_of, now, options or ReadOptions(), known or Known())
    for file in files:
        found = file if isinstance(file, FoundFile) else FoundFile.of(file)
        yield from FileImport(found, job).run()


def import_files(
    files: Iterable[Path | FoundFile],
    *,
    harness_of: HarnessOf,
    now: datetime,
    options: ReadOptions | None = None,
    known: Known | None = None,
) -> ImportResult:
    """Import files and keep everything in memory; for small batches."""
    items = list(stream_files(files, harness_of=harness_of, now=now, options=options, known=known))
    imported = [item for item in items if isinstance(item, ImportedEpisode)]
    tasks = {(item.task.task_id, item.task.environment_fingerprint): item.task for item in imported}
    return ImportResult(
        episodes=tuple(item.episode for item in imported),
        tasks=tuple(tasks.values()),
        duplicates=tuple(item for item in items if isinstance(item, DuplicateEpisode)),
        refusals=tuple(item.row for item in items if isinstance(item, RefusedEpisode)),
        reports=tuple(item for item in items if isinstance(item, FileReport)),
    )
