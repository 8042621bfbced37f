"""`tackroom harness skills`: Agent Skills folders into a stored harness, and out of one."""

from typing import Annotated

import typer

from deployments.commands.options import HARNESS, Json
from deployments.console import emit_json, emit_text

PARTIAL = 3
app = typer.Typer(help="Skills from and for other agents.", no_args_is_help=True)

Environment = Annotated[str, typer.Option(help="Environment of the harness.")]


@app.command("import")
def import_folder(
    folder: Annotated[str, typer.Argument(help="Folder of NAME/SKILL.md, or of one skill.")],
    environment: Environment = "",
    harness: Annotated[str, typer.Option(help=f"Harness to add them to: {HARNESS}")] = "current",
    as_json: Json = False,
) -> int:
    """Store a new harness with the skills of a folder in it; no name points to it."""
    from tasks.skill_folders import import_skills

    result = import_skills(folder, environment, harness)
    if as_json:
        emit_json(result)
    else:
        state = "" if result["new"] else "  stored already"
        emit_text(f"{result['harness_id']}  {result['environment']}{state}")
        for name, change in result["skills"].items():
            emit_text(f"  {change:<10} {name}")
        for word, key in (("refused", "refused_skills"), ("ignored", "ignored_files")):
            for one in result[key]:
                emit_text(f"  {word:<10} {one['path']}: {one['reason']}")
    return PARTIAL if result["refused_skills"] else 0


@app.command("export")
def export_folder(
    which: Annotated[str, typer.Argument(metavar="HARNESS", help=HARNESS)],
    folder: Annotated[str, typer.Argument(help="Folder to write NAME/SKILL.md into.")],
    environment: Annotated[str, typer.Option(help="Environment whose names are meant.")] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over skills of the same name.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write the skills of a harness as a folder that coding agents load."""
    from tasks.skill_folders import export_skills

    result = export_skills(which, environment, folder, replace=replace)
    if as_json:
        emit_json(result)
        return
    emit_text(f"{result['folder']}: {result['harness_id']}")
    for name, is_changed in result["skills"].items():
        emit_text(f"  {'written' if is_changed else 'unchanged':<10} {name}")
