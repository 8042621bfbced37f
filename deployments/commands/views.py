"""`show` and `report`: why something happened, for people."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from deployments.commands.options import Json
from deployments.console import emit_json, emit_text, output_width


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("show")(show)
    app.command("report")(report)


def show(
    which: Annotated[str, typer.Argument(help="Id of a trajectory, an edit or an evaluation.")],
    html: Annotated[str, typer.Option(help="Write a page to this file instead.")] = "",
    pairs: Annotated[
        int | None, typer.Option(help="Won pairs, and lost pairs, to show of an edit.", min=0)
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a trajectory by steps, an edit with the pairs it won and lost, or an evaluation."""
    from tasks.showing import show_html, show_record, show_text

    if html:
        file = str(show_html(which, Path(html), pairs=pairs))
        if as_json:
            emit_json({"file": file})
        else:
            emit_text(file)
    elif as_json:
        emit_json(show_record(which, pairs=pairs))
    else:
        emit_text(show_text(which, color=_has_color(), pairs=pairs, width=output_width()))


def report(
    out: Annotated[str, typer.Option(help="File to write.")],
    cycle: Annotated[str, typer.Option(help="Cycle id or its start; the newest by default.")] = "",
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML page about a cycle."""
    from tasks.report_page import write_report

    result = write_report(cycle, Path(out))
    if as_json:
        emit_json(result)
    else:
        emit_text(result["file"])


def _has_color() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
