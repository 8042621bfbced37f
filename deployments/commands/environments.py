"""`tackroom env`: worlds of other people that can be installed, and the user's own."""

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from deployments.commands import worlds
from deployments.commands.group import CommandGroup
from deployments.commands.options import Json
from deployments.console import emit_json, emit_text, table

app = typer.Typer(help="Worlds: those to install, and your own.", cls=CommandGroup)
worlds.register(app)

World = Annotated[str, typer.Argument(metavar="WORLD", help="A world of `tackroom env list`.")]

Files = Annotated[
    Path | None,
    typer.Option(
        "--path",
        metavar="PATH",
        help="Your checkout or data, for a world made of files that no package has.",
    ),
]


@app.command("list")
def list_them(as_json: Json = False) -> None:
    """Show the environments that can be opened here and the worlds that can be installed."""
    from tasks.world_catalogue import list_worlds

    found = list_worlds()
    if as_json:
        emit_json(found)
        return
    emit_text(f"ready: {', '.join(found['ready'])}\n")
    rows = [
        [world["world"], world["state"], ", ".join(world["environments"]), world["about"]]
        for world in found["worlds"]
    ]
    emit_text(table(["world", "state", "environments", "what it is"], rows))


@app.command("install")
def install_one(world: World, path: Files = None, as_json: Json = False) -> None:
    """Install a world into a virtual environment of its own in the data folder."""
    from tasks.world_catalogue import install_world

    result = install_world(world, path)
    if as_json:
        emit_json(result)
        return
    said = "was installed already" if result["already_done"] else "installed"
    emit_text(f"{result['world']} {said}; use it as")
    for name, tasks in result["environments"].items():
        emit_text(f"  --environment {name:<20} {_counts(tasks)}")


@app.command("remove")
def remove_one(world: World, as_json: Json = False) -> None:
    """Remove an installed world; what was collected in it stays."""
    from tasks.world_catalogue import remove_world

    result = remove_world(world)
    if as_json:
        emit_json(result)
        return
    said = "was not there" if result["already_done"] else "removed"
    emit_text(f"{result['world']} {said}")


def _counts(tasks: dict[str, Any] | None) -> str:
    from schemas.fields import Split

    return ", ".join(f"{tasks[split]} {split}" for split in get_args(Split)) if tasks else ""
