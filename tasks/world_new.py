"""Makes the folder of a new world of the user's own; all of it or nothing."""

import json
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Literal

from schemas.errors import ConfigError
from tasks.environments import scaffold
from tasks.environments.declared.form import FINISH
from tasks.environments.declared.openapi import Document, read_openapi
from tasks.environments.declared.task_file import DELIMITER, read_tasks
from tasks.environments.registry import FILE, IMPORTED, taken_names

TEMPLATES = Path(scaffold.__file__).parent
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_EXAMPLES = {
    "python": (
        "task_id,family,text,thing,count",
        "{n},pack,Put {n} apples into the box.,apple,{n}",
    ),
    "http": ("task_id,text,answer", "{n},Answer with the number {n}.,{n}"),
}
EXAMPLES = 10


@dataclass(frozen=True)
class Wanted:
    """What `env new` was asked for."""

    name: str
    kind: Literal["python", "http", "mcp"]
    openapi: str = ""
    upstream: str = ""
    tasks: str = ""
    verdict: Literal["python", "state", "judge"] = "state"
    look: str = ""
    reset: str = "none"


def make_world(wanted: Wanted, parent: str) -> dict[str, Any]:
    """Make the folder and say what to do next.

    Raises:
        ConfigError: the name is taken or no name, an option is missing or does not fit, or a file
            cannot be used.
    """
    folder = Path(parent) / wanted.name
    _require_usable(wanted, folder)
    document = read_openapi(Path(wanted.openapi)) if wanted.kind == "http" else None
    Path(parent).mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=parent, prefix=f".{wanted.name}-"))
    try:
        tasks = _write_tasks(wanted, draft)
        _write_files(wanted, draft, tasks, document)
        draft.chmod(0o755)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return {
        "environment": wanted.name,
        "folder": str(folder),
        "word": word_of(folder),
        "files": sorted(path.name for path in folder.iterdir()),
        "next": _next_steps(wanted, folder, document),
    }


def word_of(folder: Path) -> str:
    """The word that opens a folder, whatever it is called."""
    return f"world:{folder}"


def _require_usable(wanted: Wanted, folder: Path) -> None:
    if not _NAME.fullmatch(wanted.name):
        what = f"{wanted.name[:60]!r} is no name of a world"
        raise ConfigError(what, hint="lower-case letters, digits and _, a letter first")
    if wanted.name in taken_names() or wanted.name.startswith(IMPORTED):
        what = f"`{wanted.name}` is the name of another environment"
        raise ConfigError(what, hint="choose another name")
    if folder.exists():
        what = f"{folder} is there already"
        raise ConfigError(what, hint="choose another name or --folder")
    needs = {"http": ("openapi",), "mcp": ("upstream",), "python": ()}[wanted.kind]
    fits = {"http": ("openapi", "upstream"), "mcp": ("upstream",), "python": ()}[wanted.kind]
    for option in ("openapi", "upstream"):
        if option in needs and not getattr(wanted, option):
            what = f"a world of kind {wanted.kind} needs --{option}"
            raise ConfigError(what, hint="see docs/own-world.md")
        if option not in fits and getattr(wanted, option):
            what = f"a world of kind {wanted.kind} takes no --{option}"
            raise ConfigError(what, hint="leave it out, or choose another --kind")
    if wanted.kind == "python" and (
        wanted.verdict != "python" or wanted.reset != "none" or wanted.look
    ):
        what = "a world of kind python judges and begins anew by itself"
        raise ConfigError(what, hint="leave out --verdict, --look and --reset")


def _write_tasks(wanted: Wanted, draft: Path) -> str:
    """Copy the tasks file, or write an example; gives its name."""
    if wanted.tasks:
        source = Path(wanted.tasks)
        suffix = source.suffix if source.suffix in DELIMITER else ".jsonl"
        read_tasks(source, wanted.name)
        shutil.copyfile(source, draft / f"tasks{suffix}")
        return f"tasks{suffix}"
    header, row = _EXAMPLES["python" if wanted.kind == "python" else "http"]
    rows = [row.format(n=number) for number in range(1, EXAMPLES + 1)]
    (draft / "tasks.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return "tasks.csv"


def _write_files(wanted: Wanted, draft: Path, tasks: str, document: Document | None) -> None:
    if wanted.kind == "python":
        _write_python(wanted, draft, tasks)
        return
    lines = [f"name = {_text(wanted.name)}", f"kind = {_text(wanted.kind)}"]
    lines += [f"tasks = {_text(tasks)}", 'system_prompt = ""', "step_budget = 30", ""]
    lines += _service_lines(wanted, draft, document) + _reset_lines(wanted)
    lines += ["[verdict]", f"by = {_text(wanted.verdict)}"]
    if wanted.verdict == "python":
        lines.append('function = "verdict.py:verdict"')
        shutil.copyfile(TEMPLATES / "verdict.py.txt", draft / "verdict.py")
    if wanted.look:
        lines.append(f"look = {_text(wanted.look)}")
    (draft / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_python(wanted: Wanted, draft: Path, tasks: str) -> None:
    is_table = not tasks.endswith(".jsonl")
    delimiter = DELIMITER.get(Path(tasks).suffix, ",")
    reader = f'csv.DictReader(stream, delimiter="{delimiter}")' if delimiter != "," else ""
    source = Template((TEMPLATES / "world.py.txt").read_text(encoding="utf-8")).substitute(
        name=wanted.name,
        tasks=tasks,
        row='{**row, "task_id": f"{NAME}/{row[\'task_id\']}"}' if is_table else "json.loads(row)",
        reader=(reader or "csv.DictReader(stream)") if is_table else "stream if row.strip()",
    )
    (draft / "world.py").write_text(source, encoding="utf-8")
    lines = ['kind = "python"', 'factory = "world:make"']
    (draft / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _service_lines(wanted: Wanted, draft: Path, document: Document | None) -> list[str]:
    if document is None:
        return ["[service]", f"upstream = {_text(wanted.upstream)}", ""]
    url = wanted.upstream or document.server
    if not url.startswith(("http://", "https://")):
        what = f"{wanted.openapi} names no address of a server"
        raise ConfigError(what, hint="give --upstream http://HOST:PORT")
    name = "openapi.json" if Path(wanted.openapi).suffix == ".json" else "openapi.yaml"
    shutil.copyfile(wanted.openapi, draft / name)
    return ["[service]", f"openapi = {_text(name)}", f"base_url = {_text(url.rstrip('/'))}", ""]


def _reset_lines(wanted: Wanted) -> list[str]:
    word = wanted.reset.strip()
    if word in ("", "none"):
        return []
    if word == "restart":
        return ["[reset]", "restart = true", ""]
    is_url = "://" in word.split(" ", 1)[0] or (word.startswith("/") and not Path(word).is_file())
    return ["[reset]", f"{'url' if is_url else 'command'} = {_text(word)}", ""]


def _text(value: str) -> str:
    """A text of TOML, whose basic strings escape as those of JSON do."""
    return json.dumps(value, ensure_ascii=False)


def _next_steps(wanted: Wanted, folder: Path, document: Document | None) -> list[str]:
    steps: list[str] = []
    if document is not None:
        steps += [f"left out: {name}: {why}" for name, why in document.left_out.items()]
    if wanted.kind != "python" and wanted.reset == "none":
        steps.append("without a reset, tools that write need --allow-side-effects")
    if wanted.kind != "python" and not wanted.tasks:
        steps.append(f"replace the tasks; an episode ends by the tool `{FINISH}`")
    return [*steps, f"tackroom env check {word_of(folder)}"]
