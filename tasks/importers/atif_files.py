"""Documents of one folder that belong together: continuations, and agents that others started."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from tasks.importers.container import whole
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Redacts
from tasks.importers.reading import JsonObject, as_list, as_name, as_object, as_text, drop_nulls

NEXT = "continued_trajectory_ref"
_MOST_PARTS = 100
_LARGEST = 64 << 20
_FEW = 100


def native_id(document: JsonObject) -> str | None:
    """The document's own id; `session_id` may be shared by a run."""
    return as_name(document.get("trajectory_id")) or as_name(document.get("session_id"))


@dataclass(frozen=True)
class Neighbours:
    """How a document is named by those beside it.

    Attributes:
        earlier: file name of the document that goes on in this one.
        starter: native id of the document whose agent started this one's.
    """

    earlier: str | None = None
    starter: str | None = None


def find_neighbours(path: Path) -> Neighbours:
    """Look through the folder for documents that name this one; huge ones are left out."""
    earlier, starter, mark = None, None, path.name.encode()
    for name in _candidates(path):
        beside = path.parent / name
        if beside == path or not beside.is_file() or beside.stat().st_size > _LARGEST:
            continue
        if mark not in beside.read_bytes():
            continue
        document = as_object(whole(beside).value)
        if _file_name(document.get(NEXT)) == path.name:
            earlier = earlier or beside.name
        if path.name in _started_files(document):
            starter = starter or native_id(document) or beside.name
    return Neighbours(earlier, starter)


def _candidates(path: Path) -> tuple[str, ...]:
    """Documents beside one; in a folder of many, those whose names begin alike."""
    names = _listed(path.parent, path.parent.stat().st_mtime_ns)
    everything = tuple(name for alike in names.values() for name in alike)
    return everything if len(everything) <= _FEW else names.get(_begin(path.name), ())


@lru_cache(maxsize=4)
def _listed(folder: Path, changed: int) -> dict[str, tuple[str, ...]]:
    """Names of a folder by how they begin; `changed` tells a listing from an older one."""
    del changed
    names = sorted(entry.name for entry in folder.iterdir() if entry.suffix == ".json")
    return {begin: tuple(alike) for begin, alike in groupby(names, key=_begin)}


def _begin(name: str) -> str:
    return name.partition(".")[0]


def _file_name(place: JsonValue) -> str:
    """Only the name: what a document points at is looked for in its own folder alone."""
    return Path(as_text(place) or "").name


def _started_files(document: JsonObject) -> set[str]:
    refs = (
        as_object(ref)
        for step in as_list(document.get("steps"))
        for result in as_list(as_object(as_object(step).get("observation")).get("results"))
        for ref in as_list(as_object(result).get("subagent_trajectory_ref"))
    )
    return {name for ref in refs if (name := _file_name(ref.get("trajectory_path")))}


def follow(document: JsonObject, path: Path, redactor: Redacts) -> Iterator[JsonObject]:
    """Documents in which one goes on, in their order."""
    seen = {path.name}
    while len(seen) < _MOST_PARTS:
        name = _file_name(document.get(NEXT))
        if not name or name in seen or not (path.parent / name).is_file():
            return
        seen.add(name)
        document = as_object(redactor.value(drop_nulls(whole(path.parent / name).value)))
        yield document


def inside(document: JsonObject) -> Iterator[tuple[JsonObject, str | None]]:
    """Documents of the agents that one started, theirs included, with the id of the starter."""
    waiting = [document]
    while waiting:
        outer = waiting.pop(0)
        for item in as_list(outer.get("subagent_trajectories")):
            if isinstance(item, dict):
                yield item, native_id(outer)
                waiting.append(item)
