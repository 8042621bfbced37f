"""Ids as people type them: the one stored thing that a word stands for."""

import re
from collections.abc import Mapping

from schemas.errors import ConfigError
from warehouse.reader import Reader

TRAJECTORY = {"trajectories": "trajectory_id"}
EDIT = {"edits": "edit_id"}
CARD = {"evaluation_cards": "card_id"}
CYCLE = {"cycles": "cycle_id"}
_ID = re.compile(r"[a-z]+_[0-9a-f]{0,16}")
_FEW = 4
_PREFERRED = "model <> 'imported' AND editor <> 'mcp'"
"""Cycles that ran to their end by themselves, in a live world."""


def find_id(reader: Reader, word: str, places: Mapping[str, str], *, what: str, hint: str) -> str:
    """The id that a word is, or is the only one to start with.

    `places` are the columns that hold such ids, by table; `what` is the name of what is looked
    for, and `hint` says where its ids can be seen.

    Raises:
        ConfigError: the word is no id, names nothing, or is the start of several.
    """
    named = f"`{word[:60]}`"
    if not _ID.fullmatch(word):
        said = f"{named} is not the id of a stored {what}"
        raise ConfigError(said, hint=hint)
    found = [
        str(row[0])
        for table, column in places.items()
        for row in reader.frame(
            f"SELECT {column} FROM {table} WHERE starts_with({column}, ?) "  # noqa: S608
            f"ORDER BY {column} LIMIT {_FEW}",
            [word],
        ).rows()
    ]
    if word in found:
        return word
    if not found:
        said = f"there is no {what} {named} in this warehouse"
        raise ConfigError(said, hint=hint)
    if len(found) > 1:
        said = f"{named} is the start of several ids, such as {', '.join(found[:3])}"
        raise ConfigError(said, hint="give more of it")
    return found[0]


def find_cycle(reader: Reader, word: str, *, prefer: str = _PREFERRED) -> str:
    """The cycle a word stands for; without one the newest, in a live world if there is one.

    `prefer` is a condition on `own_cycles`: cycles that meet it come before all others.

    Raises:
        ConfigError: there is no such cycle, or none at all.
    """
    if word:
        hint = "see `tackroom sql 'SELECT cycle_id, environment, model FROM cycles'`"
        return find_id(reader, word, CYCLE, what="cycle", hint=hint)
    newest = reader.scalar(
        f"SELECT cycle_id FROM own_cycles ORDER BY {prefer} DESC, model = 'imported', "  # noqa: S608
        "created_at DESC, cycle_id LIMIT 1"
    )
    if newest is None:
        what = "there is no cycle yet"
        raise ConfigError(what, hint="run `tackroom cycle` first")
    return str(newest)
