"""`tackroom runtime mcp`: a stored harness between an MCP client and an MCP server."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from deployments.commands.options import HARNESS
from deployments.console import note
from schemas.errors import ConfigError

if TYPE_CHECKING:
    from schemas.settings import Settings
    from tasks.agent.mcp_upstream import Upstream
    from tasks.harness import Harness
    from tasks.mcp_face.log import Mode

FOLDER = "traffic"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mcp")(mcp)


def mcp(
    harness: Annotated[str, typer.Option(help=HARNESS)],
    upstream: Annotated[
        str, typer.Option(help="Command that starts an MCP server, or the URL of one.")
    ],
    environment: Annotated[str, typer.Option(help="Environment whose names are meant.")] = "",
    mode: Annotated[
        Literal["enforce", "shadow"], typer.Option(help="shadow changes nothing and logs.")
    ] = "enforce",
    budget: Annotated[
        int, typer.Option(help="Calls a rule is told an episode has; 0 for none.", min=0)
    ] = 0,
    task: Annotated[
        str, typer.Option(help="Task text, unless a call's _meta has tackroom/task.")
    ] = "",
    timeout: Annotated[
        float, typer.Option(help="Seconds to wait for the upstream; 0 waits.", min=0)
    ] = 0,
    header: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VARIABLE: a header for the URL, its value in that variable."),
    ] = None,
    log: Annotated[str, typer.Option(help="Log file; traffic/ of the data folder else.")] = "",
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP on loopback.")] = False,
    port: Annotated[int, typer.Option(help="Port of --http; 0 takes a free one.")] = 0,
) -> None:
    """Stand between an MCP client and an MCP server, on stdio unless told otherwise.

    Calls are rewritten and blocked, results get hints, skills are prompts or load_skill. What has
    no place in MCP (rescue, force, stop, inject) is logged as unavailable.
    """
    from schemas.settings import load_settings
    from tasks.agent.mcp_upstream import read_upstream
    from tasks.workbench import Workbench

    settings = load_settings()
    where = read_upstream(
        upstream,
        environ={k: v for k, v in os.environ.items() if not k.startswith("TACKROOM_")},
        headers=_headers(header or [], settings),
        timeout_s=timeout or None,
    )
    chosen = Workbench.open().harness(environment, harness)
    with _opened(Path(log) if log else _default_log(settings.home)) as stream:
        _tell(chosen, where, mode, Path(stream.name))
        asyncio.run(
            _serve(
                chosen,
                where,
                stream,
                mode,
                budget=budget or None,
                task=task,
                port=port if http else None,
            )
        )


async def _serve(
    harness: "Harness",
    upstream: "Upstream",
    stream: TextIO,
    mode: "Mode",
    *,
    budget: int | None,
    task: str,
    port: int | None,
) -> None:
    from tasks.harness import Sandbox
    from tasks.mcp_face.face import Face
    from tasks.mcp_face.gate import Terms
    from tasks.mcp_face.log import TrafficLog
    from tasks.mcp_face.serving import serve_http, serve_stdio

    async with Sandbox() as sandbox:
        terms = Terms(harness, sandbox, budget, task)
        face = Face(upstream, terms, TrafficLog(stream, lambda: datetime.now(UTC)), mode)
        if port is None:
            await serve_stdio(face)
        else:
            await serve_http(face, port, note)


def _tell(harness: "Harness", upstream: "Upstream", mode: str, log: Path) -> None:
    from tasks.mcp_face.log import UNAVAILABLE

    note(f"{harness.harness_id} before {upstream.shown}, {mode}; log {log}")
    note(f"unavailable over MCP, only logged: {', '.join(UNAVAILABLE)}")


def _headers(words: list[str], settings: "Settings") -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, _, variable = word.partition("=")
        value = settings.secret(variable) if name and variable else None
        if value is None:
            what = f"--header {name[:40]!r} names no variable that is set"
            raise ConfigError(what, hint="give NAME=VARIABLE and put the value into that variable")
        found[name] = value.get_secret_value()
    return found


def _default_log(home: Path) -> Path:
    began = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return home / FOLDER / f"mcp-{began}-{os.getpid()}.jsonl"


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """The log, for its owner's eyes only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as stream:
        yield stream
