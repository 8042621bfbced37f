"""Inspect AI logs: `.eval` archives and `.json` files with the same content (formats.md 2.8)."""

from collections.abc import Iterator
from pathlib import Path

from tasks.importers.archive import BrokenMember, member_names, read_members
from tasks.importers.container import Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Drafted, Note, Redacts, Refusal, Source
from tasks.importers.elements import read_element, read_elements
from tasks.importers.inspect_sample import LogHead, read_sample
from tasks.importers.reading import as_object, as_text

LIST = "samples"
_HEADER = "header.json"
_START = "_journal/start.json"
_SAMPLES = "samples/"


def _is_head(members: JsonValue) -> bool:
    head = as_object(members)
    described = as_object(head.get("eval"))
    return "task" in described and ("model" in described or "run_id" in described)


class InspectReader:
    """Reads logs in both containers."""

    name = "inspect"
    describes = "Inspect logs (`.eval` archives, or `.json` with `eval` and `samples`)"
    spreads: tuple[str, ...] = (LIST,)

    def recognises(self, outline: Outline) -> bool:
        """An archive of samples, or an object that describes its evaluation."""
        if outline.kind == "archive":
            names = outline.members
            return _HEADER in names or _START in names
        return _is_head(outline.members)

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield samples, and notes on logs that are not whole."""
        if source.outline.kind == "archive":
            yield from _read_archive(source, redactor)
            return
        head = LogHead(as_object(redactor.value(source.outline.members)))
        yield from _tell_status(head, is_finished=True)
        if source.outline.spread is not None:
            found = every(source.path, source.outline)
            yield from read_elements(found, redactor, lambda e: read_sample(e, head, source))


def _read_archive(source: Source, redactor: Redacts) -> Iterator[Drafted]:
    try:
        names = member_names(source.path)
    except BrokenMember as error:
        yield Refusal(0, "the whole file", str(error))
        return
    head = LogHead(as_object(redactor.value(_read_head(source.path, names))))
    yield from _tell_status(head, is_finished=_HEADER in names)
    samples = [name for name in names if name.startswith(_SAMPLES) and name.endswith(".json")]
    for element in read_members(source.path, dict.fromkeys(samples)):
        yield read_element(element, redactor, lambda e: read_sample(e, head, source))


def _read_head(path: Path, names: list[str]) -> JsonValue:
    """The header; of a run that did not finish, what stood in its journal."""
    heads = read_members(path, [name for name in (_HEADER, _START) if name in names])
    return next((head.value for head in heads if head.problem is None), {})


def _tell_status(head: LogHead, *, is_finished: bool) -> Iterator[Note]:
    status = as_text(head.members.get("status"))
    if not is_finished:
        yield Note("the run did not finish: the archive has a journal and no header")
    elif status not in (None, "success"):
        yield Note(f"the run ended as {status!r}")
