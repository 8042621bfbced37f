"""`tackroom harness promote` and `rollback`: which harness production gets."""

from typing import Annotated, Any

import typer

from deployments.commands.options import HARNESS, Json
from deployments.console import emit_json, emit_text
from schemas.errors import ConfigError

PRODUCTION = "Environment whose agents in production are meant."

Environment = Annotated[str, typer.Option(help=PRODUCTION)]
Reason = Annotated[str, typer.Option(help="Why; kept with the decision.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("promote")(promote)
    app.command("rollback")(rollback)


def promote(
    which: Annotated[str, typer.Argument(metavar="HARNESS", help=HARNESS)],
    environment: Environment,
    to: Annotated[str, typer.Option(help="canary or released; the next state by default.")] = "",
    reason: Reason = "",
    force: Annotated[
        bool, typer.Option("--force", help="Also when the gate accepted no edit of it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a harness the canary of an environment or its release; running proxies follow."""
    from tasks.releases import promote as carry_out

    if to not in ("", "canary", "released"):
        what = f"--to: `{to[:60]}` is no state that a harness is promoted to"
        raise ConfigError(what, hint="canary or released")
    _tell(carry_out(which, environment, to, reason=reason, force=force), as_json)


def rollback(
    environment: Environment,
    reason: Reason = "",
    canary: Annotated[
        bool, typer.Option("--canary", help="Withdraw the canary and leave the release.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Return to the harness released before, and withdraw the canary; running proxies follow."""
    from tasks.releases import rollback as carry_out

    _tell(carry_out(environment, reason, canary=canary), as_json)


def _tell(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit_json(result)
        return
    said = "is already" if result["already_done"] else "is now"
    if result["harness_id"]:
        emit_text(f"{result['harness_id']} {said} {result['state']} in {result['environment']}")
    for word in ("released", "previous", "canary"):
        emit_text(f"  {word:<9} {result[word] or '-'}")
