"""`sql`, `export`, `doctor`: the warehouse as people query it, take from it and check it."""

from typing import Annotated

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
    form: Annotated[str, typer.Option("--format", help="trl-sft or trl-dpo.")] = "trl-sft",
    out: Annotated[
        str, typer.Option(help="File to write; in `exports` of the data folder by default.")
    ] = "",
    cycle: Annotated[str, typer.Option(help="Cycle id; by default the newest with examples.")] = "",
    as_json: Json = False,
) -> None:
    """Write training examples as JSONL for a trainer."""
    from tasks.exporting import export_examples

    result = export_examples(form, out, cycle)
    if as_json:
        emit_json(result)
    else:
        emit_text(f"{result['file']}: {result['rows']} rows, {result['refused']} refused")


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
