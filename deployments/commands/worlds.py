"""`env check` and `env new`: whether a world can be used, and a world of the user's own."""

from typing import Annotated, Any, Literal

import typer

from deployments.commands.options import ENVIRONMENT, Json, Seed, SideEffects
from deployments.console import emit_json, emit_text, folded, note, table

Kind = Literal["python", "http", "mcp"]
Judged = Literal["python", "state", "judge"]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("check")(check)
    app.command("new")(new)


def check(
    world: Annotated[str, typer.Argument(metavar="WORLD", help=ENVIRONMENT)],
    tasks: Annotated[int, typer.Option(help="First N tasks of each split; 0 takes all.")] = 0,
    seed: Seed = 7,
    seconds: Annotated[
        float, typer.Option(help="Begin nothing after so many seconds.", min=1)
    ] = 300,
    _effects: SideEffects = False,
    as_json: Json = False,
) -> int:
    """Say what a world keeps and offers, and which stages run in it, with what power."""
    from tasks.world_check import check_worlds

    result = check_worlds(world, tasks=tasks, seed=seed, most_s=seconds)
    texts = map(_check_text, result.get("environments", [result]))
    emit_json(result) if as_json else emit_text("\n\n".join(texts))
    return 0 if result["ok"] else 1


def _check_text(result: dict[str, Any]) -> str:
    name = result["environment"] or "a world that cannot be opened"
    parts = [f"{'ok' if result['ok'] else 'not ok'}: {name} ({result['word']})"]
    if result["environment"]:
        grades = [[g["name"], g["value"], g["note"]] for g in result["grades"].values()]
        parts.append(table(["what", "grade", "note"], grades))
        stages = [[s["stage"], s["runs"], "; ".join(s["why"])] for s in result["stages"]]
        parts.append(table(["stage", "runs", "why not better"], stages))
        gain = result["smallest_gain"]
        shown = "no gain at all" if gain is None else f"a gain of {gain:.1%} or more"
        parts.append(f"select tasks can show {shown} (6 slots, no losses)")
    parts.append("\n".join(map(_finding, result["findings"])) or "nothing was found")
    return "\n\n".join(parts)


def _finding(finding: dict[str, str]) -> str:
    hint = f" ({finding['hint']})" if finding["hint"] else ""
    return folded(f"{finding['severity']}: {finding['what']}{hint}")


def new(
    name: Annotated[str, typer.Argument(help="Name of the world, and of its folder.")],
    kind: Annotated[Kind, typer.Option(help="A factory, an HTTP service or an MCP server.")],
    openapi: Annotated[str, typer.Option(help="OpenAPI 3 file; its operations are tools.")] = "",
    upstream: Annotated[
        str, typer.Option(help="MCP: command or URL. HTTP: base URL, if not the document's.")
    ] = "",
    tasks: Annotated[str, typer.Option(help="CSV or JSONL file; an example without one.")] = "",
    verdict: Annotated[
        Judged | None, typer.Option(help="A function, the state at the end, or a model.")
    ] = None,
    look: Annotated[
        str, typer.Option(help="Where the verdict sees the state: GET /path, or TOOL {JSON}.")
    ] = "",
    reset: Annotated[
        str, typer.Option(help="URL or command before each episode, restart, or none.")
    ] = "none",
    folder: Annotated[str, typer.Option(help="Folder to make it in.")] = ".",
    as_json: Json = False,
) -> None:
    """Make the folder of a world of your own, to be opened by --environment."""
    from tasks.world_new import Wanted, make_world

    wanted = Wanted(
        name=name,
        kind=kind,
        openapi=openapi,
        upstream=upstream,
        tasks=tasks,
        verdict=verdict or ("python" if kind == "python" else "state"),
        look=look,
        reset=reset,
    )
    result = make_world(wanted, folder)
    if as_json:
        emit_json(result)
        return
    emit_text(f"{result['folder']}: {', '.join(result['files'])}")
    for text in result["next"]:
        note(text)
