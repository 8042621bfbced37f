"""Journals of traffic: files that proxies append to and that landing reads and clears.

A proxy holds its file locked while it runs. What was landed of a file is noted beside it, and the
file goes once all of it was. A line is written before the client gets its answer, so a killed
proxy loses nothing that a client has seen.
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from errno import ENOSPC
from pathlib import Path

from schemas.errors import ConfigError
from schemas.redaction import Redactor
from tasks.proxy.lines import Line, line_of, read_line, write_line
from tasks.proxy.service import Exchanged

PREFIX = "proxy-"
ENDING = ".jsonl"
NOTE = ".landed"
MOST_BYTES = 32 * 1024 * 1024


def traffic_folder(home: Path) -> Path:
    """Where the journals of a data folder stand."""
    return home / "traffic"


class Journal:
    """Takes what a proxy keeps; a new file is begun when one is full."""

    def __init__(self, folder: Path, started: datetime) -> None:
        """Prepare; nothing is written before the first request.

        Raises:
            ConfigError: the folder cannot be written.
        """
        self._folder, self._started = folder, started
        self._file, self._path = -1, folder
        self._number = self._bytes = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what = f"cannot write to {folder}: {error.strerror}"
            raise ConfigError(what, hint="set TACKROOM_HOME to a folder of yours") from error

    def __call__(self, kept: Exchanged) -> None:
        """Append one request.

        Raises:
            OSError: the disk is full, or the file cannot be made.
        """
        if self._file < 0 or self._bytes > MOST_BYTES:
            self._begin_file()
        text = write_line(line_of(kept), Redactor())
        try:
            written = os.write(self._file, text)
        except OSError:
            self._give_up()
            raise
        self._bytes += written
        if written < len(text):
            # What follows must not be glued to half a line.
            self._give_up()
            raise OSError(ENOSPC, os.strerror(ENOSPC))

    def close(self) -> None:
        """Give the file free for landing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _give_up(self) -> None:
        """Leave a file that takes no more; an empty one goes, so that none pile up."""
        is_empty = os.fstat(self._file).st_size == 0
        self.close()
        if is_empty:
            self._path.unlink(missing_ok=True)

    def _begin_file(self) -> None:
        self.close()
        stamp = self._started.strftime("%Y%m%dT%H%M%S")
        name = f"{PREFIX}{stamp}-{os.getpid()}-{self._number}{ENDING}"
        self._number += 1
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_EXCL
        self._path = self._folder / name
        self._file, self._bytes = os.open(self._path, flags, 0o600), 0
        fcntl.flock(self._file, fcntl.LOCK_EX)


@dataclass(frozen=True)
class Place:
    """Where a line stands."""

    file: Path
    offset: int
    length: int

    def read(self) -> Line | None:
        """The line; null when it cannot be read."""
        with self.file.open("rb") as stream:
            stream.seek(self.offset)
            return read_line(stream.read(self.length))


def journals(folder: Path) -> list[Path]:
    """Journal files, the oldest first."""
    return sorted(folder.glob(f"{PREFIX}*{ENDING}")) if folder.is_dir() else []


def is_in_use(file: Path) -> bool:
    """Whether a proxy still writes to a file."""
    with file.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def places(file: Path) -> Iterator[Place]:
    """Finished lines that have not been landed."""
    landed = _landed(file)
    offset = 0
    with file.open("rb") as stream:
        for text in stream:
            if text.endswith(b"\n") and offset not in landed:
                yield Place(file, offset, len(text))
            offset += len(text)


def note_landed(done: list[Place]) -> None:
    """Remember that lines have been landed, and remove files of which nothing is left."""
    by_file: dict[Path, list[int]] = {}
    for place in done:
        by_file.setdefault(place.file, []).append(place.offset)
    for file, offsets in by_file.items():
        note = file.with_suffix(NOTE)
        merged = sorted(_landed(file) | set(offsets))
        waiting = note.with_suffix(".tmp")
        waiting.write_text(json.dumps(merged))
        waiting.replace(note)
        if not is_in_use(file) and next(places(file), None) is None:
            file.unlink()
            with suppress(FileNotFoundError):
                note.unlink()


def _landed(file: Path) -> frozenset[int]:
    try:
        return frozenset(json.loads(file.with_suffix(NOTE).read_text()))
    except (OSError, ValueError, TypeError):
        return frozenset()
