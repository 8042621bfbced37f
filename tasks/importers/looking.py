"""A file seen from afar, whatever its container, and what to say of one that nobody can read."""

from pathlib import Path

from tasks.importers.archive import BROKEN_ARCHIVE, BrokenMember, is_archive, member_names
from tasks.importers.container import Outline, outline
from tasks.importers.registry import SPREADS, known_formats


def look_at(path: Path) -> Outline:
    """Outline of a JSON file or of an archive."""
    if not is_archive(path):
        return outline(path, SPREADS)
    try:
        return Outline("archive", dict.fromkeys(member_names(path)))
    except BrokenMember as error:
        return Outline("other", problem=str(error))


def say_unknown(kind: str, problem: str | None) -> str:
    """Why a file is refused whose format nobody knows."""
    what = "the file is empty" if kind == "empty" else "the content is in no known format"
    if problem and problem.startswith(BROKEN_ARCHIVE):
        what = problem
    elif problem:
        what = f"the file is not JSON: {problem}" if kind == "other" else f"{what}; {problem}"
    return f"{what}; known formats: {known_formats()}"
