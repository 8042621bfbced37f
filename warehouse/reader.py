"""Read one snapshot: rows as row models, whole episodes, frames of any query."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import duckdb
import polars as pl

from schemas.episode import Episode
from schemas.errors import DataContractError, WarehouseError
from schemas.fields import Row
from schemas.harness import ArtifactFaultRow
from schemas.notes import AgentNoteRow
from schemas.tables import TABLE_OF_ROW
from schemas.trajectories import (
    InterventionRow,
    PromptRow,
    StepRow,
    ToolCallRow,
    TrajectoryRow,
    TrajectorySourceRow,
)
from warehouse.columns import from_storage
from warehouse.database import failed, first_line, is_damage
from warehouse.ddl import column_list, quoted
from warehouse.migrate import is_current

R = TypeVar("R", bound=Row)
Scalar = str | int | float | bool | None
_AMONG = "trajectory_id IN (SELECT unnest(?::VARCHAR[]))"
_DISPUTED = f"SELECT trajectory_id FROM trajectory_outcomes WHERE disputed AND {_AMONG}"  # noqa: S608
_SETTLED = f"""
SELECT trajectory_id, outcome, reward FROM trajectory_outcomes
WHERE outcome <> 'unknown' AND {_AMONG}
"""  # noqa: S608
LATER_VERDICT = "later_verdict"


class Reader:
    """Queries one snapshot. Get one from `Warehouse.read()`, which closes it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, snapshot: Path) -> None:
        self._connection = connection
        self._snapshot = snapshot

    def rows(self, row_type: type[R], where: str = "", params: Sequence[object] = ()) -> list[R]:
        """Rows of a table in the order of its key.

        Args:
            row_type: row model of the table.
            where: SQL condition with `?` for each of `params`; empty for all rows.
            params: values for the condition.
        """
        table = TABLE_OF_ROW[row_type]
        condition = f" WHERE {where}" if where else ""
        statement = (
            f"SELECT {column_list(table.columns)} FROM {table.name}{condition} "  # noqa: S608
            f"ORDER BY {column_list(table.key)}"
        )
        names = table.columns
        return [
            row_type.model_validate(dict(zip(names, map(from_storage, values), strict=True)))
            for values in self._fetch(statement, params)
        ]

    def frame(self, sql: str, params: Sequence[object] = ()) -> pl.DataFrame:
        """Result of a query as a frame."""
        try:
            relation = self._connection.sql(sql, params=list(params) or None)
            return relation.pl()
        except duckdb.Error as error:
            raise self._failed(sql, error) from error

    def batches(self, sql: str, *, rows: int) -> Iterator[pl.DataFrame]:
        """Result of a query in frames of at most `rows` rows."""
        try:
            for batch in cast("Iterable[Any]", self._connection.sql(sql).to_arrow_reader(rows)):
                yield pl.DataFrame(batch)
        except duckdb.Error as error:
            raise self._failed(sql, error) from error

    def scalar(self, sql: str, params: Sequence[object] = ()) -> Scalar:
        """First value of the first row of a query; None when there is no row."""
        rows = self._fetch(sql, params)
        return rows[0][0] if rows else None

    def existing(self, row_type: type[Row], ids: Iterable[str]) -> set[str]:
        """Those of the ids that stand in the first key column of the row's table."""
        table = TABLE_OF_ROW[row_type]
        column = quoted(table.key[0])
        statement = (
            f"SELECT DISTINCT {column} FROM {table.name} "  # noqa: S608
            f"WHERE {column} IN (SELECT unnest(?::VARCHAR[]))"
        )
        return {str(row[0]) for row in self._fetch(statement, [list(ids)])}

    def undisputed(self, trajectory_ids: Sequence[str]) -> list[str]:
        """Those of the ids whose outcome nobody doubts and all verdicts agree on, in order."""
        disputed = set(self.frame(_DISPUTED, [list(trajectory_ids)])["trajectory_id"])
        return [name for name in trajectory_ids if name not in disputed]

    def episodes(self, trajectory_ids: Sequence[str]) -> list[Episode]:
        """Whole episodes in the order of the ids, in one query per table.

        Where a recording has no verdict, later ones settle the outcome. Steps that a source calls
        copied did not happen in the episode and are left out.

        Raises:
            DataContractError: an id is not stored.
        """
        wanted = list(dict.fromkeys(trajectory_ids))
        found = {row.trajectory_id: row for row in self.rows(TrajectoryRow, _AMONG, [wanted])}
        missing = [name for name in wanted if name not in found]
        if missing:
            what = f"trajectory {missing[0]} is not in the warehouse"
            what += f", nor are {len(missing) - 1} others" if len(missing) > 1 else ""
            raise DataContractError(what, table="trajectories", failed=len(missing))
        found |= self._settled(found)
        steps = self._of(StepRow, wanted, " AND NOT copied")
        calls = self._of(ToolCallRow, wanted)
        interventions = self._of(InterventionRow, wanted)
        faults = self._of(ArtifactFaultRow, wanted)
        sources = self._of(TrajectorySourceRow, wanted)
        notes = self._of(AgentNoteRow, wanted)
        prompts = self._prompts(found.values())
        return [
            Episode(
                trajectory=found[name],
                steps=tuple(steps[name]),
                calls=tuple(
                    sorted(calls[name], key=lambda call: (call.step_index, call.call_index))
                ),
                interventions=tuple(interventions[name]),
                faults=tuple(faults[name]),
                sources=tuple(sources[name]),
                notes=tuple(notes[name]),
                prompts={
                    prompt_id: prompts[prompt_id]
                    for prompt_id in _prompt_ids(found[name])
                    if prompt_id in prompts
                },
            )
            for name in trajectory_ids
        ]

    def is_current(self) -> bool:
        """Whether the snapshot has the tables and views of this release."""
        return is_current(self._connection)

    def _settled(self, found: Mapping[str, TrajectoryRow]) -> dict[str, TrajectoryRow]:
        """Recorded episodes without a verdict of their own, as later verdicts settle them."""
        silent = [
            name
            for name, row in found.items()
            if row.origin != "rollout" and row.outcome == "unknown" and row.fault is None
        ]
        if not silent:
            return {}
        return {
            str(name): found[str(name)].model_copy(
                update={"outcome": outcome, "reward": reward, "outcome_rule": LATER_VERDICT}
            )
            for name, outcome, reward in self.frame(_SETTLED, [silent]).iter_rows()
        }

    def _of(
        self, row_type: type[R], trajectory_ids: list[str], further: str = ""
    ) -> dict[str, list[R]]:
        grouped: dict[str, list[R]] = defaultdict(list)
        for row in self.rows(row_type, _AMONG + further, [trajectory_ids]):
            grouped[str(getattr(row, "trajectory_id", ""))].append(row)
        return grouped

    def _prompts(self, trajectories: Iterable[TrajectoryRow]) -> dict[str, PromptRow]:
        ids = sorted({prompt_id for row in trajectories for prompt_id in _prompt_ids(row)})
        condition = "prompt_id IN (SELECT unnest(?::VARCHAR[]))"
        return {row.prompt_id: row for row in self.rows(PromptRow, condition, [ids])}

    def _fetch(self, sql: str, params: Sequence[object]) -> list[tuple[Scalar, ...]]:
        try:
            return self._connection.execute(sql, list(params)).fetchall()
        except duckdb.Error as error:
            raise self._failed(sql, error) from error

    def _failed(self, sql: str, error: duckdb.Error) -> WarehouseError:
        if is_damage(error):
            return failed(self._snapshot, error)
        shown = " ".join(sql.split())[:120]
        return WarehouseError(f"the query {shown!r} failed: {first_line(error)}")


def _prompt_ids(row: TrajectoryRow) -> tuple[str, ...]:
    ids = (row.system_prompt_id, row.task_prompt_id, row.tools_prompt_id)
    return tuple(prompt_id for prompt_id in ids if prompt_id is not None)
