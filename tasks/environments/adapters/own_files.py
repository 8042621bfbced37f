"""Files of the user's own: where they are, and what is said when they are not what is needed."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

VARIABLE = "TACKROOM_WORLD_DATA"


class WrongData(Exception):
    """The user's files are not what the world needs; worded for the user."""

    def __init__(self, message: str, hint: str = "give the path of an unchanged copy") -> None:
        super().__init__(message)
        self.hint = hint


def own_path() -> Path:
    """The path that the user gave when the world was installed."""
    return Path(os.environ[VARIABLE])


def read_text(path: Path) -> str:
    """A text file of the user's.

    Raises:
        WrongData: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise WrongData(message) from error


def read_json(path: Path) -> Any:
    """A JSON file of the user's.

    Raises:
        WrongData: it cannot be read.
    """
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        message = f"{path} is no JSON: {error}"
        raise WrongData(message) from error


def digest(*paths: Path) -> str:
    """Hash of the content of files."""
    found = hashlib.sha256()
    for path in paths:
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()
