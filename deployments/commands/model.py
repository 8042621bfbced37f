"""`model check`, `list` and `serve`: endpoints, and a small real model for those without one."""

import sys
from typing import Annotated, Any

import typer

from deployments.commands.group import CommandGroup
from deployments.commands.options import Json
from deployments.console import emit_json, emit_text, folded, table

app = typer.Typer(
    cls=CommandGroup, help="Models behind endpoints.", rich_markup_mode=None, add_completion=False
)


@app.command("check")
def check(
    name: Annotated[str, typer.Argument(help="A [models.NAME], else a model at OPENAI_BASE_URL.")],
    as_json: Json = False,
) -> int:
    """Ask an endpoint what it can do, and say what to change; note who answers there."""
    from tasks.model_checking import check_model

    result = check_model(name)
    if as_json:
        emit_json(result)
    else:
        emit_text(_told(result))
    return 0 if result["usable"] else 1


def _told(result: dict[str, Any]) -> str:
    rows = [(one["probe"], one["status"], one["seen"]) for one in result["findings"]]
    state = "usable" if result["usable"] else "not usable"
    lines = [f"{result['model']} at {result['url']} in mode {result['mode']}: {state}"]
    if result["is_changed"]:
        lines.append("Somebody else answers than was noted: runs from now on are runs of another.")
    lines += [f"change: {text}" for text in result["changes"]]
    lines.append(f"{result['requests']} requests, {result['tokens']} tokens")
    said = [table(("probe", "status", "seen"), rows), *(folded(line) for line in lines)]
    return "\n".join(said)


@app.command("list")
def list_all(as_json: Json = False) -> None:
    """List the models a command may name; no endpoint is asked."""
    from schemas.settings import load_settings
    from tasks.model_checking import list_models

    rows = list_models(load_settings())
    if as_json:
        emit_json({"models": rows})
        return
    columns = ("model", "url", "served", "mode", "key", "price", "noted")
    emit_text(table(columns, ([row.get(column) for column in columns] for row in rows)))


@app.command("serve")
def serve(
    name: Annotated[str, typer.Argument(help="smollm2, a real model of 135 M parameters.")],
    port: Annotated[int, typer.Option(help="Loopback port; 0 takes a free one.")] = 0,
    threads: Annotated[int, typer.Option(help="Threads; 0 takes all.")] = 0,
    as_json: Json = False,
) -> None:
    """Serve a small real model on loopback until interrupted; the first time installs it."""
    from deployments.local_model import Serving, serve_until_told
    from schemas.settings import load_settings

    def tell(serving: Serving) -> None:
        if as_json:
            emit_json({"url": serving.url, "model": serving.model, "toml": serving.toml})
        else:
            emit_text(f"{serving.toml}\n\n{serving.url}; stop with Ctrl-C")
        sys.stdout.flush()

    serve_until_told(name, load_settings().home, port=port, threads=threads, tell=tell)
