"""Importing recorded trajectories: files to landed rows, a bounded number at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from schemas.fields import Split
from schemas.forms import ImportForm
from schemas.trajectories import ImportReportRow, TaskRow
from tasks.harness_rows import harness_rows
from tasks.importers.counts import disputed_note
from tasks.importers.draft import ReadOptions
from tasks.importers.engine import stream_files
from tasks.importers.results import (
    DuplicateEpisode,
    FileReport,
    ImportedEpisode,
    ImportItem,
    Known,
    RefusedEpisode,
    total_counts,
)
from tasks.importers.verdicts import Stated
from tasks.progress import count, expect, in_stage
from tasks.workbench import Workbench, seed_harness

BATCH = 200
"""Episodes that are landed as one segment."""
_STORED = """
SELECT trajectory_id, o.outcome, t.outcome_rule, o.reward
FROM trajectories AS t JOIN trajectory_outcomes AS o USING (trajectory_id)
WHERE t.origin = 'import'
"""
_EPISODES = (ImportedEpisode, DuplicateEpisode)
MANY_FILES = (".json", ".jsonl", ".yaml", ".traj", ".eval", ".csv")


@in_stage("import")
def import_trajectories(form: ImportForm) -> dict[str, Any]:
    """Import files, and say for each what became of it.

    Secrets are redacted before anything is stored. What cannot be read is named with file,
    position and reason, and kept in `quarantine`.
    """
    bench = Workbench.open()
    paths = expand_folders(Path(path) for path in form.paths)
    environments: dict[str, str] = {}

    def harness_of(environment: str) -> str:
        if environment not in environments:
            harness = seed_harness(environment)
            bench.land(harness_rows(harness), "import")
            environments[environment] = harness.harness_id
        return environments[environment]

    items = stream_files(
        paths,
        harness_of=harness_of,
        now=bench.now,
        options=ReadOptions(model=form.model, pair_tasks_by_index=form.pair_tasks_by_index),
        known=_known(bench),
    )
    expect("files", len(paths))
    reports: list[FileReport] = []
    refusals: list[RefusedEpisode] = []
    for batch in _batches(items):
        bench.land([row for item in batch for row in item.rows()], "import")
        reports += [item for item in batch if isinstance(item, FileReport)]
        refusals += [item for item in batch if isinstance(item, RefusedEpisode)]
        count("files", sum(isinstance(item, FileReport) for item in batch))
        count("episodes", sum(isinstance(item, _EPISODES) for item in batch))
    bench.commit()
    return _summary(reports, refusals, sorted(environments))


def expand_folders(paths: Iterable[Path]) -> list[Path]:
    """Files to read: a pattern or a folder stands for what it holds, a recording for itself.

    Raises:
        ConfigError: a path is a pipe, a socket or a device.
    """
    found: list[Path] = []
    for path in (match for pattern in paths for match in _matches(pattern)):
        if path.exists() and not path.is_file() and not path.is_dir():
            what = f"{path} is neither a file nor a folder"
            raise ConfigError(what, hint="name what is to be read")
        if path.is_dir() and not (path / "results.json").exists():
            found += sorted(child for child in path.iterdir() if _is_readable(child))
        else:
            found.append(path)
    return found


def _matches(path: Path) -> list[Path]:
    """What a pattern matches; a path that is none, or matches nothing, stays as it is."""
    if path.exists() or not any(mark in str(path) for mark in "*?["):
        return [path]
    anchor = Path(path.anchor) if path.is_absolute() else Path()
    return sorted(anchor.glob(str(path.relative_to(anchor)))) or [path]


def _is_readable(path: Path) -> bool:
    if path.is_dir():
        return (path / "results.json").exists()
    return path.suffix in MANY_FILES


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


def _summary(
    reports: list[FileReport], refusals: list[RefusedEpisode], environments: list[str]
) -> dict[str, Any]:
    columns = ("source_file", "source_format", "episodes", "imported", "duplicates", "refused")
    columns += ("unknown_task", "redactions")
    return {
        **total_counts(reports),
        "environments": environments,
        "files": [
            {name: getattr(report.row, name) for name in columns} | report.outcomes
            for report in reports
        ],
        "refusals": [
            {"place": refusal.place, "reason": refusal.row.reason} for refusal in refusals
        ],
        "notes": disputed_note([text for report in reports for text in report.contradictions]),
    }
