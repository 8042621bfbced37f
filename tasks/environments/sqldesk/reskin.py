"""A problem under other names: other people and titles, cities and teams, days, another table name.

Names are moved along the pools of the theme and days by whole weeks, in the table, in the text and
in the statements alike, so that the same steps solve it and the answer is worked out anew. What
columns are called and what codes stand for is the problem itself and stays.
"""

import datetime
import re
from collections.abc import Callable
from dataclasses import replace

from tasks.environments.sqldesk.database import Database
from tasks.environments.sqldesk.guards import Value
from tasks.environments.sqldesk.problems import Problem
from tasks.environments.sqldesk.themes import THEMES, Theme

_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_MOST_TRIES = 20

Rename = Callable[[str], str]


def reskin_problem(problem: Problem, skin: int) -> Problem:
    """The same problem under the names of a skin; no name is kept, no answer stands in the text."""
    theme = _theme_of(problem)
    made = problem
    for further in range(_MOST_TRIES):
        rename = _renamer(theme, problem.table.name, skin + further)
        made = _renamed(problem, rename, skin)
        if not any(answer in made.task.text for answer in made.answers):
            break
    return made


def _theme_of(problem: Problem) -> Theme:
    key, table = problem.table.columns[0][0], problem.table.name
    return next(theme for theme in THEMES if theme.key == key and table in theme.tables)


def _other_table(theme: Theme, name: str, skin: int) -> str:
    others = [other for other in theme.tables if other != name]
    return others[skin % len(others)]


def _renamer(theme: Theme, table: str, skin: int) -> Rename:
    """Replaces every name of the theme's pools, the table's name and every day in a text."""
    names: dict[str, str] = {}
    for pool in (theme.label_values, theme.key_values):
        step = 1 + skin % (len(pool) - 1)
        moved = pool[step:] + pool[:step]
        names.update(zip(pool, moved, strict=True))
    longest_first = sorted(names, key=len, reverse=True)
    known = re.compile(r"\b(?:" + "|".join(map(re.escape, longest_first)) + r")\b")
    # Where a statement or a text means the table, and not a word that happens to be its name.
    of_table = re.compile(rf'(\b(?:FROM|INTO|UPDATE|[Tt]able:?) "?){re.escape(table)}\b')
    other_table = _other_table(theme, table, skin)
    weeks = 1 + skin % 50

    def rename(text: str) -> str:
        text = known.sub(lambda match: names[match.group()], text)
        text = of_table.sub(lambda match: match.group(1) + other_table, text)
        return _DAY.sub(lambda match: _later(match.group(), weeks), text)

    return rename


def _later(day: str, weeks: int) -> str:
    moved = datetime.date.fromisoformat(day) + datetime.timedelta(weeks=weeks)
    return moved.isoformat()


def _renamed(problem: Problem, rename: Rename, skin: int) -> Problem:
    def cell(value: Value) -> Value:
        return rename(value) if isinstance(value, str) else value

    rows = tuple(tuple(cell(value) for value in row) for row in problem.table.rows)
    name = rename(f"FROM {problem.table.name}").removeprefix("FROM ")
    table = replace(problem.table, name=name, rows=rows)
    draft = problem.draft
    changed = {name: rename(getattr(draft, name)) for name in ("text", "gold", "look", "guess")}
    draft = replace(draft, **changed)
    database = Database(table)
    answer = database.run(draft.gold)
    assert answer.error is None, answer.error
    values = tuple(str(value) for row in answer.rows or () for value in row)
    return replace(
        problem,
        task=replace(problem.task, text=rename(problem.task.text), skin=skin),
        table=table,
        draft=draft,
        answers=values if problem.kind == "answer" else (),
        gold_hash=database.content_hash(),
    )
