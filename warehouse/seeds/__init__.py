"""Base harnesses that ship with the project, one folder an environment."""

from pathlib import Path

_FOLDER = Path(__file__).parent
_EMPTY = "empty"


def seed_environments() -> tuple[str, ...]:
    """Environments a base harness ships for, sorted."""
    return tuple(
        sorted(
            folder.name
            for folder in _FOLDER.iterdir()
            if (folder / "harness.yaml").exists() and folder.name != _EMPTY
        )
    )


def seed_files(environment: str) -> dict[str, str]:
    """Files of the base harness of an environment; of the empty one where none ships."""
    folder = _FOLDER / (environment if environment in seed_environments() else _EMPTY)
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".yaml", ".md", ".py")
    }
