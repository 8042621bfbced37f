"""Tasks from a CSV or JSONL file; every bad row is named with its line."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from schemas.fields import Split
from schemas.text import clean_text
from tasks.agent.protocols import JsonObject, Task
from tasks.environments.host_values import draw_splits

SPLITS: tuple[Split, ...] = ("train", "select", "sealed")
_KNOWN: dict[str, Split] = {split: split for split in SPLITS}
MOST_BYTES = 256 * 1024 * 1024
SHOWN = 5
COLUMNS = "task_id, text; also family, split, expected, answer, look, rubric and your own"
DELIMITER = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class Posed:
    """A task with all that its row says; the agent sees the text alone."""

    task: Task
    row: JsonObject


def read_tasks(path: Path, environment: str) -> tuple[Posed, ...]:
    """Read a file; rows without a split are divided 40/40/20 by hash within their family.

    Raises:
        ConfigError: it cannot be read, holds no task, or rows of it are wrong.
    """
    reader = _Reader(path, environment)
    read = [reader.take(line, row) for line, row in _rows(path)]
    if reader.problems:
        more = len(reader.problems) - SHOWN
        told = "; ".join(reader.problems[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
        what = f"{path}: {told}"
        raise ConfigError(what, hint=f"columns: {COLUMNS}")
    posed = [one for one in read if one is not None]
    if not posed:
        what = f"{path} holds no task"
        raise ConfigError(what, hint=f"columns: {COLUMNS}")
    drawn = draw_splits([one.task for one in posed if not one.row.get("split")])
    return tuple(_with_split(one, drawn.get(one.task.task_id)) for one in posed)


def _with_split(posed: Posed, split: Split | None) -> Posed:
    if split is None:
        return posed
    task = posed.task
    return Posed(Task(task.task_id, task.environment, task.family, split, task.text), posed.row)


class _Reader:
    """Takes rows and remembers what is wrong with them."""

    def __init__(self, path: Path, environment: str) -> None:
        self.environment = environment
        self.problems: list[str] = []
        self._lines: dict[str, int] = {}
        self._is_json = path.suffix not in DELIMITER

    def take(self, line: int, row: object) -> Posed | None:
        """A task, or nothing where its row is wrong."""
        if not isinstance(row, dict):
            said = row if isinstance(row, str) else "no JSON object"
            self.problems.append(f"line {line}: {said}")
            return None
        text, split = self._text(row, "text"), self._text(row, "split")
        task_id, family = self._id(row)
        wrong = self._wrong(line, task_id, text, split)
        expected = None if wrong else self._expected(row)
        if isinstance(expected, ValueError):
            wrong = str(expected)
        if wrong:
            self.problems.append(f"line {line}: {wrong}")
            return None
        known = _KNOWN.get(split, "train")
        task = Task(task_id, self.environment, family, known, text)
        kept = {**row, "task_id": task_id, "text": text, "split": split, "family": family}
        return Posed(task, kept if expected is None else {**kept, "expected": expected})

    def _id(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Id and family; an id without `/` gets those of environment and family before it."""
        task_id = self._text(row, "task_id")
        parts = task_id.split("/")
        family = self._text(row, "family") or (parts[1] if len(parts) > 2 else "all")
        is_bare = task_id and len(parts) == 1
        return (f"{self.environment}/{family}/{task_id}" if is_bare else task_id), family

    def _wrong(self, line: int, task_id: str, text: str, split: str) -> str:
        if not task_id or not text:
            return f"no `{'text' if task_id else 'task_id'}`"
        if split and split not in SPLITS:
            return f"the split {split[:40]!r}, expected {', '.join(SPLITS)}"
        first = self._lines.setdefault(task_id, line)
        return "" if first == line else f"task {task_id[:60]!r} stands in line {first} already"

    def _text(self, row: Mapping[str, Any], key: str) -> str:
        value = row.get(key)
        return clean_text(str(value)).strip() if isinstance(value, str | int) else ""

    def _expected(self, row: Mapping[str, Any]) -> object:
        """JSON, which is text in a table; the error where it is none."""
        value = row.get("expected")
        if self._is_json or value in (None, ""):
            return None
        try:
            return json.loads(str(value))
        except (ValueError, RecursionError) as error:
            return ValueError(f"`expected` is no JSON: {error}")


def _rows(path: Path) -> Iterator[tuple[int, object]]:
    try:
        if path.stat().st_size > MOST_BYTES:
            what = f"{path} is longer than {MOST_BYTES} bytes"
            raise ConfigError(what, hint="split the file")
        with path.open(encoding="utf-8-sig", newline="") as stream:
            if path.suffix in DELIMITER:
                yield from _table_rows(csv.reader(stream, delimiter=DELIMITER[path.suffix]))
            else:
                yield from _json_rows(stream)
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror}"
        raise ConfigError(what, hint="name a CSV or JSONL file beside world.toml") from error
    except (UnicodeDecodeError, csv.Error) as error:
        what = f"{path} is no UTF-8 table: {error}"
        raise ConfigError(what, hint="save it as UTF-8 CSV or JSONL") from None


def _table_rows(reader: Any) -> Iterator[tuple[int, object]]:
    header = [name.strip() for name in next(reader, [])]
    for values in reader:
        line = reader.line_num
        if not any(value.strip() for value in values):
            continue
        if len(values) != len(header):
            yield line, f"{len(values)} values under {len(header)} columns"
        else:
            yield line, {name: value for name, value in zip(header, values, strict=True) if value}


def _json_rows(lines: Iterator[str]) -> Iterator[tuple[int, object]]:
    for line, text in enumerate(lines, start=1):
        if text.strip():
            try:
                yield line, json.loads(text)
            except (ValueError, RecursionError) as error:
                yield line, f"no JSON: {error}"
