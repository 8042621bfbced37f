"""Writing a page for people: whole or not at all."""

import os
from pathlib import Path

from schemas.errors import ConfigError


def write_page(path: Path, text: str) -> Path:
    """Write a page and put it in place in one step.

    Raises:
        ConfigError: the path is a folder.
        OSError: the folder is missing or cannot be written, or the disk is full.
    """
    if path.is_dir() or not path.name:
        what = f"{path} is a folder"
        raise ConfigError(what, hint="name a file to write, such as report.html")
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        partial.unlink(missing_ok=True)
    return path
