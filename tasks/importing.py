"""Importing recorded trajectories: files to landed rows, a bounded number at a time."""

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schemas.errors import ConfigError
from schemas.fields import Split
from schemas.trajectories import ImportReportRow, TaskRow
from schemas.trajectory_forms import ImportForm
from tasks.harness_rows import harness_rows
from tasks.importers.counts import disputed_note
from tasks.importers.draft import ReadOptions
from tasks.importers.engine import stream_files
from tasks.importers.finding import FoundFile, find_files
from tasks.importers.registry import check_format
from tasks.importers.results import (
    DuplicateEpisode,
    FileReport,
    ImportedEpisode,
    ImportItem,
    Known,
    RefusedEpisode,
    total_counts,
)
from tasks.importers.verdict_file import read_verdicts
from tasks.importers.verdicts import Stated
from tasks.outcomes import take_outcomes
from tasks.progress import count, expect, in_stage
from tasks.workbench import Workbench, seed_harness

BATCH = 200
"""Episodes that are landed as one segment."""
STDIN = "-"
_STORED = """
SELECT trajectory_id, o.outcome, t.outcome_rule, o.reward
FROM trajectories AS t JOIN trajectory_outcomes AS o USING (trajectory_id)
WHERE t.origin = 'import'
"""
_EPISODES = (ImportedEpisode, DuplicateEpisode)


@dataclass
class _Found:
    """What an import has to tell of, beside the rows that it lands."""

    reports: list[FileReport] = field(default_factory=list[FileReport])
    refusals: list[RefusedEpisode] = field(default_factory=list[RefusedEpisode])
    trajectories: set[str] = field(default_factory=set[str])

    def add(self, item: ImportItem) -> None:
        """Keep what the summary needs."""
        if isinstance(item, FileReport):
            self.reports.append(item)
        elif isinstance(item, RefusedEpisode):
            self.refusals.append(item)
        elif isinstance(item, ImportedEpisode):
            self.trajectories.add(item.episode.trajectory_id)
        elif isinstance(item, DuplicateEpisode):
            self.trajectories.add(item.source.trajectory_id)


@in_stage("import")
def import_trajectories(form: ImportForm) -> dict[str, Any]:
    """Import files, and say for each what became of it.

    Secrets are redacted before anything is stored. What cannot be read is named with file,
    position and reason, and kept in `quarantine`. Verdicts of `labels` go to the episodes of
    these files alone.

    Raises:
        ConfigError: a path, the format or the file of verdicts cannot be used.
    """
    check_format(form.source_format)
    if form.labels:
        next(read_verdicts(Path(form.labels)), None)
    bench = Workbench.open()
    environments: dict[str, str] = {}
    with _files(form.paths) as files:
        found = _land(bench, _items(bench, files, form, environments), len(files))
    bench.commit()
    labels = take_outcomes(form.labels, among=found.trajectories) if form.labels else None
    return _summary(found, sorted(environments)) | {"labels": labels}


def _items(
    bench: Workbench, files: list[FoundFile], form: ImportForm, environments: dict[str, str]
) -> Iterator[ImportItem]:
    def harness_of(environment: str) -> str:
        if environment not in environments:
            harness = seed_harness(environment)
            bench.land(harness_rows(harness), "import")
            environments[environment] = harness.harness_id
        return environments[environment]

    options = ReadOptions(
        model=form.model,
        pair_tasks_by_index=form.pair_tasks_by_index,
        source_format=form.source_format,
        verdict_field=form.verdict_field,
        redact=form.redact,
    )
    return stream_files(
        files, harness_of=harness_of, now=bench.now, options=options, known=_known(bench)
    )


def _land(bench: Workbench, items: Iterator[ImportItem], files: int) -> _Found:
    expect("files", files)
    found = _Found()
    for batch in _batches(items):
        bench.land([row for item in batch for row in item.rows()], "import")
        for item in batch:
            found.add(item)
        count("files", sum(isinstance(item, FileReport) for item in batch))
        count("episodes", sum(isinstance(item, _EPISODES) for item in batch))
    return found


@contextmanager
def _files(words: Iterable[str]) -> Iterator[list[FoundFile]]:
    """Files that the words stand for; what is piped in is kept in a file while it is read."""
    given = list(words)
    if STDIN not in given:
        yield find_files(map(Path, given))
        return
    if given.count(STDIN) > 1 or sys.stdin.isatty():
        what = "nothing is piped in" if sys.stdin.isatty() else f"{STDIN} is given twice"
        raise ConfigError(what, hint=f"cat FILE | tackroom import {STDIN}")
    with TemporaryDirectory() as folder:
        piped = Path(folder) / "stdin"
        with piped.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield [
            found
            for word in given
            for found in ([FoundFile.of(piped)] if word == STDIN else find_files([Path(word)]))
        ]


def _known(bench: Workbench) -> Known:
    with bench.warehouse.read() as reader:
        stored = {row[0]: Stated(*row[1:]) for row in reader.frame(_STORED).iter_rows()}
        imports = {row.import_id for row in reader.rows(ImportReportRow)}
        splits: dict[str, Split] = {row.task_id: row.split for row in reader.rows(TaskRow)}
    return Known(stored.get, imports.__contains__, lambda task_id: splits.get(task_id, "train"))


def _batches(items: Iterable[ImportItem]) -> Iterator[list[ImportItem]]:
    batch: list[ImportItem] = []
    for item in items:
        batch.append(item)
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _summary(found: _Found, environments: list[str]) -> dict[str, Any]:
    columns = ("source_file", "source_format", "episodes", "imported", "duplicates", "superseded")
    columns += ("refused", "unknown_task", "redactions")
    return {
        **total_counts(found.reports),
        "environments": environments,
        "files": [
            {name: getattr(report.row, name) for name in columns} | report.outcomes
            for report in found.reports
            if not report.is_passed_over
        ],
        "refusals": [
            {"place": refusal.place, "reason": refusal.row.reason} for refusal in found.refusals
        ],
        "notes": disputed_note(
            [text for report in found.reports for text in report.contradictions]
        ),
    }
