"""`sql`, `export`, `doctor`: the warehouse as people query it, take from it and check it."""

from typing import Annotated, Any

import typer

from deployments.commands.options import QUERY, Json
from deployments.console import emit_json, emit_text, note, table

_TABLE_CELL = 100_000
"""Bytes of the longest cell of a table, which pads every line to its width."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("sql")(sql)
    app.command("export")(export)
    app.command("doctor")(doctor)


def sql(
    query: Annotated[
        str,
        typer.Argument(help=QUERY),
    ],
    form: Annotated[str, typer.Option("--format", help="table, csv or json.")] = "table",
    limit: Annotated[int, typer.Option(help="Most rows to return.", min=1)] = 10_000,
    as_json: Json = False,
) -> None:
    """Query the newest published snapshot, read-only; also while flows run."""
    import csv
    import sys

    from schemas.errors import ConfigError
    from schemas.settings import load_settings
    from warehouse.query_guard import QueryLimits, run_query
    from warehouse.store import Warehouse

    shape = "json" if as_json else form
    if shape not in ("table", "csv", "json"):
        what = f"--format: `{shape}` is unknown"
        raise ConfigError(what, hint="one of table, csv, json")
    text = sys.stdin.read() if query == "-" else query
    snapshot = Warehouse(load_settings().home).snapshot
    longest = _TABLE_CELL if shape == "table" else QueryLimits.value_bytes
    limits = QueryLimits(rows=limit, value_bytes=longest)
    result = run_query(snapshot, text, limits=limits)
    if shape == "json":
        answer = {"columns": list(result.columns), "rows": result.records()}
        emit_json(answer | {"truncated": result.is_truncated})
    elif shape == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(result.columns)
        writer.writerows(result.rows)
    else:
        emit_text(table(result.columns, result.rows))
    if result.is_truncated:
        tell = emit_text if shape == "table" else note
        tell(f"truncated: {result.note}")


def export(
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="Training examples as trl-sft or trl-dpo; trajectories as chat, atif or inspect.",
        ),
    ] = "trl-sft",
    out: Annotated[
        str,
        typer.Option(
            help="File of examples or folder of trajectories; in `exports` of the data folder "
            "by default."
        ),
    ] = "",
    cycle: Annotated[
        str, typer.Option(help="Examples: cycle id; by default the newest with examples.")
    ] = "",
    environment: Annotated[str, typer.Option(help="Trajectories: only this environment.")] = "",
    split: Annotated[str, typer.Option(help="Trajectories: train, select or sealed.")] = "",
    as_json: Json = False,
) -> None:
    """Write training examples for a trainer, or trajectories for other tools."""
    if form in ("chat", "atif", "inspect"):
        result = _export_trajectories(form, out, cycle, environment, split)
    else:
        result = _export_examples(form, out, cycle, environment or split)
    if as_json:
        emit_json(result)
    else:
        place = result.get("file") or result.get("folder")
        emit_text(f"{place}: {result['rows']} rows, {result['refused']} refused")


def _export_trajectories(
    form: str, out: str, cycle: str, environment: str, split: str
) -> dict[str, Any]:
    from schemas.errors import ConfigError
    from schemas.forms import read_form
    from schemas.trajectory_forms import TrajectoryExportForm
    from tasks.trajectory_exporting import export_trajectories

    if cycle:
        what = f"`--format {form}` writes trajectories, which belong to no cycle"
        raise ConfigError(what, hint="leave --cycle out; --environment and --split choose")
    values = {"format": form, "out": out, "environment": environment, "split": split}
    return export_trajectories(read_form(TrajectoryExportForm, values))


def _export_examples(form: str, out: str, cycle: str, chosen: str) -> dict[str, Any]:
    from schemas.errors import ConfigError
    from tasks.exporting import export_examples

    if chosen:
        what = f"`--format {form}` writes the examples of a cycle"
        raise ConfigError(what, hint="leave --environment and --split out; --cycle chooses")
    return export_examples(form, out, cycle)


def doctor(
    digest: Annotated[bool, typer.Option("--digest", help="One digest per table.")] = False,
    as_json: Json = False,
) -> int:
    """Check installation and data folder; or print what two equal runs must agree on."""
    from deployments.doctor import check_installation, table_digests

    if digest:
        digests = table_digests()
        if as_json:
            emit_json({"digests": digests})
        else:
            emit_text("\n".join(f"{value}  {name}" for name, value in digests.items()))
        return 0
    findings = check_installation()
    if as_json:
        emit_json({"checks": findings})
    else:
        emit_text(
            table(["check", "ok", "detail"], ([f["check"], f["ok"], f["detail"]] for f in findings))
        )
    return 0 if all(finding["ok"] for finding in findings) else 1
