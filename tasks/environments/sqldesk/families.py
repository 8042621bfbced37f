"""Six families of problems: what is asked or ordered, and the statement that does it."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from tasks.environments.sqldesk.guards import Value
from tasks.environments.sqldesk.tables import ThemeTable, draw_date, draw_number
from tasks.environments.sqldesk.themes import NumberColumn


@dataclass(frozen=True)
class Draft:
    """What a family draws: question, statements, and how an answer is compared.

    Attributes:
        text: the question or order, without the description of the table.
        gold: statement that answers or carries out.
        look: read that comes before it; empty when none is needed.
        word: word of the task that the table stores differently; empty when there is none.
        guess: `gold` with the word taken as it stands.
        is_set: whether the order of the answers is free.
    """

    text: str
    gold: str
    look: str = ""
    word: str = ""
    guess: str = ""
    is_set: bool = False


Family = Callable[[ThemeTable, random.Random], Draft]


def quote_name(name: str) -> str:
    """Quote a column or table name for SQL."""
    return f'"{name}"'


def quote_value(value: Value) -> str:
    """Write a value as an SQL literal."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _equals(column: str, value: Value) -> str:
    return f"{quote_name(column)} = {quote_value(value)}"


def _lookup(drawn: ThemeTable, rng: random.Random) -> Draft:
    theme, table = drawn.theme, drawn.table.name
    row = rng.choice(drawn.table.rows)
    key = drawn.cell(row, theme.key)
    others = [name for name in drawn.column_names() if name != theme.key]
    if rng.random() < 0.3:
        label = drawn.cell(row, theme.label)
        number = rng.choice(theme.numbers)
        limit = drawn.cell(row, number.name)
        where = f"{_equals(theme.label, label)} AND {quote_name(number.name)} >= {limit!r}"
        text = (
            f"List the {theme.key} of every {theme.noun} whose {theme.label} is {label} and whose "
            f"{number.name} is at least {limit}."
        )
        return Draft(text, _select(table, [theme.key], where), is_set=True)
    wanted = rng.sample(others, rng.choice((1, 1, 2)))
    parts = " and the ".join(wanted)
    text = rng.choice(
        (
            f"What is the {parts} of the {theme.noun} with {theme.key} {key}?",
            f"Find the {theme.noun} of {key} ({theme.key}) and give its {parts}.",
            f"Tell me the {parts} for {theme.key} {key}.",
        )
    )
    return Draft(text, _select(table, wanted, _equals(theme.key, key)))


def _select(table: str, columns: list[str], where: str) -> str:
    names = ", ".join(quote_name(name) for name in columns)
    return f"SELECT {names} FROM {table} WHERE {where}"  # noqa: S608


_AGGREGATES: tuple[tuple[str, str], ...] = (
    ("SUM", "sum of the {column}"),
    ("AVG", "average {column}, rounded to two decimals,"),
    ("MAX", "highest {column}"),
    ("MIN", "lowest {column}"),
)


def _aggregate(drawn: ThemeTable, rng: random.Random) -> Draft:
    theme = drawn.theme
    number = rng.choice(theme.numbers)
    function, phrase = rng.choice(_AGGREGATES)
    value = f"{function}({quote_name(number.name)})"
    value = f"ROUND({value}, 2)" if function in {"AVG", "SUM"} else value
    wanted = phrase.format(column=number.name)
    if rng.random() < 0.5:
        label = drawn.cell(rng.choice(drawn.table.rows), theme.label)
        where, condition = _equals(theme.label, label), f"whose {theme.label} is {label}"
    else:
        day = draw_date(rng)
        where = f"{quote_name(theme.date)} >= {quote_value(day)}"
        condition = f"with a {theme.date} on or after {day}"
    text = rng.choice(
        (
            f"What is the {wanted} of all {theme.noun} rows {condition}?",
            f"Over every {theme.noun} {condition}, compute the {wanted} in the table.",
        )
    )
    return Draft(text, f"SELECT {value} FROM {drawn.table.name} WHERE {where}")  # noqa: S608


def _new_row(drawn: ThemeTable, rng: random.Random) -> dict[str, Value]:
    theme = drawn.theme
    taken = {drawn.cell(row, theme.key) for row in drawn.table.rows}
    key = rng.choice([name for name in theme.key_values if name not in taken])
    row: dict[str, Value] = {theme.key: key}
    row[theme.coded] = rng.choice(list(drawn.codes.values()))
    row[theme.date] = draw_date(rng)
    row[theme.label] = rng.choice(theme.label_values)
    row.update({part.name: draw_number(part, rng) for part in theme.numbers})
    return {name: row[name] for name in drawn.column_names()}


