"""`evaluate` and `transfer`: scores as a matrix, paired, with what they rest on."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from deployments.commands.bounds import show_bounds
from deployments.commands.options import (
    EDITOR,
    ENVIRONMENT,
    HARNESS,
    LAYER,
    LOOP,
    MODEL,
    SEVERAL,
    Agent,
    Concurrency,
    DryRun,
    Environment,
    Json,
    Loop,
    MaxTokens,
    MaxUsd,
    Seed,
    SideEffects,
    Tasks,
)
from deployments.console import emit_json, emit_text, note, output_width

if TYPE_CHECKING:
    from schemas.evaluation_forms import EvaluateForm

Split = Annotated[str, typer.Option(help="train, select, sealed or all.")]
Trials = Annotated[
    int,
    typer.Option(
        "--trials", "--repeats", help="Runs per task, for pass^k; 1 where the model is fixed."
    ),
]
_UNASKED = ("as_json", "_effects", "dry_run")
_CAPS = ("max_usd", "max_tokens", "concurrency")
Rounds = Annotated[int, typer.Option(help="Most edit rounds of a cycle.")]
Slots = Annotated[int, typer.Option(help="Paired trials of a cycle.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("evaluate")(evaluate)
    app.command("transfer")(transfer)


def evaluate(
    environments: Annotated[
        str, typer.Option("--environment", "--environments", help=f"{ENVIRONMENT} {SEVERAL}")
    ] = "sqldesk",
    models: Annotated[
        str, typer.Option("--model", "--models", help=f"{MODEL} {SEVERAL}")
    ] = "simulated:weak",
    agent: Agent = "",
    loops: Annotated[
        str, typer.Option("--loop", "--loops", help=f"{LOOP} {SEVERAL}")
    ] = "tool_call",
    harnesses: Annotated[
        str,
        typer.Option(
            "--harness", "--harnesses", help=f"{HARNESS} {SEVERAL} The first is compared with."
        ),
    ] = "",
    editors: Annotated[
        str,
        typer.Option(
            "--editor", "--editors", help=f"Evolve every model with each first: {EDITOR} {SEVERAL}"
        ),
    ] = "",
    split: Split = "",
    without: Annotated[str, typer.Option(help=LAYER)] = "",
    layers: Annotated[
        str, typer.Option(help="leave-one-out, add-one-in or both: every layer in turn, paired.")
    ] = "",
    source: Annotated[
        str, typer.Option(help="One of the models: gains of the others against its gain.")
    ] = "",
    seed: Seed = 7,
    tasks: Tasks = 0,
    trials: Trials = 1,
    rounds: Rounds = 3,
    slots: Slots = 6,
    _effects: SideEffects = False,
    concurrency: Concurrency = 0,
    max_usd: MaxUsd = 0.0,
    max_tokens: MaxTokens = 0,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> int:
    """Score models in harnesses, worlds and loops, paired; gold and noop run on all splits."""
    given = {name: value for name, value in locals().items() if name not in _UNASKED}
    if dry_run:
        from tasks.run_bounds import bound_evaluate

        show_bounds(bound_evaluate(_grid_form(given)), as_json)
        return 0
    return _emit(_editors(given) if editors else _grid(given), as_json)


def transfer(
    source: Annotated[str, typer.Option(help=f"Model to evolve on: {MODEL}")] = "simulated:weak",
    models: Annotated[
        str, typer.Option("--model", "--models", help=f"Models to run in what it made. {SEVERAL}")
    ] = "simulated:mid,simulated:strong",
    environment: Environment = "sqldesk",
    loop: Loop = "tool_call",
    editor: Annotated[str, typer.Option(help=EDITOR)] = "rules",
    harness: Annotated[str, typer.Option(help=HARNESS)] = "seed",
    split: Annotated[str, typer.Option(help="select or sealed.")] = "sealed",
    seed: Seed = 7,
    tasks: Tasks = 0,
    trials: Trials = 1,
    rounds: Rounds = 3,
    slots: Slots = 6,
    _effects: SideEffects = False,
    concurrency: Concurrency = 0,
    max_usd: MaxUsd = 0.0,
    max_tokens: MaxTokens = 0,
    as_json: Json = False,
) -> int:
    """Evolve a harness on one model, freeze it, and score other models in it."""
    given = {name: value for name, value in locals().items() if name not in _UNASKED}
    from flows.transfer_harness import run_transfer
    from schemas.evaluation_forms import TransferForm
    from schemas.forms import read_form
    from schemas.settings import load_settings
    from tasks.run_caps import run_within

    form = read_form(TransferForm, given | {"models": _words(models)})
    with run_within(form, load_settings()):
        return _emit(run_transfer(form, lambda stage: stage, note), as_json)


def _grid(given: dict[str, Any]) -> dict[str, Any]:
    from tasks.evaluation import evaluate as run

    return run(_grid_form(given))


def _grid_form(given: dict[str, Any]) -> "EvaluateForm":
    """What is filled in for a grid.

    Raises:
        ConfigError: a value cannot be used, or editors are to be bounded, whose cycles are.
    """
    from schemas.errors import ConfigError
    from schemas.evaluation_forms import EvaluateForm
    from schemas.forms import read_form

    if given["editors"]:
        what = "--dry-run bounds models in given harnesses"
        raise ConfigError(what, hint="for editors bound their cycles: `tackroom cycle --dry-run`")
    lists = ("environments", "models", "loops", "layers")
    values = {name: value for name, value in given.items() if name in EvaluateForm.model_fields}
    values |= {name: _words(given[name]) for name in lists}
    values |= {
        "harnesses": _words(given["harnesses"] or "current"),
        "split": given["split"] or "select",
    }
    return read_form(EvaluateForm, values)


def _editors(given: dict[str, Any]) -> dict[str, Any]:
    from flows.compare_editors import run_editors
    from schemas.evaluation_forms import EditorsForm
    from schemas.forms import read_form
    from schemas.settings import load_settings
    from tasks.run_caps import run_within

    form = read_form(EditorsForm, _editor_values(given))
    with run_within(form, load_settings()):
        return run_editors(form, lambda stage: stage, note)


def _editor_values(given: dict[str, Any]) -> dict[str, Any]:
    """What is filled in for editors by models.

    Raises:
        ConfigError: an option was given that this matrix has no place for.
    """
    from schemas.errors import ConfigError

    unused = [name for name in ("agent", "without", "layers", "source") if given[name]]
    one = ("environments", "loops", "harnesses")
    unused += [name for name in one if len(_words(given[name])) > 1]
    if unused:
        what = (
            f"--editors evolves one base harness in one world and loop: --{unused[0]} is too much"
        )
        raise ConfigError(what, hint="leave it out, or evaluate the evolved harnesses by their ids")
    shared = ("seed", "tasks", "trials", "rounds", "slots", *_CAPS)
    return {name: given[name] for name in shared} | {
        "environment": given["environments"],
        "loop": given["loops"],
        "harness": given["harnesses"] or "seed",
        "split": given["split"] or "sealed",
        "editors": _words(given["editors"]),
        "models": _words(given["models"]),
    }


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _emit(result: dict[str, Any], as_json: bool) -> int:
    """Print an evaluation; 1 when nothing could be judged, 3 when infrastructure left gaps."""
    from tasks.presentation.evaluation import show_evaluation
    from tasks.presentation.terminal import render_terminal

    if as_json:
        emit_json(result)
    else:
        emit_text(render_terminal(show_evaluation(result), color=False, width=output_width()))
        if result["already_done"]:
            note("already done: answered from the warehouse")
    if all(cell["success"] is None for cell in result["cells"]):
        return 1
    return 3 if any(cell["success"] is None for cell in result["cells"]) else 0
