"""Files of verdicts that come later than the episodes: CSV or JSON lines, a record at a time.

A record names an episode by `trajectory_id`, by `session`, by `file` and `index`, or by `key`,
which is a trajectory id or a session; and says `success` or `outcome`, a `reward`, or both, and
perhaps `disputed`. Other fields are passed over. What cannot be used is told with its line.
A report of SWE-bench is read as records that name instances.
"""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from schemas.fields import Outcome
from schemas.text import clean_text
from tasks.importers.swe_report import read_report
from tasks.importers.verdicts import judge_reward

MAX_LINE = 1024 * 1024
MAX_KEY = 1000
KEYS = ("trajectory_id", "session", "file", "key")
VERDICTS = ("success", "outcome", "reward")
_TRAJECTORY = re.compile(r"traj_[0-9a-f]{16}")
_WORDS: Mapping[str, Outcome] = {
    **dict.fromkeys(
        ("true", "1", "1.0", "yes", "success", "succeeded", "pass", "passed"), "success"
    ),
    **dict.fromkeys(("false", "0", "0.0", "no", "failure", "failed", "fail"), "failure"),
    **dict.fromkeys(("unknown", "null", "none", "n/a"), "unknown"),
}
_TRUE = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}


@dataclass(frozen=True)
class EpisodeKey:
    """What a record calls its episode by; exactly one of the first two, or file and index."""

    trajectory_id: str | None = None
    session: str | None = None
    file: str | None = None
    index: int | None = None

    def __str__(self) -> str:
        """For people."""
        if self.file is not None:
            return f"{self.file}:{self.index}"
        return self.trajectory_id or self.session or ""


@dataclass(frozen=True)
class LaterVerdict:
    """One record that can be used, with the line it stands at (from 1)."""

    line: int
    key: EpisodeKey
    outcome: Outcome
    reward: float | None
    disputed: bool


@dataclass(frozen=True)
class BadRecord:
    """A record that cannot be used, and why."""

    line: int
    reason: str


class _Unusable(Exception):
    """Why one record cannot be used."""


def read_verdicts(path: Path) -> Iterator[LaterVerdict | BadRecord]:
    """Read a file of verdicts; only one record is held at a time.

    Raises:
        ConfigError: there is no such file, or neither CSV with a usable header nor JSON lines.
    """
    if not path.is_file():
        what = f"there is no file {path}" if not path.exists() else f"{path} is no file"
        raise ConfigError(what, hint="name a CSV file, or one of JSON lines")
    records = _records(path)
    for line, record in records:
        if isinstance(record, str):
            yield BadRecord(line, record)
            continue
        try:
            outcome, reward = _verdict(record)
            yield LaterVerdict(line, _key(record), outcome, reward, _disputed(record))
        except _Unusable as why:
            yield BadRecord(line, str(why))


Record = Mapping[str, Any]
Numbered = Iterator[tuple[int, Record | str]]


def _records(path: Path) -> Numbered:
    if not _is_json(path):
        return _csv_records(path)
    report = read_report(path)
    if report is not None:
        return ((1, record) for record in report)
    return _json_records(path)


