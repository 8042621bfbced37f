"""Opens what a `world.toml` names: the service with its variables, and whoever judges."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from schemas.errors import ConfigError, EnvironmentFault
from schemas.ids import sha256_hex
from schemas.settings import Settings
from tasks.agent.mcp_upstream import read_upstream
from tasks.agent.models import resolve_endpoint
from tasks.environments.declared.form import (
    ByJudge,
    ByPython,
    ByState,
    HttpWorld,
    McpWorld,
    ServiceFile,
    VerdictChoice,
)
from tasks.environments.declared.http_service import Address, HttpService
from tasks.environments.declared.openapi import read_openapi
from tasks.environments.declared.reset import Resetting
from tasks.environments.declared.service import Secrets, Service, columns_of
from tasks.environments.declared.task_file import Posed
from tasks.environments.declared.verdict import Grader, StateGrader

TOGETHER = 8
PASSED = ("PATH", "HOME", "LANG", "TMPDIR")
JUDGE_PREFIX = "openai:"


def open_service(folder: Path, declared: ServiceFile, settings: Settings) -> Service:
    """Open the service.

    Raises:
        ConfigError: a document, variable or program cannot be used.
    """
    headers = _headers(declared.service.headers, settings, folder)
    resetting = Resetting(declared.reset, folder)
    lists = {"hidden": declared.service.hidden, "reads": declared.service.reads}
    if isinstance(declared, HttpWorld):
        table = declared.service
        document = read_openapi(folder / table.openapi)
        address = Address(table.base_url, headers, table.timeout_s, table.episode_header)
        return HttpService(document, address, resetting, secrets=Secrets(headers), **lists)
    return _open_mcp(folder, declared, settings, headers, resetting)


def _open_mcp(
    folder: Path,
    declared: McpWorld,
    settings: Settings,
    headers: Mapping[str, str],
    resetting: Resetting,
) -> Service:
    from tasks.environments.declared.mcp_service import McpService

    table = declared.service
    passed = {name: _variable(name, settings, folder) for name in table.pass_env}
    base = {name: value for name in PASSED if (value := settings.variable(name))}
    upstream = read_upstream(
        _in_folder(table.upstream, folder), environ=base | passed, headers=headers
    )
    upstream = replace(upstream, folder=str(folder))
    try:
        return McpService(
            upstream,
            resetting,
            timeout_s=table.timeout_s,
            secrets=Secrets({**headers, **passed}),
            hidden=table.hidden,
            reads=table.reads,
        )
    except EnvironmentFault as error:
        what = f"environment `{folder}` cannot be opened: {error.what}"
        raise ConfigError(what, hint=error.hint) from error


def _in_folder(word: str, folder: Path) -> str:
    """A program named by a path stands in the folder of the world."""
    first, _, rest = word.strip().partition(" ")
    if "://" in first or "/" not in first or Path(first).is_absolute():
        return word
    return f"{shlex.quote(str(folder.absolute() / first))} {rest}"


def _headers(wanted: Mapping[str, str], settings: Settings, folder: Path) -> dict[str, str]:
    return {header: _variable(name, settings, folder) for header, name in wanted.items()}


def _variable(name: str, settings: Settings, folder: Path) -> str:
    value = settings.variable(name)
    if not value:
        what = f"{folder} needs the variable {name}, which is not set"
        raise ConfigError(what, hint="export it, or put it into .env")
    return value


def open_grader(
    folder: Path, declared: ServiceFile, settings: Settings
) -> tuple[Grader, list[str]]:
    """What judges, and what its fingerprint is made of beside the file."""
    table = declared.verdict
    if isinstance(table, ByState):
        return StateGrader(table), []
    if isinstance(table, ByPython):
        from tasks.environments.declared.python_verdict import PythonGrader

        source = folder / table.function.rpartition(":")[0]
        if not source.is_file():
            what = f"{folder}: there is no {table.function.rpartition(':')[0]} for the verdict"
            raise ConfigError(what, hint="write `file.py:function`, relative to world.toml")
        grader = PythonGrader(folder, table.function, settings.python or None)
        return grader, [sha256_hex(source.read_text(encoding="utf-8"))]
    return _judge(folder, table, settings)


def _judge(folder: Path, table: ByJudge, settings: Settings) -> tuple[Grader, list[str]]:
    from tasks.agent.chat_model import ChatModel
    from tasks.environments.declared.judge_verdict import JudgeGrader

    word = table.model or settings.roles.judge or ""
    name = word.removeprefix(JUDGE_PREFIX)
    if not word.startswith(JUDGE_PREFIX) or not name:
        what = f"{folder}: the verdict needs a judge behind an endpoint"
        hint = 'write model = "openai:NAME" under [verdict], or set roles.judge in tackroom.toml'
        raise ConfigError(what, hint=hint)
    fingerprint = ChatModel(word, resolve_endpoint(name, settings)).fingerprint
    return JudgeGrader(table, word, lambda: resolve_endpoint(name, settings)), [fingerprint]


def most_together(declared: ServiceFile, *, is_apart: bool) -> int:
    """How many episodes may be open.

    Raises:
        ConfigError: more than one is asked for, and they would share a state.
    """
    wanted = declared.together or (TOGETHER if is_apart else 1)
    if wanted > 1 and not is_apart:
        what = f"{declared.name}: `together` is {wanted}, and episodes would share one state"
        hint = "give service.episode_header, or reset.restart for an MCP command"
        raise ConfigError(what, hint=hint)
    return wanted


def refuse_taken(name: str, known: frozenset[str]) -> None:
    """Refuse a tool of the service that has the name of ours.

    Raises:
        ConfigError: there is one.
    """
    if name in known:
        what = f"the service has a tool {name!r}, the name of the tool that ends an episode"
        raise ConfigError(what, hint='choose another with finish_tool = "…"')


def require_judgeable(table: VerdictChoice, posed: Posed) -> None:
    """Refuse a task that no verdict could be given for."""
    row, task_id = posed.row, posed.task.task_id
    place = str(row.get("look") or table.look)
    missing = next((name for name in columns_of(place) if name not in row), None)
    if missing:
        what = f"task {task_id!r} has no column `{missing}`, which `{place}` needs"
        raise ConfigError(what, hint="add it to the tasks")
    if not isinstance(table, ByState):
        return
    if "expected" not in row and "answer" not in row:
        what = f"task {task_id!r} has neither `expected` nor `answer`"
        raise ConfigError(what, hint="a verdict by state needs one of them for each task")
    if "expected" in row and not place:
        what = f"task {task_id!r} has `expected`, and nothing says where to look"
        raise ConfigError(what, hint="write look under [verdict], or a column `look`")
