"""Draws problems and works out what solves them."""

import random
from dataclasses import dataclass
from typing import Literal

from schemas.fields import Split
from tasks.agent.protocols import Task
from tasks.environments.embedded.splits import generator
from tasks.environments.sqldesk.database import Database, Table
from tasks.environments.sqldesk.families import FAMILIES, Draft
from tasks.environments.sqldesk.tables import ThemeTable, draw_table
from tasks.environments.sqldesk.themes import THEMES

NAME = "sqldesk"
GENERATOR_VERSION = 1
_TRIVIAL = frozenset({"", "0", "1", "0.0", "1.0", "none", "null", "unknown"})
_MAX_DRAWS = 50


@dataclass(frozen=True)
class Problem:
    """A task with everything its world, checker and expert need."""

    task: Task
    table: Table
    draft: Draft
    kind: Literal["answer", "change"]
    answers: tuple[str, ...]
    gold_hash: str
    code: str = ""


def draw_problem(split: Split, family: str, number: int) -> Problem:
    """Draw until a problem is usable.

    Raises:
        AssertionError: none is, which is a fault of the family.
    """
    rng = generator(NAME, GENERATOR_VERSION, split, family, number)
    for _ in range(_MAX_DRAWS):
        drawn = draw_table(rng.choice(THEMES), rng)
        draft = FAMILIES[family](drawn, rng)
        text = _describe(drawn, draft.text, rng)
        task = Task(f"{NAME}/{family}/{number:04d}", NAME, family, split, text)
        problem = _solve(task, drawn, draft)
        if problem is not None:
            return problem
    message = f"{NAME}: no usable problem for {split}/{family}/{number}"
    raise AssertionError(message)


def _solve(task: Task, drawn: ThemeTable, draft: Draft) -> Problem | None:
    database = Database(drawn.table)
    before = database.content_hash()
    answer = database.run(draft.gold)
    if answer.error:
        message = f"{task.task_id}: gold statement fails: {answer.error}"
        raise AssertionError(message)
    after = database.content_hash()
    code = drawn.codes.get(draft.word, "")
    if answer.rows is None:
        is_usable = after != before
        return Problem(task, drawn.table, draft, "change", (), after, code) if is_usable else None
    values = tuple(str(cell) for row in answer.rows for cell in row)
    if not _is_usable_answer(values, task.text):
        return None
    return Problem(task, drawn.table, draft, "answer", values, before, code)


def _is_usable_answer(values: tuple[str, ...], text: str) -> bool:
    if not 1 <= len(values) <= 6:
        return False
    return not any(value.lower() in _TRIVIAL or value in text for value in values)


def _describe(drawn: ThemeTable, text: str, rng: random.Random) -> str:
    names = ", ".join(drawn.column_names())
    table = drawn.table.name
    frames = (
        f'{text}\nTable "{table}" has columns: {names}.',
        f'Table "{table}" has columns: {names}.\n{text}',
        f"The table {table} has the columns {names}. {text}",
        f"{text} (table: {table}; columns: {names})",
    )
    return rng.choice(frames)
