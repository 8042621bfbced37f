"""`tackroom harness`: list, show, compare, release and take out stored harnesses."""

from typing import Annotated, Any

import typer

from deployments.commands import evidence, releases, skills
from deployments.commands.group import CommandGroup
from deployments.commands.options import HARNESS, Json
from deployments.console import emit_json, emit_text, plain_text, table

app = typer.Typer(help="Stored harnesses.", cls=CommandGroup)
app.add_typer(skills.app, name="skills")
releases.register(app)
evidence.register(app)

Which = Annotated[str, typer.Argument(help=HARNESS)]
Environment = Annotated[str, typer.Option(help="Environment whose names are meant.")]


@app.command("list")
def list_harnesses(
    environment: Annotated[str, typer.Option(help="Only this environment.")] = "",
    as_json: Json = False,
) -> None:
    """List stored harnesses with state, names, layers, success on select and sealed."""
    from tasks.harness_store import stored_harnesses

    rows = stored_harnesses(environment)
    if as_json:
        emit_json({"harnesses": rows})
    else:
        columns = ["harness_id", "environment", "state", "names", "layers", "artifacts"]
        emit_text(table([*columns, *_SHOWN_SPLITS], (_row(row) for row in rows)))


_SHOWN_SPLITS = ("select", "sealed")
_ALL_LAYERS = 4


def _row(row: dict[str, Any]) -> list[object]:
    layers = "all" if len(row["layers"]) == _ALL_LAYERS else plain_text(row["layers"])
    first = [row["harness_id"], row["environment"], row["state"], ", ".join(row["names"]), layers]
    scores = [
        _success([s for s in row["success"] if s["split"] == split]) for split in _SHOWN_SPLITS
    ]
    return [*first, row["artifact_count"], *scores]


def _success(scores: list[dict[str, Any]]) -> str:
    """Success in percent; with its model where more than one was scored."""
    if len(scores) == 1:
        return f"{scores[0]['success']:.1%}"
    return ", ".join(f"{score['model']} {score['success']:.1%}" for score in scores)


@app.command("show")
def show(which: Which, environment: Environment = "", as_json: Json = False) -> None:
    """Show the artifacts and files of one harness."""
    from tasks.harness_store import describe_harness, find_harness

    described = describe_harness(find_harness(which, environment))
    if as_json:
        emit_json(described)
        return
    reason = f": {described['state_reason']}" if described["state_reason"] else ""
    head = f"{described['harness_id']}  {described['environment']}  {described['state']}"
    emit_text(head + reason)
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
    new: Annotated[str, typer.Argument(help=f"The other harness: {HARNESS}")],
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
    out: Annotated[str, typer.Option(help="Folder to write: new, empty, or with a harness in it.")],
    environment: Environment = "",
    as_json: Json = False,
) -> None:
    """Write a harness, and on what it was accepted, as a folder that `tackroom-runtime` loads."""
    from tasks.harness_store import export_harness

    result = export_harness(which, environment, out)
    if as_json:
        emit_json(result)
    else:
        known = "" if result["evidence"] == "accepted" else "  without evidence"
        emit_text(f"{result['folder']}: {result['harness_id']}{known}")


@app.command("inventory")
def inventory(
    environment: Annotated[str, typer.Option(help="Only this environment.")] = "",
    as_json: Json = False,
) -> None:
    """List what edits have brought into accepted harnesses, with evidence, and those shipped."""
    from tasks.harness_inventory import evolved_components

    found = evolved_components(environment)
    if as_json:
        emit_json(found)
        return
    for name, by_layer in found["counts"].items():
        emit_text(f"{name}: {plain_text(by_layer)}")
    if not found["components"]:
        emit_text("no accepted harness holds an evolved component")
    else:
        columns = ["environment", "layer", "artifact", "states", "in_force", "harnesses"]
        columns += ["versions", "accepted_edits", "e_value", "wins", "losses", "delta"]
        emit_text(table(columns, ([row[name] for name in columns] for row in found["components"])))
    if found["shipped"]:
        emit_text("\nshipped, used as --harness evolved:")
        columns = list(found["shipped"][0])
        emit_text(table(columns, ([row[name] for name in columns] for row in found["shipped"])))


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
