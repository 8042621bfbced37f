"""Opening and closing a cycle: its id, what it starts from, and what it leaves in force."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from schemas.errors import ConfigError
from schemas.fields import Row
from schemas.forms import NO_RESULT, CycleForm
from schemas.ids import canonical_json, make_id
from schemas.plans import CyclePlan, Plan
from schemas.runs import CycleRow, StageEventRow
from tasks.agent.builtin_models import NoopModel
from tasks.agent.offers import noise_of
from tasks.agent.protocols import Environment, Model
from tasks.agent.standing import idle_reason
from tasks.annotator.parameters import DEFAULT, taxonomy_version
from tasks.editor_words import check_editor, editor_fingerprint
from tasks.evaluation import SPLITS
from tasks.gating_inputs import require_pinned
from tasks.harness import Harness
from tasks.harness_rows import harness_rows, task_rows
from tasks.stage import stage
from tasks.workbench import Workbench, first_tasks
from tasks.world_needs import require_cycle

CLOSING = "close_cycle"
IMPORTED = "imported"
"""Stands for model and reference in a cycle over imported history, which has no live world."""
OUTSIDE = "mcp"
"""Stands for the editor of a cycle whose edits are proposed by an agent outside of it."""


class Closed(Plan):
    """A cycle that has left its harness in force."""

    harness_id: str


@dataclass(frozen=True)
class _Opening:
    """What the words of a form stand for here and now."""

    row: CycleRow
    plan: CyclePlan
    environment: Environment
    harness: Harness


def plan_cycle(form: CycleForm) -> CyclePlan:
    """The cycle that a form asks for, and whether it is finished; nothing is landed.

    Raises:
        ConfigError: environment, model, reference, editor or harness is unknown.
    """
    return _resolve(Workbench.open(), form).plan


def plan_outside(form: CycleForm) -> CyclePlan:
    """As `plan_cycle`, for edits that are proposed from outside."""
    return _resolve(Workbench.open(), form, editor=OUTSIDE).plan


def open_cycle(form: CycleForm, *, is_outside: bool = False) -> CyclePlan:
    """Resolve every word of the form and land what the cycle starts from.

    With `is_outside` the cycle has no editor: its edits are proposed by somebody else.

    Raises:
        ConfigError: a word names nothing, or the environment lacks a split.
    """
    bench = Workbench.open()
    opening = _resolve(bench, form, editor=OUTSIDE if is_outside else "")
    if opening.plan.is_finished:
        return opening.plan
    rows: list[Row] = [opening.row, *harness_rows(opening.harness)]
    require_cycle(opening.environment)
    for split in SPLITS:
        tasks = first_tasks(opening.environment.tasks(split), form.tasks)
        rows += task_rows(opening.environment, tasks)
    bench.land(rows, "open_cycle")
    bench.commit()
    return opening.plan


def _resolve(bench: Workbench, form: CycleForm, *, editor: str = "") -> _Opening:
    environment = bench.environment(form.environment)
    model = bench.model(form.model, agent=form.agent)
    reference = bench.model(form.reference, agent=form.agent)
    form = form.model_copy(update={"editor": editor}) if editor else form
    if not editor:
        check_editor(bench, form.editor)
    _require_acting(model, environment)
    harness = bench.harness(environment.name, form.harness)
    inputs = form.model_dump(mode="json", exclude=set(NO_RESULT)) | {
        "environment": environment.name,
        "environment_fingerprint": environment.fingerprint,
        "model_fingerprint": model.fingerprint,
        "reference_fingerprint": reference.fingerprint,
        "editor_fingerprint": editor or editor_fingerprint(bench, form.editor),
        "harness": harness.harness_id,
        "taxonomy": taxonomy_version(DEFAULT),
        "release": release(),
    }
    if noise := noise_of(environment):
        inputs |= {"environment_noise": noise}
    row = CycleRow(
        cycle_id=make_id("cyc", inputs),
        environment=environment.name,
        model=model.name,
        reference=reference.name,
        editor=form.editor,
        seed=form.seed,
        base_harness_id=harness.harness_id,
        # The word too, so that the cycle's environment can be found again; it changes no result.
        inputs=canonical_json(inputs | {"environment_word": form.environment}),
        created_at=bench.now,
    )
    plan = CyclePlan(
        cycle_id=row.cycle_id,
        form=form,
        base_harness_id=harness.harness_id,
        is_finished=is_finished(bench, row.cycle_id),
        note="; ".join(_notes(reference, environment)),
    )
    return _Opening(row, plan, environment, harness)


def _require_acting(model: Model, environment: Environment) -> None:
    """Fail on a model whose every score would be a 0 that nobody measured; noop is asked for."""
    reason = idle_reason(model, environment)
    if reason and not isinstance(model, NoopModel):
        raise ConfigError(reason, hint="take a model behind an endpoint, such as openai:NAME")


def _notes(reference: Model, environment: Environment) -> Iterator[str]:
    if reason := idle_reason(reference, environment):
        yield f"the benefit rate stays undefined: reference {reason}"
    if noise := noise_of(environment):
        yield f"equal episodes may end differently: {noise}"


def stored_form(row: CycleRow) -> CycleForm:
    """The form a stored cycle was started with, its environment by the word that was typed."""
    inputs = json.loads(row.inputs)
    known = {name: inputs[name] for name in CycleForm.model_fields if name in inputs}
    word = inputs.get("environment_word", row.environment)
    return CycleForm.model_validate(known | {"environment": word})


def is_finished(bench: Workbench, cycle_id: str) -> bool:
    """Tell whether a cycle has been closed."""
    with bench.warehouse.read() as reader:
        events = reader.rows(
            StageEventRow,
            "cycle_id = ? AND state = 'done' AND starts_with(stage, ?)",
            [cycle_id, CLOSING],
        )
    return bool(events)


@stage(Closed)
def close_cycle(bench: Workbench, plan: CyclePlan, harness_id: str) -> Closed:
    """Point the name `current` to the harness the cycle ended with."""
    environment = bench.environment(plan.form.environment)
    require_pinned(bench, plan, environment)
    row = bench.name_row(environment.name, "current", harness_id)
    if row is not None:
        bench.land([row], CLOSING)
    return Closed(harness_id=harness_id)


def release() -> str:
    """Version of this installation; part of every cycle id."""
    try:
        return version("tackroom")
    except PackageNotFoundError:
        return "source"
