"""A JSONL file and its manifest, each written whole or not at all."""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError

MANIFEST = ".manifest.json"


def render(rows: Sequence[Any]) -> bytes:
    """Rows as lines of JSON with sorted keys.

    Raises:
        ValueError: a row holds NaN or an infinity.
    """
    lines = [
        json.dumps(row, ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n" for row in rows
    ]
    return "".join(lines).encode()


def sha256(content: bytes) -> str:
    """Hash of a file."""
    return hashlib.sha256(content).hexdigest()


def manifest_path(path: Path) -> Path:
    """Where the manifest of a file stands."""
    return path.with_name(path.name + MANIFEST)


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the place, then rename; folders are made.

    Raises:
        ConfigError: the place cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        what = f"cannot write {path}: {error.strerror or error}"
        raise ConfigError(what, hint="name another --out") from error
