"""The read-only SQL surface: one query, answered by a child process that cannot do harm.

The child (`query_guard_child.py`) opens a snapshot read-only, without access to files, extensions
or settings, and takes exactly one SELECT or EXPLAIN. Memory and temporary files are bounded in
DuckDB and by the operating system, time by killing the child.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from schemas.errors import ConfigError, WarehouseError
from warehouse.database import is_damage
from warehouse.repair import snapshot_advice

_CHILD = Path(__file__).with_name("query_guard_child.py")
_READ_ONLY = "the warehouse is read-only here"
_OUT_OF_REACH = ("file system operations are disabled", "disabled by configuration")


@dataclass(frozen=True)
class QueryLimits:
    """Bounds of one query.

    Attributes:
        seconds: time after which the child is killed.
        rows: rows returned at most.
        result_bytes: size of the rendered rows at most.
        value_bytes: size of one rendered value at most; a longer one is shortened with a mark.
        memory: memory DuckDB may use, in its words.
        process_bytes: address space of the child.
        threads: threads of the child.
    """

    seconds: float = 30.0
    rows: int = 1_000
    result_bytes: int = 32_000_000
    value_bytes: int = 16_000_000
    memory: str = "1GB"
    process_bytes: int = 4_000_000_000
    threads: int = 2


@dataclass(frozen=True)
class QueryResult:
    """Columns and rows of values that JSON can hold; `note` says what was left out.

    A value that is too long for the answer ends in `…[shortened, N characters in all]`. Integers
    beyond 2**53, decimals that are no float, NaN and infinities are text, bytes base64.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...] = field(default=())
    note: str = ""

    @property
    def is_truncated(self) -> bool:
        """Whether rows were left out or values shortened."""
        return bool(self.note)

    def records(self) -> list[dict[str, Any]]:
        """Rows as objects."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def run_query(
    snapshot: Path,
    query: str,
    *,
    limits: QueryLimits | None = None,
    relations: Sequence[str] | None = None,
) -> QueryResult:
    """Answer one query over a snapshot.

    Args:
        snapshot: a published snapshot.
        query: SQL from an untrusted source.
        limits: bounds of the query.
        relations: the only tables and views that may be read; None for all.

    Raises:
        ConfigError: the query is refused, wrong, or exceeds a limit.
        WarehouseError: the snapshot is damaged inside.
    """
    bounds = limits or QueryLimits()
    request = {
        "path": str(snapshot.resolve()),
        "query": query.encode("utf-8", "replace").decode(),
        "max_rows": bounds.rows,
        "max_bytes": bounds.result_bytes,
        "value_bytes": bounds.value_bytes,
        "memory_limit": bounds.memory,
        "process_bytes": bounds.process_bytes,
        "threads": bounds.threads,
        "relations": None if relations is None else list(relations),
    }
    answer = _ask_child(request, bounds)
    if refused := answer.get("refused"):
        what = f"query refused: {refused}"
        raise ConfigError(what, hint=_READ_ONLY)
    if error := answer.get("error"):
        if is_damage(ValueError(error)):
            what = f"the snapshot {snapshot} is damaged: {error}"
            raise WarehouseError(what, hint=snapshot_advice(snapshot))
        raise _query_error(str(error), str(answer.get("kind")))
    rows = cast("list[list[Any]]", answer["rows"])
    return QueryResult(
        columns=tuple(cast("list[str]", answer["columns"])),
        rows=tuple(tuple(row) for row in rows),
        note=str(answer["note"]),
    )


def _ask_child(request: dict[str, Any], bounds: QueryLimits) -> dict[str, Any]:
    command = [sys.executable, "-P", str(_CHILD)]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=bounds.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        what = f"query stopped after {bounds.seconds:g} s"
        raise ConfigError(what, hint="ask for less, or filter earlier") from error
    try:
        return cast("dict[str, Any]", json.loads(done.stdout))
    except ValueError as error:
        what = f"query stopped: it needs more memory than it may use ({bounds.memory})"
        raise ConfigError(what, hint="ask for less, or filter earlier") from error


def _query_error(message: str, kind: str) -> ConfigError:
    lowered = message.lower()
    if kind == "PermissionException" or any(part in lowered for part in _OUT_OF_REACH):
        what = "query refused: files, other databases and settings are out of reach"
        return ConfigError(what, hint="query the tables and views of the warehouse; SHOW TABLES")
    if "read-only mode" in lowered:
        what = "query refused: it would write"
        return ConfigError(what, hint=_READ_ONLY)
    if kind == "memory" or "out of memory" in lowered:
        what = "query stopped: it needs more memory than it may use"
        return ConfigError(what, hint="ask for less, or filter earlier")
    return ConfigError(f"query failed: {message}")