def _is_json(path: Path) -> bool:
    if path.suffix.lower() in (".jsonl", ".ndjson", ".json"):
        return True
    with path.open("rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith((b"{", b"[")) and path.suffix.lower() not in (".csv", ".tsv")


def _lines(path: Path) -> Iterator[str | None]:
    """Lines of bounded length; null stands for one that is longer."""
    with path.open("rb") as file:
        is_first = True
        while raw := file.readline(MAX_LINE):
            is_whole = raw.endswith(b"\n") or len(raw) < MAX_LINE
            while not is_whole and (rest := file.readline(MAX_LINE)):
                is_whole, raw = rest.endswith(b"\n"), b""
            text = raw.decode("utf-8", "replace") if raw else None
            yield text.removeprefix("\ufeff") if text and is_first else text
            is_first = False


def _json_records(path: Path) -> Numbered:
    for number, line in enumerate(_lines(path), start=1):
        if line is None:
            yield number, f"is longer than {MAX_LINE} bytes"
            continue
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            if number == 1 and line.lstrip().startswith("["):
                raise _one_a_line(path) from None
            yield number, "is no JSON"
            continue
        if isinstance(value, list) and number == 1:
            raise _one_a_line(path)
        yield number, value if isinstance(value, dict) else "is no JSON object"


def _one_a_line(path: Path) -> ConfigError:
    what = f"{path} holds a JSON list"
    return ConfigError(what, hint="write one JSON object a line")


def _csv_records(path: Path) -> Numbered:
    lines = _lines(path)
    header = next(lines, None) or ""
    delimiter = max(",;\t", key=header.count)
    names = [name.strip().lower() for name in next(csv.reader([header], delimiter=delimiter), [])]
    if not set(KEYS) & set(names) or not set(VERDICTS) & set(names):
        what = (
            f"{path}, line 1: the header names no episode, or no verdict: {header.strip()[:100]!r}"
        )
        hint = f"one of {', '.join(KEYS)}, and one of {', '.join(VERDICTS)}"
        raise ConfigError(what, hint=hint)
    # One cell, which no record has: the header names an episode and a verdict.
    reader = csv.reader((line or "too-long" for line in lines), delimiter=delimiter)
    while True:
        number = reader.line_num + 2
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, f"cannot be read, nor can what follows: {error}"
            return
        if not any(cells):
            continue
        if len(cells) != len(names):
            yield number, f"has {len(cells)} cells, the header has {len(names)}"
        else:
            yield number, dict(zip(names, cells, strict=True))


def _key(record: Record) -> EpisodeKey:
    given = {name: _text(record, name) for name in KEYS}
    named = {name: text for name, text in given.items() if text}
    if not named:
        message = f"names no episode: expected one of {', '.join(KEYS)}"
        raise _Unusable(message)
    if len(named) > 1:
        message = f"names its episode in two ways: {' and '.join(named)}"
        raise _Unusable(message)
    (name, text) = next(iter(named.items()))
    if name == "file":
        return EpisodeKey(file=text, index=_index(record))
    is_id = _TRAJECTORY.fullmatch(text) is not None
    if name == "trajectory_id" and not is_id:
        message = f"trajectory_id {text[:40]!r} is none"
        raise _Unusable(message)
    if name == "session" or not is_id:
        return EpisodeKey(session=text)
    return EpisodeKey(trajectory_id=text)


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if isinstance(value, bool | float | list | dict):
        message = f"{name} is no text"
        raise _Unusable(message)
    text = clean_text(str(value)).strip()
    if len(text) > MAX_KEY:
        message = f"{name} is longer than {MAX_KEY} characters"
        raise _Unusable(message)
    return text


def _index(record: Record) -> int:
    text = _text(record, "index")
    if not text.isdecimal() or len(text) > 18:
        message = f"index {text[:40]!r} is no position from 0"
        raise _Unusable(message)
    return int(text)


def _verdict(record: Record) -> tuple[Outcome, float | None]:
    reward = _reward(record.get("reward"))
    said = [word for name in ("success", "outcome") if (word := _word(record.get(name)))]
    outcomes: set[Outcome] = {_outcome(word) for word in said}
    if len(outcomes) > 1:
        message = "success and outcome contradict each other"
        raise _Unusable(message)
    if outcomes:
        return outcomes.pop(), reward
    if reward is None:
        message = f"gives no verdict: expected one of {', '.join(VERDICTS)}"
        raise _Unusable(message)
    return judge_reward(reward)[0], reward


def _word(value: object) -> str:
    return "" if value is None else str(value).strip().lower()


def _outcome(word: str) -> Outcome:
    if word not in _WORDS:
        message = f"success {word[:40]!r} is no verdict: expected true, false or unknown"
        raise _Unusable(message)
    return _WORDS[word]


def _reward(value: object) -> float | None:
    if value is None or value == "":
        return None
    try:
        reward = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        reward = math.nan
    if isinstance(value, bool) or not math.isfinite(reward):
        message = f"reward {str(value)[:40]!r} is no number"
        raise _Unusable(message)
    return reward


def _disputed(record: Record) -> bool:
    word = _word(record.get("disputed"))
    if word not in _TRUE:
        message = f"disputed {word[:40]!r} is neither true nor false"
        raise _Unusable(message)
    return _TRUE[word]
