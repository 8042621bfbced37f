"""AgentBench's OS interaction as its files tell it: what is prepared, asked and checked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from own_files import WrongData, read_json, read_text

FOLDER = Path("data/os_interaction")
PROGRAMS = {"bash": ("bash", "-c"), "python": ("python3", "-c")}


@dataclass(frozen=True)
class Script:
    """A script of a file, and the program that runs it."""

    language: str
    text: str

    def words(self, *arguments: str) -> list[str]:
        """The command that runs it; what it is told begins behind its own name."""
        gap = ["--"] if self.language == "bash" and arguments else []
        return [*PROGRAMS[self.language], self.text, *gap, *arguments]


@dataclass(frozen=True)
class Item:
    """One task.

    Attributes:
        number: the folder it comes from, its file and its place there.
        first: scripts that prepare the machine.
        start: what runs in the shell before the agent comes.
        match: the answer, or a pattern of it.
        checks: run in turn, each told the answer and what those before have written; null stands
            for the example.
        example: solves the task, or writes the answer.
    """

    number: str
    text: str
    first: tuple[Script, ...]
    start: Script | None
    match: dict[str, Any] | None
    checks: tuple[Script | None, ...]
    example: Script | None

    @property
    def is_asking(self) -> bool:
        """Whether what the example writes is the answer."""
        return None in self.checks


class Reader:
    """Reads the items of one folder of the data."""

    def __init__(self, scripts: Path) -> None:
        self.scripts = scripts

    def script(self, raw: Any) -> Script | None:
        """A script as a text, as code or as a file."""
        if raw is None:
            return None
        if isinstance(raw, str):
            return Script("bash", raw)
        language = raw.get("language", "bash")
        if language not in PROGRAMS:
            message = f"a script in {language}"
            raise ValueError(message)
        return Script(language, raw["code"] if "code" in raw else self.file(raw["file"]))

    def file(self, name: str) -> str:
        """A script that has a file of its own."""
        path = (self.scripts / name).resolve()
        if not path.is_relative_to(self.scripts.resolve()):
            message = f"{name} is outside {self.scripts}"
            raise ValueError(message)
        return read_text(path)

    def scripts_of(self, raw: Any) -> tuple[Script | None, ...]:
        """One script or several."""
        return tuple(self.script(one) for one in (raw if isinstance(raw, list) else [raw]))

    def item(self, number: str, raw: Any) -> Item:
        """One task of a file."""
        made, judged = raw.get("create"), raw["evaluation"]
        made = made if isinstance(made, dict) else {}
        match = judged.get("match")
        return Item(
            number,
            str(raw["description"]),
            tuple(one for one in self.scripts_of(made.get("init")) if one),
            self.script(raw.get("start")),
            {"answer": match, "strip": True} if isinstance(match, str) else match,
            () if match is not None else self.scripts_of(judged["check"]),
            self.script(judged.get("example")),
        )


def read_items(path: Path) -> dict[str, Item]:
    """The items of a checkout that can be read.

    Raises:
        WrongData: a file is no list of tasks, or there is none.
    """
    found = {}
    for name, file, scripts in files_of(path / FOLDER):
        raw = read_json(file)
        reader = Reader(scripts)
        for place, one in enumerate(raw if isinstance(raw, list) else [raw]):
            number = f"{name}-{file.stem.lower()}-{place:03d}"
            try:
                found[number] = reader.item(number, one)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                message = f"{file}, item {place}: no task: {type(error).__name__}: {error}"
                raise WrongData(message) from error
    if not found:
        message = f"{path / FOLDER} holds no tasks"
        raise WrongData(message)
    return found


def files_of(folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Name, tasks and scripts of each set: `dev`, and the numbered ones of the test."""
    dev = folder / "data/dev.json"
    if dev.is_file():
        yield "dev", dev, folder / "scripts/dev"
    for place in sorted(one for one in (folder / "data").iterdir() if one.name.isdigit()):
        for file in sorted(place.glob("*.json")):
            yield place.name, file, folder / "scripts" / place.name


def as_text(item: Item) -> str:
    """All of an item, for hashes."""
    parts = [item.text, item.match, [repr(one) for one in (*item.first, item.start, item.example)]]
    return json.dumps([*parts, [repr(one) for one in item.checks]], sort_keys=True)
