"""Verdicts that come later, such as those of production: a file joined with stored episodes.

The file is read in batches and what was read is remembered in a temporary file, so memory does
not grow with it. Reading the same file again changes nothing.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from schemas.errors import ConfigError
from schemas.fields import Row
from schemas.ids import canonical_json
from schemas.text import clean_text
from schemas.trajectories import VerdictRow
from tasks.importers.assemble import task_name
from tasks.importers.verdict_file import BadRecord, EpisodeKey, LaterVerdict, read_verdicts
from tasks.progress import count, in_stage
from tasks.workbench import Workbench
from warehouse.reader import Reader

BATCH = 5_000
MAX_PROBLEMS = 100
MAX_SOURCE = 200
Problem = Literal["unmatched", "ambiguous", "invalid", "conflict"]
PROBLEMS: tuple[Problem, ...] = ("unmatched", "ambiguous", "invalid", "conflict")
_BY_ID = """
SELECT trajectory_id AS key, trajectory_id
FROM trajectories
WHERE trajectory_id IN (SELECT unnest(?::VARCHAR[])) AND (? = '' OR environment = ?)
"""
_BY_SESSION = """
WITH named AS (
    SELECT session AS key, trajectory_id FROM traffic_sessions
    UNION
    SELECT native_id, trajectory_id FROM trajectory_sources
)
SELECT n.key, n.trajectory_id
FROM named AS n
JOIN trajectories AS t ON t.trajectory_id = n.trajectory_id
WHERE n.key IN (SELECT unnest(?::VARCHAR[])) AND (? = '' OR t.environment = ?)
"""
# Imported episodes alone: a task of a live world is run as often as one likes.
_BY_TASK = """
SELECT split_part(task_id, '/', -1) AS key, trajectory_id
FROM trajectories
WHERE origin = 'import' AND NOT contains(task_id, '/unknown/')
    AND split_part(task_id, '/', -1) IN (SELECT unnest(?::VARCHAR[]))
    AND (? = '' OR environment = ?)
"""
_BY_PLACE = """
SELECT DISTINCT s.source_file || ':' || s.source_index AS key, s.trajectory_id
FROM trajectory_sources AS s
JOIN trajectories AS t ON t.trajectory_id = s.trajectory_id
WHERE s.source_file || ':' || s.source_index IN (SELECT unnest(?::VARCHAR[]))
    AND (? = '' OR t.environment = ?)
"""
_KNOWN_ENVIRONMENT = "SELECT count(*) FROM trajectories WHERE environment = ?"


@dataclass
class _Tally:
    """What became of the records so far."""

    counts: Counter[str] = field(default_factory=Counter[str])
    problems: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def trouble(self, kind: Problem, line: int, key: str, reason: str) -> None:
        self.counts[kind] += 1
        if len(self.problems) < MAX_PROBLEMS:
            told = {"line": line, "problem": kind, "key": key[:80], "reason": reason}
            self.problems.append(told)


class _Seen:
    """Verdicts of this run by episode, in a file of its own that goes when it is closed."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("")
        self._file.execute("CREATE TABLE seen (episode TEXT PRIMARY KEY, line INT, said TEXT)")

    def first(self, episode: str, line: int, said: str) -> tuple[int, str]:
        """Line and verdict with which the episode was judged first; now, when it is new."""
        self._file.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", (episode, line, said))
        found = self._file.execute("SELECT line, said FROM seen WHERE episode = ?", (episode,))
        return found.fetchone()

    def close(self) -> None:
        self._file.close()


@in_stage("outcome")
def take_outcomes(
    path: str,
    source: str = "",
    environment: str = "",
    among: Collection[str] | None = None,
) -> dict[str, Any]:
    """Land the verdicts of a file, and say for each kind of trouble where it was.

    With `among`, only those trajectories are meant; without, all that are stored.

    A verdict is known by its source, the name of the file by default: the same again changes
    nothing, another one of the same source is a conflict and the first stays. Verdicts of
    different sources stand side by side; `trajectory_outcomes` resolves them.

    Raises:
        ConfigError: the file cannot be used, or the environment is unknown.
    """
    bench = Workbench.open()
    file = Path(path)
    judge = clean_text(source.strip() or file.name)[:MAX_SOURCE]
    with bench.warehouse.read() as reader:
        if environment and not reader.scalar(_KNOWN_ENVIRONMENT, [environment]):
            what = f"no trajectory of environment `{environment[:60]}` is stored"
            raise ConfigError(what, hint="leave --environment out to look in all")
    tally, seen = _Tally(), _Seen()
    try:
        for records in _batches(read_verdicts(file)):
            with bench.warehouse.read() as reader:
                meant = _find(reader, records, environment, among)
                rows = _judge(reader, records, judge, meant, seen, tally)
            bench.land(rows, "outcome")
            count("verdicts", len(rows))
    finally:
        seen.close()
    if tally.counts["recorded"]:
        bench.commit()
    return _summary(file, judge, tally)


