"""`init`, `cycle`, `up`: the data folder, one evolution cycle, and served deployments."""

from typing import Annotated

import typer

from deployments.commands.bounds import show_bounds
from deployments.commands.options import (
    EDITOR,
    HARNESS,
    KEEP,
    MODEL,
    RECORD,
    SCHEDULE,
    Agent,
    Concurrency,
    DryRun,
    Environment,
    Json,
    Loop,
    MaxTokens,
    MaxUsd,
    Model,
    Repeats,
    Seed,
    SideEffects,
    Tasks,
)
from deployments.console import emit_json, emit_text, folded, note


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("init")(init)
    app.command("cycle")(cycle)
    app.command("up")(up)


def init(as_json: Json = False) -> None:
    """Make the data folder, an empty warehouse with a snapshot, and the seed harnesses."""
    from tasks.seeding import store_seeds

    result = store_seeds()
    if as_json:
        emit_json(result)
    else:
        emit_text(f"{result['home']}: {len(result['harnesses'])} seed harnesses")


def cycle(
    environment: Environment = "sqldesk",
    model: Model = "simulated:weak",
    agent: Agent = "",
    loop: Loop = "tool_call",
    reference: Annotated[str, typer.Option(help=f"Compared with: {MODEL}")] = "simulated:strong",
    editor: Annotated[str, typer.Option(help=EDITOR)] = "rules",
    harness: Annotated[str, typer.Option(help=HARNESS)] = "seed",
    objective: Annotated[
        str, typer.Option(help="What wins a pair: success, or executable, the share of actions.")
    ] = "success",
    seed: Seed = 7,
    rounds: Annotated[int, typer.Option(help="Most edit rounds.")] = 3,
    slots: Annotated[int, typer.Option(help="Paired trials; e needed is 20 times this.")] = 6,
    tasks: Tasks = 0,
    repeats: Repeats = 1,
    exposures: Annotated[
        int, typer.Option(help="Train forks a round ranks edits by; 0 leaves them out.")
    ] = 32,
    patience: Annotated[
        int, typer.Option(help="So many rounds in a row without a commit end the editing.")
    ] = 1,
    most_rollouts: Annotated[
        int, typer.Option(help="No round starts after so many rollouts; 0 sets no limit.")
    ] = 0,
    approval: Annotated[
        str, typer.Option(help="none, or required: a person approves edits in the Prefect UI.")
    ] = "none",
    approval_timeout_s: Annotated[
        int, typer.Option(help="Edits that nobody approves in this time are rejected.")
    ] = 86_400,
    record: Annotated[str, typer.Option(help=RECORD)] = "",
    concurrency: Concurrency = 0,
    max_usd: MaxUsd = 0.0,
    max_tokens: MaxTokens = 0,
    dry_run: DryRun = False,
    keep_server: Annotated[bool, typer.Option(help=KEEP)] = False,
    _effects: SideEffects = False,
    as_json: Json = False,
) -> int:
    """Run one evolution cycle: collect, annotate, edit and gate, diagnose, synthesize."""
    from schemas.forms import CycleForm, read_form

    values = {name: value for name, value in locals().items() if name in CycleForm.model_fields}
    form = read_form(CycleForm, values)
    if dry_run:
        from tasks.run_bounds import bound_cycle

        show_bounds(bound_cycle(form), as_json)
        return 0
    from deployments.running import run_cycle_flow

    summary = run_cycle_flow(form, keep_server=keep_server, note=note)
    from tasks.reporting import is_without_editor, render_summary

    if as_json:
        emit_json(summary)
    else:
        emit_text(folded(render_summary(summary), indent=10))
    return 3 if is_without_editor(summary) else 0


def up(
    port: Annotated[int, typer.Option(help="Loopback port of the server; 0 takes a free one.")] = 0,
    schedule: Annotated[str, typer.Option(help=SCHEDULE)] = "0 2 * * *",
) -> None:
    """Start a server and serve every deployment, the cycle on a schedule, until interrupted."""
    from deployments.up import serve_all

    serve_all(port=port or None, schedule=schedule, note=note)
