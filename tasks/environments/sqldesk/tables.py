"""Draws one table of a theme: columns in some order, codes in some style, rows."""

import datetime
import random
from dataclasses import dataclass

from tasks.environments.sqldesk.database import SqlRow, Table
from tasks.environments.sqldesk.guards import Value
from tasks.environments.sqldesk.themes import NumberColumn, Theme

MIN_ROWS = 24
MAX_ROWS = 48
_FIRST_DAY = datetime.date(2021, 1, 1).toordinal()
_VOWELS = "aeiou"


@dataclass(frozen=True)
class ThemeTable:
    """A drawn table with what the words of its theme are stored as."""

    theme: Theme
    table: Table
    codes: dict[str, str]

    def column_names(self) -> tuple[str, ...]:
        """Names of the columns in table order."""
        return tuple(name for name, _ in self.table.columns)

    def cell(self, row: SqlRow, column: str) -> Value:
        """Value of a column in a row."""
        return row[self.column_names().index(column)]


def draw_table(theme: Theme, rng: random.Random) -> ThemeTable:
    """Draw columns, codes and rows."""
    columns = [(theme.key, "TEXT"), (theme.coded, "TEXT"), (theme.date, "TEXT")]
    columns += [(theme.label, "TEXT")]
    columns += [(part.name, "REAL" if part.digits else "INTEGER") for part in theme.numbers]
    head, tail = columns[:1], columns[1:]
    rng.shuffle(tail)
    codes = _draw_codes(theme.words, rng)
    keys = rng.sample(theme.key_values, rng.randint(MIN_ROWS, MAX_ROWS))
    labels = rng.sample(theme.label_values, min(6, len(theme.label_values)))
    rows = [draw_row(theme, key, list(codes.values()), labels, rng) for key in keys]
    ordered = tuple(tuple(row[name] for name, _ in head + tail) for row in rows)
    return ThemeTable(theme, Table(rng.choice(theme.tables), tuple(head + tail), ordered), codes)


def draw_row(
    theme: Theme, key: str, codes: list[str], labels: list[str], rng: random.Random
) -> dict[str, Value]:
    """Draw one row by column name."""
    row: dict[str, Value] = {theme.key: key, theme.coded: rng.choice(codes)}
    row[theme.date] = draw_date(rng)
    row[theme.label] = rng.choice(labels)
    for column in theme.numbers:
        row[column.name] = draw_number(column, rng)
    return row


def draw_number(column: NumberColumn, rng: random.Random) -> int | float:
    """Draw a value of a numeric column."""
    if not column.digits:
        return rng.randint(column.low, column.high)
    scale = 10**column.digits
    return rng.randint(column.low * scale, column.high * scale) / scale


def draw_date(rng: random.Random) -> str:
    """Draw a day as ISO text."""
    return datetime.date.fromordinal(_FIRST_DAY + rng.randrange(1400)).isoformat()


def _draw_codes(words: tuple[str, ...], rng: random.Random) -> dict[str, str]:
    style = rng.choice((_consonants, _initials, _numbered, _constant, _padded))
    codes = {word: style(word, place) for place, word in enumerate(words, start=1)}
    return (
        codes
        if len(set(codes.values())) == len(codes)
        else {word: _constant(word, place) for place, word in enumerate(words, start=1)}
    )


def _consonants(word: str, place: int) -> str:  # noqa: ARG001
    head, *rest = word.replace(" ", "")
    kept = [letter for letter in rest if letter not in _VOWELS] or rest
    return (head + "".join(kept))[:3].upper()


def _initials(word: str, place: int) -> str:  # noqa: ARG001
    return word[:2].upper()


def _numbered(word: str, place: int) -> str:
    return f"{place}-{word[:4].strip().upper()}"


def _constant(word: str, place: int) -> str:  # noqa: ARG001
    return word.replace(" ", "_").upper()


def _padded(word: str, place: int) -> str:
    return f"{word[:3].lower().strip()}_{place:02d}"