def _batches(
    records: Iterator[LaterVerdict | BadRecord],
) -> Iterator[Sequence[LaterVerdict | BadRecord]]:
    while batch := list(islice(records, BATCH)):
        yield batch


def _judge(
    reader: Reader,
    records: Sequence[LaterVerdict | BadRecord],
    source: str,
    episodes: Mapping[EpisodeKey, Sequence[str]],
    seen: _Seen,
    tally: _Tally,
) -> list[Row]:
    stored = _stored(reader, source, {one for found in episodes.values() for one in found})
    rows: list[Row] = []
    for record in records:
        tally.counts["read"] += 1
        if isinstance(record, BadRecord):
            tally.trouble("invalid", record.line, "", record.reason)
            continue
        row = _row(record, episodes.get(record.key, ()), source, tally)
        if row is not None and _is_new(row, record, stored, seen, tally):
            rows.append(row)
    return rows


def _row(
    record: LaterVerdict, episodes: Sequence[str], source: str, tally: _Tally
) -> VerdictRow | None:
    if not episodes:
        tally.trouble("unmatched", record.line, str(record.key), "no stored episode")
        return None
    if len(episodes) > 1:
        reason = f"{len(episodes)} episodes: {', '.join(episodes[:3])}"
        tally.trouble("ambiguous", record.line, str(record.key), reason)
        return None
    return VerdictRow(
        trajectory_id=episodes[0],
        source=source,
        outcome=record.outcome,
        reward=record.reward,
        disputed=record.disputed,
    )


def _is_new(
    row: VerdictRow,
    record: LaterVerdict,
    stored: dict[str, VerdictRow],
    seen: _Seen,
    tally: _Tally,
) -> bool:
    """Count a verdict as recorded, known, or in conflict with an earlier one of its source."""
    before = stored.get(row.trajectory_id)
    if before is not None:
        if before == row:
            tally.counts["already"] += 1
        else:
            reason = f"{_say(row)}; stored is {_say(before)}, which stays"
            tally.trouble("conflict", record.line, str(record.key), reason)
        return False
    said = canonical_json([row.outcome, row.reward, row.disputed])
    line, first = seen.first(row.trajectory_id, record.line, said)
    if line == record.line:
        tally.counts["recorded"] += 1
        return True
    if first == said:
        tally.counts["already"] += 1
    else:
        reason = f"{_say(row)}; line {line} says otherwise, and stays"
        tally.trouble("conflict", record.line, str(record.key), reason)
    return False


def _say(row: VerdictRow) -> str:
    reward = "" if row.reward is None else f", reward {row.reward:g}"
    return f"{row.outcome}{reward}{', disputed' if row.disputed else ''}"


_WAYS: tuple[tuple[str, Callable[[EpisodeKey], str], Callable[[EpisodeKey], bool]], ...] = (
    (_BY_ID, str, lambda key: key.trajectory_id is not None),
    (_BY_SESSION, str, lambda key: key.session is not None),
    (_BY_PLACE, str, lambda key: key.file is not None),
    (_BY_TASK, lambda key: task_name(str(key)), lambda key: key.session is not None),
)


def _find(
    reader: Reader,
    records: Sequence[LaterVerdict | BadRecord],
    environment: str,
    among: Collection[str] | None,
) -> dict[EpisodeKey, list[str]]:
    """Stored episodes by the key they are called by; a session may also be the name of a task."""
    keys = [record.key for record in records if isinstance(record, LaterVerdict)]
    found: dict[EpisodeKey, list[str]] = {}
    for query, name_of, is_meant in _WAYS:
        names = {key: name_of(key) for key in keys if is_meant(key) and not found.get(key)}
        if not names:
            continue
        wanted = sorted(set(names.values()))
        by_text: dict[str, set[str]] = {}
        for text, trajectory_id in reader.frame(query, [wanted, environment, environment]).rows():
            if among is None or str(trajectory_id) in among:
                by_text.setdefault(str(text), set()).add(str(trajectory_id))
        found |= {key: sorted(by_text.get(name, ())) for key, name in names.items()}
    return found


def _stored(reader: Reader, source: str, episodes: set[str]) -> dict[str, VerdictRow]:
    where = "source = ? AND trajectory_id IN (SELECT unnest(?::VARCHAR[]))"
    rows = reader.rows(VerdictRow, where, [source, sorted(episodes)])
    return {row.trajectory_id: row for row in rows}


def _summary(file: Path, source: str, tally: _Tally) -> dict[str, Any]:
    counts = tally.counts
    troubles = sum(counts[kind] for kind in PROBLEMS)
    return {
        "file": str(file),
        "source": source,
        "records": counts["read"],
        "found": counts["recorded"] + counts["already"] + counts["conflict"],
        "recorded": counts["recorded"],
        "already": counts["already"],
        **{kind: counts[kind] for kind in PROBLEMS},
        "problems": tally.problems,
        "problems_left_out": troubles - len(tally.problems),
    }
