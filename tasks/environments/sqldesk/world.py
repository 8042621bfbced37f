"""One running episode of the SQL desk."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.errors import EnvironmentFault
from schemas.ids import canonical_json
from tasks.agent.protocols import ActResult, Call, Verdict
from tasks.environments.embedded.narrowing import narrow_to
from tasks.environments.sqldesk.checker import answers_match
from tasks.environments.sqldesk.database import Answer, Database, SqlRow
from tasks.environments.sqldesk.problems import NAME, Problem

QUERY_TOOL = "execute_sql"
FINAL_TOOL = "commit_final_answer"
SHOWN_ROWS = 12
SHOWN_CHARS = 1_200


@dataclass
class Progress:
    """What has happened so far; part of the state."""

    committed: list[str] | None = None
    has_read: bool = False
    has_answer: bool = False
    has_code: bool = False
    has_tried_change: bool = False
    has_changed: bool = False


class SqlWorld:
    """Holds the live table and the progress of one episode."""

    opening = ""

    def __init__(self, problem: Problem, check: Callable[[Call], ActResult | None]) -> None:
        self.problem = problem
        self.database = Database(problem.table)
        self.progress = Progress()
        self._check = check

    def act(self, call: Call) -> ActResult:
        """Execute a call; what cannot run is an error result."""
        if self.progress.committed is not None:
            return ActResult("the final answer was given already", True, "finished", True)
        refusal = self._check(call)
        if refusal is not None:
            return refusal
        if call.tool == FINAL_TOOL:
            self.progress.committed = [_clean(text) for text in call.arguments["answers"]]
            return ActResult("final answer received", done=True)
        return self._execute(call.arguments["query"])

    def admissible(self) -> tuple[str, ...] | None:
        """Statements cannot be listed."""
        return None

    def snapshot(self) -> bytes:
        """Task, progress and rows as canonical JSON."""
        progress = canonical_json(vars(self.progress))
        task = canonical_json(self.problem.task.task_id)
        rows = self.database.dump()
        return f'{{"progress":{progress},"rows":{rows},"task":{task}}}'.encode()

    def restore(self, state: bytes) -> None:
        """Return to a state of the same task."""
        loaded = json.loads(state)
        if loaded["task"] != self.problem.task.task_id:
            what = f"sqldesk: state of {loaded['task']} given to {self.problem.task.task_id}"
            raise EnvironmentFault(what, hint="restore a state into a world of its own task")
        self.progress = Progress(**loaded["progress"])
        self.database.load(loaded["rows"])

    def verdict(self) -> Verdict:
        """Success needs the final tool and the right answers or the right table."""
        committed = self.progress.committed
        is_table_right = self.database.content_hash() == self.problem.gold_hash
        parts: dict[str, Any] = {"is_committed": committed is not None}
        parts["is_table_right"] = is_table_right
        is_right = committed is not None and is_table_right
        if self.problem.kind == "answer":
            is_set = self.problem.draft.is_set
            given = committed or []
            parts["is_answer_right"] = answers_match(given, self.problem.answers, is_set=is_set)
            is_right = is_right and parts["is_answer_right"]
        return Verdict("success" if is_right else "failure", float(is_right), parts)

    def _execute(self, sql: str) -> ActResult:
        answer = self.database.run(sql)
        if answer.error is not None:
            return ActResult(answer.error, is_error=True, error_kind="sql")
        self._note(answer)
        return ActResult(_render(answer))

    def _note(self, answer: Answer) -> None:
        if answer.changed is not None:
            self.progress.has_tried_change = True
            self.progress.has_changed = self.progress.has_changed or answer.changed > 0
        if answer.rows is None:
            return
        self.progress.has_read = True
        cells = [str(cell) for row in answer.rows for cell in row]
        code = self.problem.code
        self.progress.has_code = self.progress.has_code or (bool(code) and code in cells)
        if self.problem.kind == "answer":
            is_gold = answers_match(cells, self.problem.answers, is_set=self.problem.draft.is_set)
            self.progress.has_answer = self.progress.has_answer or is_gold


as_sql_world = narrow_to(NAME, SqlWorld)


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _render(answer: Answer) -> str:
    if answer.rows is None:
        changed = answer.changed or 0
        return "1 row affected" if changed == 1 else f"{changed} rows affected"
    shown, size = _fitting(answer.rows)
    text = "[" + ", ".join(shown) + "]"
    if size == len(answer.rows) and not answer.has_more:
        return text
    total = f"more than {len(answer.rows)}" if answer.has_more else str(len(answer.rows))
    return f"{text}\n(truncated: {size} of {total} rows shown)"


def _fitting(rows: Sequence[SqlRow]) -> tuple[list[str], int]:
    shown: list[str] = []
    room = SHOWN_CHARS
    for row in rows[:SHOWN_ROWS]:
        text = _clean(repr(row))
        if len(text) > room:
            text = text[: max(0, room)] + "…"
        shown.append(text)
        room -= len(text)
        if room <= 0:
            break
    return shown, len(shown)
