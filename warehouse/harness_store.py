"""Find stored harnesses: by id, by the start of an id, or by a name that points to one."""

from dataclasses import dataclass

from schemas.errors import ConfigError
from schemas.harness import HarnessFileRow, HarnessNameRow, HarnessVersionRow
from warehouse.reader import Reader

_SHORTEST_PREFIX = 4
_MATCHING = "SELECT harness_id FROM harness_versions WHERE starts_with(harness_id, ?) ORDER BY 1"
_NAMES_IN_FORCE = "SELECT environment, name, harness_id FROM harness_names_in_force"


@dataclass(frozen=True)
class StoredHarness:
    """A harness as lists show it.

    Attributes:
        harness_id: its id.
        environment: environment it is written for.
        names: names that point to it now.
        layers: layers that are switched on, as JSON.
        delivery: how skills reach the model.
    """

    harness_id: str
    environment: str
    names: tuple[str, ...]
    layers: str
    delivery: str


class UnknownHarness(ConfigError):
    """No stored harness is meant."""


def harness_files(reader: Reader, harness_id: str) -> dict[str, str]:
    """Files of a stored harness: text by path.

    Raises:
        UnknownHarness: no such harness is stored.
    """
    rows = reader.rows(HarnessFileRow, "harness_id = ?", [harness_id])
    if not rows:
        raise _unknown(harness_id)
    return {row.path: row.text for row in rows}


def resolve_harness(reader: Reader, word: str, *, environment: str | None = None) -> str:
    """Id of the harness that a user means by an id, the start of one, or a name.

    Raises:
        UnknownHarness: nothing is meant.
        ConfigError: several are.
    """
    named = _named(reader, word, environment)
    if len(named) == 1:
        return next(iter(named.values()))
    if named:
        what = f"the name {word!r} is set in {', '.join(sorted(named))}"
        raise ConfigError(what, hint="name the environment, or use an id")
    return _by_prefix(reader, word)


def list_harnesses(reader: Reader, *, environment: str | None = None) -> list[StoredHarness]:
    """All stored harnesses by environment and id, with the names that point to them now."""
    names: dict[str, list[str]] = {}
    for row in reader.frame(_NAMES_IN_FORCE).iter_rows(named=True):
        names.setdefault(str(row["harness_id"]), []).append(str(row["name"]))
    found = [
        StoredHarness(
            harness_id=row.harness_id,
            environment=row.environment,
            names=tuple(sorted(names.get(row.harness_id, ()))),
            layers=row.layers,
            delivery=row.delivery,
        )
        for row in reader.rows(HarnessVersionRow)
        if environment in (None, row.environment)
    ]
    return sorted(found, key=lambda harness: (harness.environment, harness.harness_id))


def next_ordinal(reader: Reader, *, environment: str, name: str) -> int:
    """Ordinal with which a name is to be set next."""
    rows = reader.rows(HarnessNameRow, "environment = ? AND name = ?", [environment, name])
    return 1 + max((row.ordinal for row in rows), default=-1)


def _named(reader: Reader, word: str, environment: str | None) -> dict[str, str]:
    """Harness ids a name points to now, by environment."""
    frame = reader.frame(_NAMES_IN_FORCE + " WHERE name = ?", [word])
    return {
        str(row["environment"]): str(row["harness_id"])
        for row in frame.iter_rows(named=True)
        if environment in (None, row["environment"])
    }


def _by_prefix(reader: Reader, word: str) -> str:
    start = word if word.startswith("harn_") else f"harn_{word}"
    matching = [str(row[0]) for row in reader.frame(_MATCHING, [start]).iter_rows()]
    if start in matching:
        return start
    if not matching or len(start) < len("harn_") + _SHORTEST_PREFIX:
        raise _unknown(word)
    if len(matching) > 1:
        what = f"{word} begins the ids of {len(matching)} harnesses: {', '.join(matching[:5])}"
        raise ConfigError(what, hint="give more of the id")
    return matching[0]


def _unknown(word: str) -> UnknownHarness:
    what = f"no harness {word!r} is stored"
    return UnknownHarness(what, hint="`tackroom harness list` shows ids and names")
