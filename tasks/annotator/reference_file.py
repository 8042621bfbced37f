"""Reference labels of a user's own: CSV or JSON lines, a label a record.

A record has `key`, a trajectory id or `file#index` with the position of the episode in its file,
`category` or `bullet`, and perhaps `step`. Several acceptable bullets are parted by `|`.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from schemas.errors import ConfigError
from schemas.fields import Bullet, Category
from tasks.annotator.hits import BULLETS, CATEGORY_OF

CATEGORIES: tuple[Category, ...] = get_args(Category)
MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class ReferenceRecord:
    """A label of a file, with the line it stands at.

    Attributes:
        file: name of the file the episode came from; empty where the key is a trajectory id.
    """

    line: int
    key: str
    category: Category
    bullets: tuple[Bullet, ...]
    step: int | None

    @property
    def file(self) -> str:
        """Where the episode was found, folder and all, as the key has it."""
        return self.key.rpartition("#")[0]

    @property
    def index(self) -> int | None:
        """Position in that file; null where the key is a trajectory id."""
        text = self.key.rpartition("#")[2]
        return int(text) if self.file and text.isdecimal() else None


def read_reference(path: Path) -> list[ReferenceRecord]:
    """Read a file of reference labels; one that cannot be used is an error with its line.

    Raises:
        ConfigError: there is no such file, or a record says no label.
    """
    if not path.is_file():
        what = f"there is no file {path}"
        raise ConfigError(what, hint="name a CSV file, or one of JSON lines, with reference labels")
    if path.stat().st_size > MAX_BYTES:
        what = f"{path} is larger than {MAX_BYTES} bytes"
        raise ConfigError(what, hint="name a file of labels, not of episodes")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        what = f"{path} cannot be read: {error}"
        raise ConfigError(what, hint="save it as UTF-8") from error
    found = [_read(path, line, record) for line, record in _records(path, text)]
    if not found:
        what = f"{path} holds no labels"
        raise ConfigError(what, hint="each line has key, category or bullet, and perhaps step")
    return found


def _records(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    lines = text.splitlines()
    if text.lstrip()[:1] != "{":
        for number, row in enumerate(csv.DictReader(lines), 2):
            yield number, row
        return
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise _unusable(path, number, "is no JSON object")
        yield number, cast("Mapping[str, Any]", value)


def _read(path: Path, line: int, record: Mapping[str, Any]) -> ReferenceRecord:
    key = str(record.get("key") or "").strip()
    if not key:
        raise _unusable(path, line, "has no `key`")
    words = [word.strip() for word in str(record.get("bullet") or "").split("|") if word.strip()]
    bullets = cast("tuple[Bullet, ...]", tuple(dict.fromkeys(words)))
    if any(word not in BULLETS for word in words):
        raise _unusable(path, line, f"has the bullet {'|'.join(words)[:40]!r}")
    category = str(record.get("category") or (CATEGORY_OF[bullets[0]] if bullets else ""))
    if category not in CATEGORIES:
        raise _unusable(path, line, f"has the category {category[:40]!r}")
    step = _step(path, line, record.get("step"))
    return ReferenceRecord(line, key, cast("Category", category), bullets, step)


def _step(path: Path, line: int, value: object) -> int | None:
    if value is None or value == "":
        return None
    text = str(value)
    if not text.isdecimal():
        raise _unusable(path, line, f"has the step {text[:40]!r}")
    return int(text)


def _unusable(path: Path, line: int, what: str) -> ConfigError:
    expected = f"categories: {', '.join(CATEGORIES)}; bullets: {', '.join(BULLETS)}"
    return ConfigError(f"{path.name}, line {line} {what}", hint=expected)
