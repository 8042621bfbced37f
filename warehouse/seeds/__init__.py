"""Harnesses that ship with the project, one folder an environment.

Bases are written by hand; those in `evolved` came out of cycles, with their evidence.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent
_EMPTY = "empty"
_EVOLVED = _FOLDER / "evolved"


def seed_environments() -> tuple[str, ...]:
    """Environments a base harness ships for, sorted."""
    return tuple(name for name in _harnesses_in(_FOLDER) if name != _EMPTY)


def evolved_folders() -> dict[str, Path]:
    """Evolved harnesses that ship, by environment: exported folders with manifest and evidence."""
    return {name: _EVOLVED / name for name in _harnesses_in(_EVOLVED)}


def _harnesses_in(folder: Path) -> list[str]:
    return sorted(one.parent.name for one in folder.glob("*/harness.yaml"))


def seed_files(environment: str) -> dict[str, str]:
    """Files of the base harness of an environment; of the empty one where none ships."""
    folder = _FOLDER / (environment if environment in seed_environments() else _EMPTY)
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".yaml", ".md", ".py")
    }
