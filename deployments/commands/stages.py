"""Commands of one stage each: collect, import, annotate and what follows, agreement of labels."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deployments.commands.bounds import show_bounds
from deployments.commands.options import (
    HARNESS,
    RECORD,
    RECORDINGS,
    Agent,
    Concurrency,
    Cycle,
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
from deployments.console import emit_json, emit_text, folded, note, plain_text, table

if TYPE_CHECKING:
    from schemas.forms import Form

SHOWN_REFUSALS = 100
"""Refusals of an import that are listed on a terminal; the rest is counted."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("collect")(collect)
    app.command("import")(import_files)
    app.command("annotate")(annotate)
    app.command("agreement")(agreement)
    app.command("evolve")(evolve)
    app.command("diagnose")(diagnose)
    app.command("synthesize")(synthesize)


def collect(
    environment: Environment = "sqldesk",
    model: Model = "simulated:weak",
    agent: Agent = "",
    loop: Loop = "tool_call",
    harness: Annotated[str, typer.Option(help=HARNESS)] = "seed",
    split: Annotated[str, typer.Option(help="train, select or sealed.")] = "train",
    seed: Seed = 7,
    tasks: Tasks = 0,
    repeats: Repeats = 1,
    record: Annotated[str, typer.Option(help=RECORD)] = "",
    _effects: SideEffects = False,
    concurrency: Concurrency = 0,
    max_usd: MaxUsd = 0.0,
    max_tokens: MaxTokens = 0,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Run episodes and land them."""
    from schemas.forms import CollectForm, read_form

    form = read_form(CollectForm, _named(CollectForm, locals()))
    if dry_run:
        from tasks.run_bounds import bound_collect

        show_bounds(bound_collect(form), as_json)
        return
    from tasks.collection import collect_split

    _show(collect_split(form), as_json)


def import_files(
    paths: Annotated[list[str], typer.Argument(help=RECORDINGS)],
    model: Annotated[str, typer.Option(help="Model, where a file names none.")] = "",
    pair_tasks_by_index: Annotated[
        bool,
        typer.Option(
            "--pair-tasks-by-index", help="For files whose episodes name no task: pair by position."
        ),
    ] = False,
    source_format: Annotated[
        str, typer.Option("--format", help="Name of the format; the content decides by default.")
    ] = "",
    labels: Annotated[
        str, typer.Option(help="Verdicts: CSV, JSON lines or a SWE-bench report.")
    ] = "",
    verdict_field: Annotated[
        str, typer.Option(help="Member of an episode that holds its verdict.")
    ] = "",
    redact: Annotated[
        bool, typer.Option("--redact/--no-redact", help="Replace secrets before storing.")
    ] = True,
    as_json: Json = False,
) -> int:
    """Read recorded trajectories in any of the formats of docs/formats.md."""
    from schemas.errors import DataContractError
    from schemas.forms import read_form
    from schemas.trajectory_forms import ImportForm
    from tasks.importing import import_trajectories

    form = read_form(ImportForm, _named(ImportForm, locals()))
    result = import_trajectories(form)
    is_usable = bool(result["imported"] or result["duplicates"])
    if not is_usable and not as_json:
        raise DataContractError(_why_nothing(result), hint="docs/formats.md tells what can be read")
    notes = result["notes"] if as_json else result.pop("notes")
    if not as_json and (left := result["refusals"][SHOWN_REFUSALS:]):
        result["refusals"] = result["refusals"][:SHOWN_REFUSALS]
        notes = [*notes, f"{len(left)} more refusals stand in the table quarantine"]
    _show(result, as_json)
    for text in notes:
        note(text)
    if not is_usable:
        return 1
    return 3 if result["refused"] or _is_label_lost(result["labels"]) else 0


def _why_nothing(result: Mapping[str, Any]) -> str:
    """The first reason for which an import brought nothing."""
    for refusal in result["refusals"]:
        return f"nothing could be imported; {refusal['place']}: {refusal['reason']}"
    looked = f"{len(result['files'])} files without episodes were read"
    return f"nothing could be imported; {looked}, {result['passed_over']} were passed over"


def _is_label_lost(labels: Mapping[str, Any] | None) -> bool:
    """Whether a verdict could not be used; one on an episode that is not here may be meant so."""
    return labels is not None and any(labels[kind] for kind in ("invalid", "ambiguous", "conflict"))


def annotate(
    environment: Annotated[str, typer.Option(help="Only this environment.")] = "",
    protocol: Annotated[str, typer.Option(help="decisive or paper.")] = "decisive",
    use_gold: Annotated[
        bool,
        typer.Option("--gold/--no-gold", help="Read expected actions and check results."),
    ] = True,
    judge: Annotated[
        str, typer.Option(help="openai:NAME labels as well; its labels stand beside the rules'.")
    ] = "",
    concurrency: Concurrency = 0,
    max_usd: MaxUsd = 0.0,
    max_tokens: MaxTokens = 0,
    as_json: Json = False,
) -> int:
    """Label failed trajectories by rule priority and find patterns that recur."""
    from schemas.forms import read_form
    from schemas.trajectory_forms import AnnotateForm
    from tasks.annotation import annotate_stored

    form = read_form(AnnotateForm, _named(AnnotateForm, locals()))
    result = annotate_stored(form)
    _show(result, as_json)
    if not result.get("unlabelled"):
        return 0
    return 3 if result["judge_labels"] or result["already_judged"] else 1


def agreement(
    reference: Annotated[
        str, typer.Option(help="Labels to compare with: CSV or JSON lines with key and bullet.")
    ] = "",
    source: Annotated[
        str, typer.Option(help="Labels that are measured: rules, human, judge or its full name.")
    ] = "rules",
    version: Annotated[
        str, typer.Option(help="Taxonomy version, such as 1.0, 1.0-no-gold, 1.0-paper.")
    ] = "1.0",
    seed: Seed = 7,
    as_json: Json = False,
) -> None:
    """Measure how far labels agree: kappa with interval, confusion, each file left out."""
    from schemas.forms import read_form
    from schemas.trajectory_forms import AgreementForm
    from tasks.agreement import measure_stored

    form = read_form(AgreementForm, _named(AgreementForm, locals()))
    _show(measure_stored(form), as_json)


def evolve(
    from_imports: Annotated[
        bool, typer.Option("--from-imports", help="Edit for imported failures.")
    ] = False,
    environment: Annotated[str, typer.Option(help="Only this imported environment.")] = "",
    candidate: Annotated[str, typer.Option(help="A harness folder to gate as well.")] = "",
    seed: Seed = 7,
    as_json: Json = False,
) -> None:
    """Turn imported failures into edits and gate them by replay over imported history."""
    from schemas.errors import ConfigError
    from schemas.forms import ImportedEvolutionForm, read_form
    from tasks.imported_evolution import evolve_from_imports

    if not from_imports:
        what = "`evolve` works from imported history"
        raise ConfigError(what, hint="add --from-imports, or use `tackroom cycle` in a live world")
    form = read_form(
        ImportedEvolutionForm, {"environment": environment, "candidate": candidate, "seed": seed}
    )
    _show(evolve_from_imports(form), as_json)


def diagnose(
    cycle: Cycle = "",
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Show why the model of a finished cycle does not benefit as the reference does."""
    from schemas.forms import DiagnoseForm
    from tasks.diagnosis import diagnose_cycle

    _show(diagnose_cycle(DiagnoseForm(cycle_id=cycle)), as_json)


def synthesize(
    cycle: Cycle = "",
    _effects: SideEffects = False,
    as_json: Json = False,
) -> None:
    """Make training examples for the benefit gaps of a cycle."""
    from schemas.forms import SynthesizeForm
    from tasks.synthesis import synthesize_cycle

    _show(synthesize_cycle(SynthesizeForm(cycle_id=cycle)), as_json)


def _named(form: "type[Form]", values: Mapping[str, Any]) -> dict[str, Any]:
    """Of a command's values those that its form asks for."""
    return {name: value for name, value in values.items() if name in form.model_fields}


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit_json(result)
    else:
        emit_text(_as_text(result))


def _as_text(result: dict[str, Any]) -> str:
    """A line for each value; lists of rows as tables of the columns people look at."""
    parts: list[str] = []
    for name, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            columns = [c for c in _COLUMNS.get(name, value[0]) if c in value[0]]
            rows = ([_cell(row.get(column)) for column in columns] for row in value)
            parts.append(f"{name}\n{table(columns, rows)}")
        else:
            parts.append(folded(f"{name}: {plain_text(value)}"))
    return "\n".join(parts)


def _cell(value: object) -> object:
    return plain_text(value) if isinstance(value, dict | list) else value


_OF_ENVIRONMENT = ["environment", "trajectories", "failures", "successes", "patterns", "eligible"]
_COLUMNS = {
    "edits": ["layer", "artifact", "verdict", "reason", "title", "edit_id"],
    "environments": [*_OF_ENVIRONMENT, "labels", "cycle_id"],
    "files": ["source_file", "source_format", "episodes", "imported", "duplicates", "refused"],
    "gaps": ["rank", "family", "gap_type", "artifact", "severity", "reach", "effect", "points"],
}
"""Columns of tables for people; `--json` has all."""
