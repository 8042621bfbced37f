"""`mcp`: a coding agent drives an evolution."""

import asyncio
from typing import Annotated

import typer

from deployments.commands.options import HARNESS, Environment, Json, Model, Seed, SideEffects, Tasks
from deployments.console import emit_json, emit_text, note


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mcp")(mcp)


def mcp(
    environment: Environment = "sqldesk",
    model: Model = "simulated:weak",
    harness: Annotated[str, typer.Option(help=HARNESS)] = "seed",
    seed: Seed = 7,
    tasks: Tasks = 0,
    slots: Annotated[int, typer.Option(help="Paired trials; e needed is 20 times this.")] = 6,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Run and label the train tasks, and end.")
    ] = False,
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Serve MCP on stdio to a coding agent that proposes edits of a harness.

    It sees train rows only, and its edits meet the checks of every editor. `--prepare` comes
    first; `tackroom gate trial` gives what it proposed a paired trial.
    """
    from schemas.forms import CycleForm, read_form
    from tasks.outside_cycle import prepare_outside, prepared_plan

    values = {name: value for name, value in locals().items() if name in CycleForm.model_fields}
    form = read_form(CycleForm, values)
    if prepare:
        result = prepare_outside(form)
        said = f"{result['cycle_id']}: {result['trajectories']} train runs, "
        said += f"{result['patterns']} patterns; {result['harness_id']}"
        emit_json(result) if as_json else emit_text(said)
        return
    plan = prepared_plan(form)
    from tasks.outside_tools import serve_outside
    from tasks.workbench import Workbench

    note(f"{plan.cycle_id}: waiting for an agent on stdin")
    asyncio.run(serve_outside(Workbench.open(), plan))
