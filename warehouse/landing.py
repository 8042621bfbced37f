"""Land rows as an immutable segment: a folder with one Parquet file per table.

A segment is written beside the others, flushed to disk, and becomes visible by one rename, so it
is there as a whole or not at all. Its name follows from its content.
"""

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from schemas.errors import ConfigError, WarehouseError
from schemas.fields import Row
from schemas.tables import TABLE_OF_ROW, TABLES, Table
from warehouse.columns import columns_of, frame_schema
from warehouse.database import first_line
from warehouse.disk import full_disk, is_full
from warehouse.frames import bytes_of, frame_of_rows
from warehouse.paths import Paths

SEGMENT_NAME = re.compile(r"[a-z0-9_-]+-[0-9a-f]{32}")
_ABANDONED_AFTER_S = 3600.0


@dataclass(frozen=True)
class Landed:
    """What one landing wrote.

    Attributes:
        segment: name of the segment; empty when there was nothing to land.
        rows: rows per table.
        refused: rows that no Parquet type can hold; they are in the segment's `quarantine`.
        replaced_characters: texts in which lone surrogates or NULs were replaced.
    """

    segment: str
    rows: dict[str, int]
    refused: int = 0
    replaced_characters: int = 0


def land_rows(rows: Iterable[Row], *, stage: str, paths: Paths) -> Landed:
    """Write rows as one segment of the pending folder.

    Raises:
        ConfigError: a row belongs to no table.
        WarehouseError: the disk is full or the folder cannot be written; nothing was landed.
    """
    frames: dict[str, pl.DataFrame] = {}
    refused: list[Row] = []
    replaced = 0
    for table, members in _by_table(rows).items():
        built = frame_of_rows(table, members, place=stage)
        frames[table.name] = built.frame
        refused.extend(built.refused)
        replaced += built.replaced
    if refused:
        extra = frame_of_rows(TABLES["quarantine"], refused, place=stage).frame
        frames["quarantine"] = pl.concat([frames.get("quarantine", extra.clear()), extra])
    frames = {name: frame for name, frame in frames.items() if frame.height}
    if not frames:
        return Landed("", {})
    segment = _write_segment(frames, stage, paths)
    counts = {name: frame.height for name, frame in frames.items()}
    return Landed(segment, counts, len(refused), replaced)


def pending_segments(paths: Paths) -> tuple[str, ...]:
    """Names of the segments that wait, in the order they are ingested."""
    if not paths.pending.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in paths.pending.iterdir() if entry.is_dir()))


def read_segment(folder: Path) -> dict[str, pl.DataFrame]:
    """Read the tables of a segment, brought to the present columns.

    Raises:
        WarehouseError: a file is damaged, or holds a table or column that does not exist.
    """
    frames: dict[str, pl.DataFrame] = {}
    for file in sorted(folder.glob("*.parquet")):
        table = TABLES.get(file.stem)
        try:
            frame = pl.read_parquet(file)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise _unreadable(file, first_line(error)) from error
        if table is None:
            raise _unreadable(file, "no such table")
        frames[table.name] = _present_columns(table, frame, file)
    return frames


def remove_abandoned(paths: Paths) -> None:
    """Remove what processes that were killed while landing left behind."""
    horizon = time.time() - _ABANDONED_AFTER_S
    for entry in paths.unfinished.iterdir():
        with suppress(FileNotFoundError):  # its owner may finish it meanwhile
            if entry.stat().st_mtime < horizon:
                shutil.rmtree(entry, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _by_table(rows: Iterable[Row]) -> dict[Table, list[Row]]:
    grouped: dict[Table, list[Row]] = {}
    for row in rows:
        table = TABLE_OF_ROW.get(type(row))
        if table is None:
            what = f"{type(row).__name__} is not a row of any table"
            raise ConfigError(what, hint="land rows of the models in schemas/tables.py")
        grouped.setdefault(table, []).append(row)
    return grouped


def _write_segment(frames: dict[str, pl.DataFrame], stage: str, paths: Paths) -> str:
    draft: Path | None = None
    try:
        draft = Path(tempfile.mkdtemp(dir=paths.unfinished))
        digest = hashlib.sha256()
        for name in sorted(frames):
            digest.update(_write_file(draft / f"{name}.parquet", frames[name]))
        segment = f"{_slug(stage)}-{digest.hexdigest()[:32]}"
        sync_folder(draft)
        _reveal(draft, paths.pending / segment)
    except (OSError, pl.exceptions.PolarsError) as error:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        if is_full(error):
            what = f"cannot land rows of {stage}"
            kept, size = "nothing was landed", bytes_of(frames.values())
            raise full_disk(what, paths.pending, kept=kept, needed=size) from error
        what = f"cannot land rows of {stage} in {paths.pending}: {first_line(error)}"
        raise WarehouseError(
            what, hint="nothing was landed; make room or make the folder writable, then run again"
        ) from error
    else:
        return segment
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _reveal(draft: Path, target: Path) -> None:
    """Make a finished segment visible, unless one of the same content is."""
    if not target.exists():
        try:
            draft.replace(target)
        except OSError:
            if not target.exists():  # else another process landed the same rows just now
                raise
    sync_folder(target.parent)


def _write_file(path: Path, frame: pl.DataFrame) -> bytes:
    frame.write_parquet(path, compression="zstd")
    with path.open("rb") as file:
        content_hash = hashlib.file_digest(file, "sha256").digest()
        os.fsync(file.fileno())
    return path.name.encode() + content_hash


def _slug(stage: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", stage.lower()).strip("-")[:40] or "stage"


def _present_columns(table: Table, frame: pl.DataFrame, file: Path) -> pl.DataFrame:
    unknown = sorted(set(frame.columns) - set(table.columns))
    if unknown:
        raise _unreadable(file, f"no column {', '.join(unknown)} in table {table.name}")
    filled: list[pl.Expr] = []
    for column in columns_of(table):
        if column.name not in frame.columns:
            if not column.has_default:
                raise _unreadable(file, f"column {column.name} is missing")
            filled.append(pl.lit(column.default, dtype=column.polars_type).alias(column.name))
    try:
        return frame.with_columns(filled).select(table.columns).cast(pl.Schema(frame_schema(table)))
    except pl.exceptions.PolarsError as error:
        raise _unreadable(file, first_line(error)) from error


def _unreadable(file: Path, reason: str) -> WarehouseError:
    return WarehouseError(
        f"segment file {file.parent.name}/{file.name} cannot be read: {reason}",
        hint="it was moved to landing/failed; run the stage again",
    )


def move_to_failed(segments: Sequence[str], paths: Paths, message: str) -> None:
    """Set segments aside, each with the reason beside it."""
    for segment in segments:
        target = paths.failed / segment
        shutil.rmtree(target, ignore_errors=True)
        (paths.pending / segment).replace(target)
        with suppress(OSError):  # on a full disk the error itself still tells
            (target / "reason.txt").write_text(message + "\n", "utf-8")
