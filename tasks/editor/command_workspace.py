"""What comes back from the throw-away workspace of a command: plain harness files, and no others.

Links, folders, devices, files that no harness has, protected or oversized ones are refused by name.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import EditRejected
from tasks.editor.command_text import BRIEF_FILE, EVIDENCE, FOLDER, MANIFEST_FILE
from tasks.editor.workspace import PROTECTED, Workspace
from tasks.harness import Harness
from tasks.harness.folder import MAX_FILE_BYTES

MAX_ENTRIES = 2_000
MAX_NAMED = 100
MAX_DEPTH = 2
MAX_MANIFEST_BYTES = 512_000
_OURS = frozenset({BRIEF_FILE, EVIDENCE, FOLDER, MANIFEST_FILE})


@dataclass(frozen=True)
class Refused:
    """A file that does not come back, and why."""

    path: str
    why: str


def lay_out(folder: Path, files: Mapping[str, str], texts: Mapping[str, str]) -> None:
    """Write the harness files and the texts around them."""
    for path, text in {
        **{f"{FOLDER}/{name}": body for name, body in files.items()},
        **texts,
    }.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", errors="replace", newline="\n")


def take_back(folder: Path, parent: Harness) -> tuple[dict[str, str], list[Refused]]:
    """Texts of harness files as the command left them, by path, and what is refused.

    A file that is gone is missing from the texts; one that is refused stays as the parent has it.
    """
    if folder.is_symlink() or not folder.is_dir():
        return dict(parent.files), [Refused("", "the workspace is no folder any more")]
    refused = [Refused(name, "lies outside the harness folder") for name in _foreign(folder)]
    top = folder / FOLDER
    if top.is_symlink() or not top.is_dir():
        return dict(parent.files), [*refused, Refused(FOLDER, "is no folder any more")]
    workspace = Workspace(parent)
    seen: set[str] = set()
    for number, (path, problem, text) in enumerate(_walk(top)):
        if number >= MAX_ENTRIES:
            refused.append(Refused(FOLDER, f"holds more than {MAX_ENTRIES} entries"))
            break
        seen.add(path)
        why = problem or _write(workspace, path, text)
        if why:
            refused.append(Refused(path, why))
    for path in parent.files.keys() - seen - PROTECTED:
        workspace.delete(path)
    return workspace.files, refused[:MAX_NAMED]


def _write(workspace: Workspace, path: str, text: str) -> str:
    """Take a file into the candidate; why not, when it is refused."""
    if text == workspace.parent.files.get(path):
        return ""
    try:
        workspace.write(path, text)
    except EditRejected as error:
        return error.what
    return ""


def read_manifest(folder: Path) -> str | None:
    """Text of the manifest file; null when there is none.

    Raises:
        EditRejected: it is no plain text file of a usable size.
    """
    if not os.path.lexists(folder / MANIFEST_FILE):
        return None
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        problem, text = _read(MANIFEST_FILE, descriptor, MAX_MANIFEST_BYTES)
    finally:
        os.close(descriptor)
    if problem:
        what = f"{MANIFEST_FILE} {problem}"
        raise EditRejected(what)
    return text


def _foreign(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.name not in _OURS)[:MAX_NAMED]


def _walk(top: Path) -> Iterator[tuple[str, str, str]]:
    """Path, what speaks against it, and text of everything below a folder; links not followed."""
    for root, folders, names, descriptor in os.fwalk(top, follow_symlinks=False):
        base = Path(root).relative_to(top)
        for name in sorted(names):
            yield ((base / name).as_posix(), *_read(name, descriptor, MAX_FILE_BYTES))
        for name in sorted(folders):
            is_link = stat.S_ISLNK(os.lstat(name, dir_fd=descriptor).st_mode)
            if is_link or len(base.parts) >= MAX_DEPTH:
                yield (base / name).as_posix(), "is a link" if is_link else "lies too deep", ""
        folders[:] = [] if len(base.parts) >= MAX_DEPTH else sorted(folders)


def _read(name: str, folder: int, most: int) -> tuple[str, str]:
    """What speaks against a file, and its text."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        if not stat.S_ISREG(os.lstat(name, dir_fd=folder).st_mode):
            return "is no plain file", ""
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError as error:
        return f"cannot be read: {error.strerror}", ""
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return "is no plain file", ""
        if found.st_size > most:
            return f"is larger than {most} bytes ({found.st_size})", ""
        content = file.read(most + 1)
    try:
        return "", content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return "is no UTF-8 text", ""
