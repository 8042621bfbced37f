"""`tackroom runtime verdict`: what production says of a harness."""

from typing import Annotated, Any

import typer

from deployments.commands.options import HARNESS, Json
from deployments.commands.releases import PRODUCTION
from deployments.console import emit_json, emit_text


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verdict")(verdict)


def verdict(
    environment: Annotated[str, typer.Option(help=PRODUCTION)],
    harness: Annotated[
        str, typer.Option(help=f"Harness that is tried; the newest by default. {HARNESS}")
    ] = "",
    alpha: Annotated[
        float, typer.Option(help="Chance allowed of any verdict when the arms do not differ.")
    ] = 0.05,
    as_json: Json = False,
) -> None:
    """Say whether a harness is better or worse in production; look as often as you like."""
    from tasks.production import judge_production

    result = judge_production(environment, harness, alpha)
    if as_json:
        emit_json(result)
    else:
        _tell(result)


def _tell(result: dict[str, Any]) -> None:
    control = result["control_harness_id"] or "no harness"
    emit_text(f"{result['environment']}: {result['treatment_harness_id']} against {control}")
    evidence = f"e = {result['e_value']:.4g}, needed {result['threshold']:g}"
    emit_text(f"  verdict     {result['outcome']}  ({evidence})")
    if result["decided"] and result["decided"]["verdict_id"] != result["verdict_id"]:
        first = result["decided"]
        sessions = first["treated"] + first["controls"]
        emit_text(f"  decided     {first['created_at'][:19]} after {sessions} sessions")
    emit_text(f"  treated     {_arm(result, 'treated')}")
    emit_text(f"  control     {_arm(result, 'control')}")
    if result["difference"] is not None:
        limits = f"{100 * result['difference_lo']:+.1f} to {100 * result['difference_hi']:+.1f}"
        level = f"{100 * (1 - result['alpha']):g} %"
        emit_text(f"  difference  {100 * result['difference']:+.1f} points ({level}: {limits})")
    if result["outcome"] == "undecided":
        shown = result["resolvable"]
        least = "none" if shown is None else f"{100 * shown:.1f} points and more"
        emit_text(f"  could show  {least} (power .8)")
    if result["other_comparisons"]:
        emit_text(f"  besides     {result['other_comparisons']} other comparisons; see --harness")
    for text in result["notes"]:
        emit_text(f"  note        {text}")


def _arm(result: dict[str, Any], arm: str) -> str:
    known = result["treated" if arm == "treated" else "controls"]
    share = f"{result[f'{arm}_successes'] / known:.1%}, " if known else ""
    counts = f"{result[f'{arm}_successes']} of {known} sessions"
    return f"{share}{counts}; {result[f'{arm}_unknown']} unknown"