def _insert_sql(drawn: ThemeTable, row: dict[str, Value]) -> str:
    names = ", ".join(quote_name(name) for name in row)
    values = ", ".join(quote_value(value) for value in row.values())
    return f"INSERT INTO {drawn.table.name} ({names}) VALUES ({values})"  # noqa: S608


def _insert(drawn: ThemeTable, rng: random.Random) -> Draft:
    row = _new_row(drawn, rng)
    listed = ", ".join(f"{name}: {value}" for name, value in row.items())
    text = rng.choice(
        (
            f"Add one {drawn.theme.noun} to the table. {listed}.",
            f"There is a new {drawn.theme.noun} with these values: {listed}. Insert it.",
            f"A {drawn.theme.noun} is missing. Please record it: {listed}.",
        )
    )
    return Draft(text, _insert_sql(drawn, row))


def _distinct(drawn: ThemeTable) -> str:
    return f"SELECT DISTINCT {quote_name(drawn.theme.coded)} FROM {drawn.table.name}"  # noqa: S608


def _insert_coded(drawn: ThemeTable, rng: random.Random) -> Draft:
    theme = drawn.theme
    word = rng.choice(_stored_words(drawn))
    row = _new_row(drawn, rng)
    row[theme.coded] = drawn.codes[word]
    listed = ", ".join(f"{name}: {value}" for name, value in row.items() if name != theme.coded)
    text = rng.choice(
        (
            f"Add one {theme.noun}: {listed}. Its {theme.coded} is {word}.",
            f"Record a new {theme.noun} whose {theme.coded} is {word}. {listed}.",
        )
    )
    guess = _insert_sql(drawn, {**row, theme.coded: word})
    return Draft(text, _insert_sql(drawn, row), _distinct(drawn), word, guess)


def _stored_words(drawn: ThemeTable) -> list[str]:
    stored = {drawn.cell(row, drawn.theme.coded) for row in drawn.table.rows}
    return [word for word, code in drawn.codes.items() if code in stored]


def _update_sql(table: str, column: str, value: Value, where: str) -> str:
    return f"UPDATE {table} SET {_equals(column, value)} WHERE {where}"  # noqa: S608


def _other_number(column: NumberColumn, old: Value, rng: random.Random) -> int | float:
    drawn = draw_number(column, rng)
    return drawn if drawn != old else column.high + 1


def _update(drawn: ThemeTable, rng: random.Random) -> Draft:
    theme, table = drawn.theme, drawn.table.name
    row = rng.choice(drawn.table.rows)
    column = rng.choice(theme.numbers)
    key, old = drawn.cell(row, theme.key), drawn.cell(row, column.name)
    new = _other_number(column, old, rng)
    where = _equals(theme.key, key)
    text = rng.choice(
        (
            f"Set the {column.name} of the {theme.noun} with {theme.key} {key} to {new}.",
            f"For {theme.key} {key}, the {column.name} is wrong. Correct it to {new}.",
        )
    )
    look = _select(table, [theme.key, column.name], where)
    return Draft(text, _update_sql(table, column.name, new, where), look)


def _update_coded(drawn: ThemeTable, rng: random.Random) -> Draft:
    theme, table = drawn.theme, drawn.table.name
    row = rng.choice(drawn.table.rows)
    if rng.random() < 0.5:
        word = rng.choice(_stored_words(drawn))
        column = rng.choice(theme.numbers)
        new = draw_number(column, rng)
        text = (
            f"Set the {column.name} to {new} for every {theme.noun} whose {theme.coded} is {word}."
        )
        gold, guess = (
            _update_sql(table, column.name, new, _equals(theme.coded, stored))
            for stored in (drawn.codes[word], word)
        )
        return Draft(text, gold, _distinct(drawn), word, guess)
    key, old = drawn.cell(row, theme.key), drawn.cell(row, theme.coded)
    words = [word for word in _stored_words(drawn) if drawn.codes[word] != old]
    word = rng.choice(words or _stored_words(drawn))
    text = f"The {theme.noun} with {theme.key} {key} is now {word}; change its {theme.coded}."
    gold, guess = (
        _update_sql(table, theme.coded, stored, _equals(theme.key, key))
        for stored in (drawn.codes[word], word)
    )
    return Draft(text, gold, _distinct(drawn), word, guess)


FAMILIES: dict[str, Family] = {
    "select_lookup": _lookup,
    "select_aggregate": _aggregate,
    "insert_row": _insert,
    "insert_coded": _insert_coded,
    "update_value": _update,
    "update_coded": _update_coded,
}
