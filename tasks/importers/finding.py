"""Words of a user to files: a pattern or a folder stands for the recordings inside."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import ConfigError
from schemas.text import clean_text
from tasks.importers.tau2_bench import LIST, RESULTS

RECORDED = (".json", ".jsonl", ".ndjson", ".traj", ".eval")
"""Endings of files that are looked into when only their folder was named."""


@dataclass(frozen=True)
class FoundFile:
    """A file to read.

    Attributes:
        path: where it is; a tau2 folder stands for itself.
        name: its name in rows: below the folder that was named, or the file's own.
        is_named: whether the user named the file itself.
    """

    path: Path
    name: str
    is_named: bool = True

    @classmethod
    def of(cls, path: Path) -> "FoundFile":
        """A file that the user named."""
        return cls(path, clean_text(path.name))


def find_files(words: Iterable[Path]) -> list[FoundFile]:
    """Files to read, those of a folder in the order of their names, however deep.

    Raises:
        ConfigError: a path is a pipe, a socket or a device.
    """
    return [found for word in words for path in _matches(word) for found in _expand(path)]


def _expand(path: Path) -> Iterator[FoundFile]:
    if path.exists() and not path.is_file() and not path.is_dir():
        what = f"{path} is neither a file nor a folder"
        raise ConfigError(what, hint="name what is to be read; - reads what is piped in")
    if not path.is_dir() or _is_recording(path):
        yield FoundFile.of(path)
        return
    for child in _below(path):
        yield FoundFile(child, clean_text(child.relative_to(path).as_posix()), is_named=False)


def _below(folder: Path) -> Iterator[Path]:
    for child in sorted(folder.iterdir()):
        if child.name.startswith("."):
            continue
        if child.is_dir() and not child.is_symlink():
            yield from (child,) if _is_recording(child) else _below(child)
        elif child.is_file() and child.suffix.lower() in RECORDED:
            yield child


def _is_recording(folder: Path) -> bool:
    """Whether a folder is one recording: results of tau2 with a file for each simulation."""
    return (folder / RESULTS).is_file() and (folder / LIST).is_dir()


def _matches(path: Path) -> list[Path]:
    """What a pattern matches; a path that is none, or matches nothing, stays as it is."""
    if path.exists() or not any(mark in str(path) for mark in "*?["):
        return [path]
    anchor = Path(path.anchor) if path.is_absolute() else Path()
    return sorted(anchor.glob(str(path.relative_to(anchor)))) or [path]
