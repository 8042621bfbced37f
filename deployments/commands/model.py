"""`model check`, `list` and `serve`: endpoints, and a small real model for those without one."""

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
