"""The views of this release: one SQL file each, the comment in its first lines."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from warehouse.ddl import literal

_FOLDER = Path(__file__).parent / "views"


@dataclass(frozen=True)
class View:
    """A view for people: its file holds a comment and one SELECT."""

    name: str
    comment: str
    query: str

    @property
    def sql(self) -> str:
        """SQL that creates or replaces the view with its comment."""
        return (
            f"CREATE OR REPLACE VIEW {self.name} AS\n{self.query};\n"
            f"COMMENT ON VIEW {self.name} IS {literal(self.comment)};\n"
        )


@cache
def views_of_release() -> tuple[View, ...]:
    """All views, in the order they can be created."""
    return tuple(_read(file) for file in sorted(_FOLDER.glob("*.sql")))


def _read(file: Path) -> View:
    lines = file.read_text("utf-8").strip().splitlines()
    comment = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
    query = [line for line in lines if not line.startswith("--")]
    name = file.stem.split("_", 1)[1]
    return View(name, " ".join(comment), "\n".join(query).strip().rstrip(";"))
