"""`tackroom harness card` and `verify`: the evidence of a harness, and whether its tools stayed."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from deployments.commands.options import HARNESS, Json
from deployments.console import emit_json, emit_text, folded, table

if TYPE_CHECKING:
    from schemas.evidence import Acceptance, EvidenceCard, Score

_SHOWN_PLACES = 3
Which = Annotated[str, typer.Argument(metavar="HARNESS", help=HARNESS)]
Environment = Annotated[str, typer.Option(help="Environment whose names are meant.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("card")(card)
    app.command("verify")(verify)


def card(which: Which, environment: Environment = "", as_json: Json = False) -> int:
    """Show on what a harness was accepted; of a folder, what was exported with it."""
    from tasks.evidence_card import find_card

    harness, found = find_card(which, environment)
    if as_json:
        none = {"harness_id": harness.harness_id, "status": "none"}
        emit_json(none if found is None else found.model_dump(mode="json"))
    elif found is None:
        emit_text(f"{harness.harness_id}  {harness.environment}  no evidence.json in the folder")
    else:
        _show(found)
    return 0


def verify(
    which: Which,
    tools: Annotated[str, typer.Option(help="JSON file of the tool definitions of today.")],
    environment: Environment = "",
    as_json: Json = False,
) -> int:
    """Compare the tools of today with those a harness was accepted with; 1 when it cannot run."""
    from tasks.tool_check import check_tools

    result = check_tools(which, tools, environment)
    if as_json:
        emit_json(result)
    else:
        _tell(result)
    return 1 if result["verdict"] == "refused" else 0


def _show(found: "EvidenceCard") -> None:
    emit_text(f"{found.harness_id}  {found.environment}  {found.status}")
    emit_text(found.note)
    for one in found.acceptances:
        emit_text("")
        _show_acceptance(one)
    if found.acceptances_left_out:
        emit_text(f"\nand {found.acceptances_left_out} earlier trials")
    if found.tools is not None:
        emit_text(f"\ntools       {', '.join(found.tools)}")


def _show_acceptance(one: "Acceptance") -> None:
    simulated = " (simulated)" if one.simulated else ""
    emit_text(f"{one.accepted_at}  {one.cycle_id} round {one.round}, {one.model}{simulated}")
    against = f" against {one.against_harness_id}" if one.against_harness_id else ""
    emit_text(
        f"trial       {one.tried_harness_id or 'unknown'}{against}, {one.tasks} {one.split} tasks"
    )
    if one.e_value is not None and one.threshold is not None:
        pairs = f"{one.wins} won, {one.losses} lost, {one.ties} tied"
        emit_text(f"pairs       {pairs}; e = {one.e_value:.4g}, needed {one.threshold:g}")
    if one.effect_points is not None:
        limits = f"{one.effect_lo_points:+.1f} to {one.effect_hi_points:+.1f}"
        emit_text(f"effect      {one.effect_points:+.1f} points (95 %: {limits})")
    emit_text(f"losses      {one.regressions} regressions counted, no must-pass task lost")
    told = one.forecast
    came = f"{told.realised_fixes} of {told.observed_fixes} that were run again came true"
    emit_text(
        f"foretold    {told.fixes} fixes; {came}; {told.unpredicted_losses} losses unforeseen"
    )
    emit_text(f"sealed      {_score(one.sealed_base)} before, {_score(one.sealed_final)} with it")
    rows = [[edit.layer, edit.artifact, edit.editor, edit.title] for edit in one.edits]
    emit_text(table(["layer", "artifact", "editor", "title"], rows))
    if one.edits_left_out:
        emit_text(f"and {one.edits_left_out} more edits")


def _score(score: "Score | None") -> str:
    if score is None or score.success is None:
        return "not scored"
    return f"{score.success:.1%} of {score.tasks}"


def _tell(result: dict[str, Any]) -> None:
    emit_text(f"{result['harness_id']}  {result['environment']}  {result['verdict']}")
    if not result["has_evidence"]:
        emit_text(f"warning: {result['warnings'][0]}")
    for one in result["tools"]:
        mark = "  REFUSED" if one["refused"] else ""
        emit_text(f"{one['tool']}: {one['status']}{mark}")
        for change in one["changes"]:
            emit_text(folded(f"  {change}", 4))
        if one["named"]:
            places = "; ".join(one["places"][:_SHOWN_PLACES])
            more = len(one["places"]) - _SHOWN_PLACES
            emit_text(folded(f"  named, {one['named']}: {places}", 4))
            if more > 0:
                emit_text(f"    and in {more} more places")
