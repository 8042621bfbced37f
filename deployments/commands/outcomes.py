"""`tackroom outcome`: verdicts that come later, such as those of production."""

from typing import Annotated, Any

import typer

from deployments.commands.options import Json
from deployments.console import emit_json, emit_text, note, table

PARTIAL = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("outcome")(outcome)


def outcome(
    file: Annotated[str, typer.Argument(help="CSV or JSON lines: a key and success or reward.")],
    source: Annotated[str, typer.Option(help="Who judged; the file's name by default.")] = "",
    environment: Annotated[str, typer.Option(help="Only episodes of this environment.")] = "",
    as_json: Json = False,
) -> int:
    """Record verdicts that came later, by session, trajectory, or file and position."""
    from tasks.outcomes import PROBLEMS, take_outcomes

    result = take_outcomes(file, source, environment)
    if as_json:
        emit_json(result)
    else:
        _tell(result, PROBLEMS)
    if not result["recorded"] + result["already"]:
        note(f"tackroom: no verdict of {file} could be used (see `docs/production.md`)")
        return 1
    return PARTIAL if any(result[kind] for kind in PROBLEMS) else 0


def _tell(result: dict[str, Any], problems: tuple[str, ...]) -> None:
    told = [f"{result['recorded']} recorded", f"{result['already']} known already"]
    told += [f"{result[kind]} {kind}" for kind in problems if result[kind]]
    emit_text(f"{result['file']}, source {result['source']}: {', '.join(told)}")
    if result["problems"]:
        columns = ["line", "problem", "key", "reason"]
        emit_text(table(columns, ([row[name] for name in columns] for row in result["problems"])))
    if result["problems_left_out"]:
        emit_text(f"and {result['problems_left_out']} more")
