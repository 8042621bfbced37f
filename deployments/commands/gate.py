"""`tackroom gate`: what a trial will need, how often the gate is wrong, what it foresees."""

from typing import Annotated, Any

import typer

from deployments.commands.group import CommandGroup
from deployments.commands.options import (
    HARNESS,
    Cycle,
    Environment,
    Json,
    Model,
    Seed,
    SideEffects,
    Tasks,
)
from deployments.console import emit_json, emit_text, note, table

app = typer.Typer(help="What the gate can show, and how often it is wrong.", cls=CommandGroup)

Slots = Annotated[int, typer.Option(help="Paired trials a run may start; the threshold is 20 N.")]


@app.command("plan")
def plan(
    environment: Environment = "sqldesk",
    model: Model = "simulated:weak",
    tasks: Tasks = 0,
    slots: Slots = 6,
    repeats: Annotated[int, typer.Option(help="Runs per arm and task.")] = 1,
    loss_rate: Annotated[
        float | None, typer.Option(help="Share of pairs that a useful edit loses.")
    ] = None,
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Say, before any rollout, what +5, +10 and +20 points need and what cannot be shown."""
    from schemas.forms import read_form
    from schemas.gate_forms import PlanForm
    from tasks.gate_planning import plan_gate

    values = {name: value for name, value in locals().items() if name in PlanForm.model_fields}
    result = plan_gate(read_form(PlanForm, values))
    emit_json(result) if as_json else emit_text(_plan_text(result))


def _plan_text(result: dict[str, Any]) -> str:
    label = " (simulated)" if result["simulated"] else ""
    losses = f"losses {result['loss_rate']:.1%} ({result['loss_rate_from']})"
    head = f"{result['environment']}, {result['model']}{label}: {result['tasks']} of "
    head += f"{result['tasks_available']} select tasks, {result['slots']} slots (threshold "
    head += f"{result['threshold']:g}), runs per arm {result['repeats']}, {losses}"
    here = f"power at {result['tasks']}"
    columns = ["gain", "pairs", "mean pairs", "rollouts", "tokens", "cost USD", here]
    rows = [
        [
            f"+{100 * row['gain']:g}",
            *(_or_unknown(row[name]) for name in ("pairs", "mean_pairs", "rollouts")),
            *(_or_unknown(row[name]) for name in ("tokens", "cost_usd")),
            f"{row['power_here']:.2f}",
        ]
        for row in result["gains"]
    ]
    needed = f"needed for power {result['power']:g}"
    return "\n".join([head, "", needed, table(columns, rows), "", *result["advice"]])


def _or_unknown(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:.0f}" if value >= 10 else f"{value:.3g}"


@app.command("calibrate")
def calibrate(
    environment: Environment = "sqldesk",
    model: Annotated[str, typer.Option(help="Model whose replies vary.")] = "simulated:mid",
    temperature: Annotated[
        float | None, typer.Option(help="Temperature of a simulated model.")
    ] = None,
    harness: Annotated[str, typer.Option(help=HARNESS)] = "seed",
    recorded: Annotated[
        str, typer.Option(help="CSV of recorded repeated trials (task_id, trial, reward).")
    ] = "",
    tasks: Annotated[int, typer.Option(help="Most pairs of a candidate; 0 takes all.")] = 120,
    repeats: Annotated[int, typer.Option(help="Runs per arm and task; 0: 1, or all recorded.")] = 0,
    slots: Slots = 6,
    bank: Annotated[int, typer.Option(help="Runs collected per task, then resampled.")] = 8,
    candidates: Annotated[int, typer.Option(help="Useless candidates to try.")] = 500,
    planted: Annotated[int, typer.Option(help="Candidates for each planted effect.")] = 200,
    gain: Annotated[float, typer.Option(help="Planted gain in success, 0 to 1.")] = 0.2,
    loss_rate: Annotated[
        float | None, typer.Option(help="Share of runs a planted edit loses.")
    ] = None,
    rival_tasks: Annotated[int, typer.Option(help="Tasks a rival reads of recorded trials.")] = 15,
    seed: Seed = 7,
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Measure false accepts and power of the gate beside the rules in use elsewhere."""
    from schemas.forms import read_form
    from schemas.gate_forms import CalibrateForm
    from tasks.gate_calibration import calibrate as run

    values = {name: value for name, value in locals().items() if name in CalibrateForm.model_fields}
    form = read_form(CalibrateForm, values)
    result = run(form)
    emit_json(result) if as_json else emit_text(_calibration_text(result))


def _calibration_text(result: dict[str, Any]) -> str:
    label = "simulated " if result["simulated"] else ""
    head = [
        f"{result['environment']}, {label}{result['model']}: {result['runs']} runs of "
        f"{result['tasks']} tasks, success {result['success']:.1%}",
        f"against itself: {result['false_accept']:.2%} of {result['candidates']} candidates "
        f"accepted, {result['undecided']:.1%} undecided, {result['rejected']:.1%} rejected, "
        f"{result['pairs_used']:.1f} pairs used; "
        f"{result['discordant_share'] or 0:.1%} of pairs discordant",
        "",
        "planted effects",
    ]
    columns = ["effect", "win", "loss", "arms", "pairs", "threshold", "accepted", "undecided"]
    columns += ["rejected", "pairs_used"]
    planted = table(columns, ([row[name] for name in columns] for row in result["planted"]))
    rules = ["false_accept", "rejects", "power"]
    rows = [[name, *(row[rule] for rule in rules)] for name, row in result["rivals"].items()]
    rivals = table(["rule", *rules], rows)
    title = f"rules in use elsewhere, on {result['rival_pairs']} pairs"
    return "\n".join([*head, planted, "", title, rivals])


@app.command("repeat")
def repeat(
    edit: Annotated[str, typer.Argument(help="Edit id, or the start of one.")],
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Run the trial an edit was judged by once more, on tasks that trial has not read."""
    from tasks.gate_repeating import repeat_trial

    result = repeat_trial(edit)
    emit_json(result) if as_json else emit_text(_repeat_text(result))


def _repeat_text(result: dict[str, Any]) -> str:
    label = "simulated " if result["simulated"] else ""
    first, fresh = result["first_trial"], result["fresh_tasks"]
    lines = [
        f"{result['edit_id']}, {label}{result['model']} in {result['environment']}: "
        f"{result['verdict']}",
        f"first trial: {first['win']} won, {first['loss']} lost, {first['tie']} tied",
        f"fresh tasks ({fresh['unread']} unread, {fresh['renamed']} renamed): "
        f"{result['wins']} won, {result['losses']} lost, {result['ties']} tied; "
        f"e = {result['e_value']:.4g}, needed {result['threshold']:g}",
    ]
    if result["delta_lo"] is not None and result["delta_hi"] is not None:
        ends = f"{100 * result['delta_lo']:+.1f} to {100 * result['delta_hi']:+.1f}"
        lines.append(f"success {100 * result['delta']:+.1f} points (95 % interval {ends})")
    if result["verdict"] == "undecided" and result["resolvable_gain"] is not None:
        lines.append(f"smallest gain so many tasks resolve: {result['resolvable_gain']:+.1%}")
    return "\n".join(lines)


@app.command("arms")
def arms(
    cycle: Cycle = "",
    arm: Annotated[
        list[str] | None, typer.Option(help="sampling, random or prompt; may stand repeatedly.")
    ] = None,
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Spend a finished cycle's rollouts in other ways and score the same sealed tasks."""
    from flows.compare_arms import run_arms
    from schemas.forms import ArmsForm, read_form

    values = {"cycle_id": cycle} | ({"arms": arm} if arm else {})
    result = run_arms(read_form(ArmsForm, values), lambda stage: stage, note)
    emit_json(result) if as_json else emit_text(_arms_text(result))


def _arms_text(result: dict[str, Any]) -> str:
    label = "simulated " if result["simulated"] else ""
    head = f"{result['cycle_id']}, {label}{result['model']} in {result['environment']}: "
    head += f"{result['rollouts']} rollouts an arm, scored on sealed tasks"
    columns = ["arm", "success", "success_lo", "success_hi", "tasks", "rollouts", "note"]
    return f"{head}\n{table(columns, ([row[name] for name in columns] for row in result['arms']))}"


@app.command("forecast")
def forecast(
    environment: Annotated[str, typer.Option(help="Environment; both embedded by default.")] = "",
    model: Model = "simulated:mid",
    harness: Annotated[str, typer.Option(help=HARNESS)] = "seed",
    edits: Annotated[int, typer.Option(help="Edits to plant and run; 0: stored ones only.")] = 48,
    tasks: Tasks = 0,
    seed: Seed = 7,
    as_json: Json = False,
) -> None:
    """Score forecasts of fixes and regressions, by editor, against full runs of the edits."""
    from schemas.forms import read_form
    from schemas.gate_forms import ForecastForm
    from tasks.gate_forecast import forecast as run

    values = {name: value for name, value in locals().items() if name in ForecastForm.model_fields}
    result = run(read_form(ForecastForm, values))
    emit_json(result) if as_json else emit_text(_forecast_text(result))


def _forecast_text(result: dict[str, Any]) -> str:
    head = [
        f"{row['environment']}, {row['model']}{' (simulated)' if row['simulated'] else ''}: "
        f"{row['edits']} edits planted, {row['rollouts']} rollouts"
        for row in result["worlds"]
    ]
    columns = ["editor", "forecaster", "kind", "edits", "foretold", "happened", "hits"]
    columns += ["precision", "recall"]
    rows = ([row[name] for name in columns] for row in result["editors"])
    return "\n".join([*head, "", table(columns, rows)])


@app.command("trial")
def trial(
    cycle: Annotated[
        str, typer.Option(help="Cycle of `tackroom mcp`; the newest of those by default.")
    ] = "",
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Try the open edits an agent proposed over MCP: paired, as one bundle, in one slot."""
    from tasks.outside_cycle import try_outside

    result = try_outside(cycle)
    if as_json:
        emit_json(result)
        return
    tried = f"{len(result['edits'])} edits tried, {result['accepted']} accepted"
    emit_text(f"{result['cycle_id']} round {result['round']}: {tried}; {result['harness_id']}")
