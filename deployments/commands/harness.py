"""`tackroom harness`: list, show, compare and take out stored harnesses."""

from typing import Annotated

import typer

from deployments.console import emit_json, emit_text, table

app = typer.Typer(help="Stored harnesses.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Which = Annotated[
    str, typer.Argument(help="Harness id, start of an id, or a name such as current.")
]
Environment = Annotated[str, typer.Option(help="Environment whose names are meant.")]


@app.command("list")
def list_harnesses(
    environment: Annotated[str, typer.Option(help="Only this environment.")] = "",
    as_json: Json = False,
) -> None:
    """List stored harnesses with their names, layers and success."""
    from tasks.harness_store import stored_harnesses

    rows = stored_harnesses(environment)
    if as_json:
        emit_json({"harnesses": rows})
    else:
        columns = ["harness_id", "environment", "names", "artifacts", "delivery"]
        shown = [
            row | {"names": ", ".join(row["names"]), "artifacts": row["artifact_count"]}
            for row in rows
        ]
        emit_text(table(columns, ([row[name] for name in columns] for row in shown)))


@app.command("show")
def show(which: Which, environment: Environment = "", as_json: Json = False) -> None:
    """Show the artifacts and files of one harness."""
    from tasks.harness_store import describe_harness, find_harness

    described = describe_harness(find_harness(which, environment))
    if as_json:
        emit_json(described)
        return
    emit_text(f"{described['harness_id']}  {described['environment']}")
    rows = described["artifacts"]
    emit_text(
        table(
            ["layer", "name", "description"],
            ([r["layer"], r["name"], r["description"]] for r in rows),
        )
    )
    for path, text in described["files"].items():
        emit_text(f"\n--- {path}\n{text}")


@app.command("diff")
def diff(
    old: Which,
    new: Annotated[str, typer.Argument(help="The other harness.")],
    environment: Environment = "",
    as_json: Json = False,
) -> None:
    """Show what differs between two harnesses as a unified diff."""
    from tasks.harness import diff as unified
    from tasks.harness_store import find_harness

    before, after = find_harness(old, environment), find_harness(new, environment)
    text = unified(before, after)
    if as_json:
        emit_json({"old": before.harness_id, "new": after.harness_id, "diff": text})
    else:
        emit_text(text)


@app.command("export")
def export(
    which: Which,
    out: Annotated[str, typer.Option(help="Folder to write.")],
    environment: Environment = "",
    as_json: Json = False,
) -> None:
    """Write a harness as a folder that `tackroom-runtime` loads."""
    from tasks.harness_store import export_harness

    result = export_harness(which, environment, out)
    if as_json:
        emit_json(result)
    else:
        emit_text(f"{result['folder']}: {result['harness_id']}")


@app.command("history")
def history(
    artifact: Annotated[str, typer.Argument(help="Only this artifact; empty takes all.")] = "",
    environment: Annotated[str, typer.Option(help="Only this environment.")] = "",
    as_json: Json = False,
) -> None:
    """Tell each artifact's story: proposals, verdicts, kept promises, what it did in runs."""
    from tasks.harness_history import artifact_histories, tell_history

    found = artifact_histories(environment, artifact)
    if as_json:
        emit_json({"artifacts": found})
        return
    for story in found:
        for line in tell_history(story):
            emit_text(line)
