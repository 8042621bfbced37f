"""A database file that holds what an editor may see of the warehouse, and nothing else.

An editor asks in SQL over this copy, not over a snapshot: rows of `select` and `sealed` tasks,
gold answers, what the checker said and what other cycles did are not hidden in it but absent, so no
join, catalog or setting leads to them. The query guard keeps every other file out of reach.
"""

import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from schemas.errors import WarehouseError
from warehouse.database import first_line
from warehouse.ddl import literal
from warehouse.query_guard import QueryLimits, QueryResult, run_query

EDITOR_LIMITS = QueryLimits(
    seconds=15.0,
    rows=200,
    result_bytes=12_000,
    value_bytes=2_000,
    memory="512MB",
    process_bytes=3_000_000_000,
    threads=1,
)


@dataclass(frozen=True)
class _Copied:
    """A table of the copy: its columns, which rows it takes, columns that are only half visible."""

    columns: str
    where: str = "trajectory_id IN (SELECT trajectory_id FROM visible)"
    masked: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def selected(self) -> str:
        """The columns as they are read from the source."""
        names = self.columns.split()
        return ", ".join(
            f'{self.masked[name]} AS "{name}"' if name in self.masked else f'"{name}"'
            for name in names
        )


_OWN_EDITS = "edit_id IN (SELECT edit_id FROM visible_edits)"
_NO_GOLD = {"evidence": "CASE WHEN uses_gold THEN NULL ELSE evidence END"}
_OWN_FINDINGS = {
    "findings": "CASE WHEN stage IN ('static', 'replay') AND reason <> 'leak' THEN findings END"
}
_TABLES: dict[str, _Copied] = {
    "trajectories": _Copied(
        "trajectory_id environment family task_id harness_id seed repeat outcome termination "
        "steps prompt_tokens completion_tokens"
    ),
    "tasks": _Copied("task_id family text", "task_id IN (SELECT task_id FROM visible)"),
    "steps": _Copied(
        "trajectory_id step_index role text reasoning observation forced admissible finish_reason"
    ),
    "tool_calls": _Copied(
        "trajectory_id step_index call_index tool arguments_raw arguments arguments_error "
        "executed executed_tool executed_arguments result observation is_error error_kind"
    ),
    "interventions": _Copied(
        "trajectory_id step_index ordinal layer artifact kind before after suppressed"
    ),
    "artifact_faults": _Copied("trajectory_id step_index artifact_id kind message"),
    "rule_hits": _Copied(
        "trajectory_id rule category bullet step_index decisive signature evidence",
        masked=_NO_GOLD,
    ),
    "failure_labels": _Copied(
        "trajectory_id category bullet step_index rule signature evidence",
        "trajectory_id IN (SELECT trajectory_id FROM visible) AND source = 'rules'",
        _NO_GOLD,
    ),
    "failure_patterns": _Copied(
        "pattern_id category bullet rule signature family layer runs tasks eligible members",
        "pattern_id IN (SELECT pattern_id FROM visible_patterns)",
    ),
    "edits": _Copied(
        "edit_id round ordinal layer artifact kind title pattern_id revision", _OWN_EDITS
    ),
    "gate_decisions": _Copied(
        "edit_id stage verdict reason wins losses ties findings", _OWN_EDITS, _OWN_FINDINGS
    ),
}
TRAIN_TABLES: dict[str, str] = {
    name: ", ".join(copied.columns.split()) for name, copied in _TABLES.items()
}
"""Tables of the copy with their columns, for the brief of an editor."""

_VISIBLE = """
CREATE TEMP TABLE visible AS
SELECT trajectory_id, task_id FROM source.trajectories
WHERE split = 'train' AND trajectory_id IN (SELECT unnest(?::VARCHAR[]))
  AND task_id NOT IN (SELECT task_id FROM source.tasks WHERE split <> 'train')
"""
_VISIBLE_PATTERNS = """
CREATE TEMP TABLE visible_patterns AS
SELECT pattern_id FROM source.failure_patterns
WHERE pattern_id IN (SELECT unnest(?::VARCHAR[]))
"""
_VISIBLE_EDITS = """
CREATE TEMP TABLE visible_edits AS SELECT edit_id FROM source.edits WHERE cycle_id = ?
"""


@dataclass(frozen=True)
class TrainView:
    """Answers queries over a copy that holds train rows only."""

    file: Path

    def query(self, sql: str) -> QueryResult:
        """Answer one SELECT over the tables of the copy.

        Raises:
            ConfigError: the query is refused, wrong, or exceeds a limit.
        """
        return run_query(self.file, sql, limits=EDITOR_LIMITS, relations=list(TRAIN_TABLES))


@contextmanager
def open_train_view(
    snapshot: Path,
    *,
    trajectory_ids: Sequence[str],
    pattern_ids: Sequence[str] = (),
    cycle_id: str = "",
) -> Generator[TrainView]:
    """Copy what an editor of a cycle may see; the copy is removed at the end.

    A trajectory counts only when it and its task belong to `train`, whoever asks for it.

    Raises:
        WarehouseError: the snapshot cannot be read or the copy not be written.
    """
    with tempfile.TemporaryDirectory(prefix="tackroom-train-") as folder:
        file = Path(folder) / "train.duckdb"
        try:
            _copy(snapshot, file, list(trajectory_ids), list(pattern_ids), cycle_id)
        except duckdb.Error as error:
            what = f"cannot prepare train rows from {snapshot.name}: {first_line(error)}"
            raise WarehouseError(what) from error
        yield TrainView(file)


def _copy(
    snapshot: Path, file: Path, trajectory_ids: list[str], pattern_ids: list[str], cycle_id: str
) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"ATTACH {literal(str(snapshot.resolve()))} AS source (READ_ONLY)")
        connection.execute(_VISIBLE, [trajectory_ids])
        connection.execute(_VISIBLE_PATTERNS, [pattern_ids])
        connection.execute(_VISIBLE_EDITS, [cycle_id])
        for name, copied in _TABLES.items():
            connection.execute(
                f"CREATE TABLE {name} AS SELECT {copied.selected} "  # noqa: S608
                f"FROM source.{name} WHERE {copied.where} ORDER BY ALL"
            )
        connection.execute("DETACH source")
        connection.execute("CHECKPOINT")
