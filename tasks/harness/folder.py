"""Harness folders on disk: which files may be there, how they are read and written."""

import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from .errors import HarnessError
from .front_matter import read_mapping

ALWAYS = ("contract.md", "actions.py", "regulation.py")
MAX_FILE_BYTES = 64 * 1024
MAX_FILES = 256
MAX_TOTAL_BYTES = 1024 * 1024
_ALLOWED = re.compile(
    r"(harness\.yaml|contract\.md|actions\.py|regulation\.py|workflow\.yaml|control\.json"
    r"|skills/[a-z0-9-]{1,64}/SKILL\.md)"
)
_IGNORED = frozenset({"__pycache__"})
MANIFEST = "manifest.json"
EVIDENCE = "evidence.json"
_ABOUT = (MANIFEST, EVIDENCE)
"""Files about a harness that are no part of it."""


def check_files(files: Mapping[str, str]) -> dict[str, str]:
    """Check paths and sizes; give the files sorted, with the ones every harness has.

    Raises:
        HarnessError: harness.yaml is missing, a path is unknown or unsafe, a file is too large
            or holds a NUL.
    """
    if "harness.yaml" not in files:
        msg = "harness.yaml is missing"
        raise HarnessError(msg, hint="a harness folder holds one")
    if len(files) > MAX_FILES:
        msg = f"{len(files)} files, at most {MAX_FILES} are allowed"
        raise HarnessError(msg)
    texts = {**dict.fromkeys(ALWAYS, ""), **files}
    for path, text in texts.items():
        check_path(path)
        _check_text(path, text)
    if sum(len(text.encode()) for text in texts.values()) > MAX_TOTAL_BYTES:
        msg = f"the files hold more than {MAX_TOTAL_BYTES} bytes together"
        raise HarnessError(msg)
    return dict(sorted(texts.items()))


def check_path(path: str) -> None:
    """Refuse every path that no harness has, and so every way out of the folder."""
    if not _ALLOWED.fullmatch(path):
        msg = "no file of a harness"
        raise HarnessError(
            msg,
            where=repr(path[:120]),
            hint="harness.yaml, contract.md, skills/NAME/SKILL.md, actions.py, regulation.py, "
            "workflow.yaml, control.json",
        )


def _check_text(path: str, text: str) -> None:
    if len(text.encode()) > MAX_FILE_BYTES:
        msg = f"larger than {MAX_FILE_BYTES} bytes"
        raise HarnessError(msg, where=path)
    if "\0" in text:
        msg = "holds a NUL, so it is no text"
        raise HarnessError(msg, where=path)
    if path == "workflow.yaml":
        read_mapping(text, path=path)
    if path == "control.json":
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            msg = "is no JSON"
            raise HarnessError(msg, where=path) from None


def read_folder(folder: Path) -> dict[str, str]:
    """Read the files of a harness folder; hidden files, byte code and files about it are left out.

    Raises:
        HarnessError: no folder, an unknown, linked, oversized or binary file.
    """
    if not folder.is_dir():
        msg = "there is no such folder"
        raise HarnessError(msg, where=str(folder))
    files: dict[str, str] = {}
    for path in _walk(folder):
        name = path.relative_to(folder).as_posix()
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            msg = "is no plain file"
            raise HarnessError(msg, where=name, hint="links are not followed")
        if name not in _ABOUT:
            check_path(name)
            files[name] = read_text(path, name)
    return files


def read_about(folder: Path, name: str) -> str | None:
    """Read the manifest or the evidence of an exported folder; null where there is none.

    Raises:
        HarnessError: it is too large or no text.
    """
    path = folder / name
    return read_text(path, name) if path.exists() else None


def _walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    for root, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(root) / name).is_symlink()]
        folders[:] = sorted(name for name in folders if not _is_ignored(name))
        found += [Path(root) / name for name in [*names, *links] if not _is_ignored(name)]
        if len(found) > MAX_FILES:
            msg = f"more than {MAX_FILES} files"
            raise HarnessError(msg, where=str(folder))
    return sorted(found)


def _is_ignored(name: str) -> bool:
    return name.startswith(".") or name in _IGNORED


def read_text(path: Path, name: str) -> str:
    """Read one file of bounded size, a byte order mark left out.

    Raises:
        HarnessError: it is too large, no text, or cannot be read; `where` is `name`.
    """
    if path.stat().st_size > MAX_FILE_BYTES:
        msg = f"larger than {MAX_FILE_BYTES} bytes"
        raise HarnessError(msg, where=name)
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        msg = "is no UTF-8 text"
        raise HarnessError(msg, where=name) from None
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise HarnessError(msg, where=name) from None


def write_folder(
    folder: Path,
    files: Mapping[str, str],
    manifest: str | None = None,
    evidence: str | None = None,
) -> None:
    """Write harness files; those of a harness that stood there before are replaced or removed.

    Raises:
        HarnessError: the folder holds something else, or cannot be written.
    """
    old: dict[str, str] = {}
    if folder.exists():
        entries = [entry for entry in _entries(folder) if not _is_ignored(entry)]
        if entries and "harness.yaml" not in entries:
            msg = "the folder is not empty and holds no harness"
            raise HarnessError(msg, where=str(folder))
        old = read_folder(folder)
    try:
        for name in old.keys() - files.keys():
            (folder / name).unlink()
        # First gone, last written: a folder that was half written is never taken for exported.
        for name in _ABOUT:
            (folder / name).unlink(missing_ok=True)
        about = {EVIDENCE: evidence, MANIFEST: manifest}
        last = {name: text for name, text in about.items() if text is not None}
        for name, text in {**files, **last}.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        msg = f"cannot be written: {error.strerror}"
        raise HarnessError(msg, where=str(folder)) from None


def _entries(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir()]
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise HarnessError(msg, where=str(folder)) from None
