"""Evaluating harnesses that cycles of the same evaluation have evolved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.errors import ConfigError
from schemas.evaluation import Protocol
from schemas.evaluation_forms import EditorsForm, EvolvedForm, TransferForm
from schemas.forms import NO_RESULT
from tasks.agent.protocols import Environment, Model
from tasks.cycle import release
from tasks.evaluation_matrix import arms_of, run_matrix, used_tasks
from tasks.harness import Harness
from tasks.matrix.card import Order
from tasks.matrix.cells import Arm, LayerPlan, Matrix, World, plan_editors, plan_grid
from tasks.workbench import Workbench


@dataclass(frozen=True)
class Evolved:
    """A harness and the cycle that made it."""

    editor: str
    model: str
    cycle_id: str
    harness_id: str


def evaluate_editors(form: EditorsForm, evolved: Sequence[Evolved]) -> dict[str, Any]:
    """Score every model in the base harness and in what each editor made for it."""
    bench = Workbench.open()
    environment = bench.environment(form.environment)
    arms = arms_of(bench, form.models, [form.loop], split=form.split, agent="")
    made = {
        (one.editor, one.model): bench.harness(environment.name, one.harness_id) for one in evolved
    }
    base = bench.harness(environment.name, form.harness)
    matrix = plan_editors(environment.name, list(arms), base, made)
    return _run(bench, form, "editors", _Plan(environment, base, arms, matrix, evolved))


def evaluate_transfer(form: TransferForm, evolved: Evolved) -> dict[str, Any]:
    """Score source and other models in the base harness and in the frozen one.

    Raises:
        ConfigError: the cycle accepted no edit, so there is nothing to transfer.
    """
    bench = Workbench.open()
    environment = bench.environment(form.environment)
    base = bench.harness(environment.name, form.harness)
    frozen = bench.harness(environment.name, evolved.harness_id)
    if frozen.harness_id == base.harness_id:
        what = f"cycle {evolved.cycle_id} accepted no edit, so there is nothing to transfer"
        raise ConfigError(what, hint="evolve with more tasks or rounds, or on a weaker model")
    words = [form.source, *form.models]
    arms = arms_of(bench, words, [form.loop], split=form.split, agent="")
    worlds = [World(environment.name, (base, frozen))]
    matrix = plan_grid(worlds, list(arms), LayerPlan(), source=form.source)
    return _run(bench, form, "transfer", _Plan(environment, base, arms, matrix, [evolved]))


@dataclass(frozen=True)
class _Plan:
    environment: Environment
    base: Harness
    arms: Mapping[Arm, Model]
    matrix: Matrix
    evolved: Sequence[Evolved]


def _run(bench: Workbench, form: EvolvedForm, protocol: Protocol, plan: _Plan) -> dict[str, Any]:
    environments = {plan.environment.name: plan.environment}
    order = Order(
        protocol=protocol,
        matrix=plan.matrix,
        environments=environments,
        models=plan.arms,
        used=used_tasks(environments, plan.matrix, form.tasks),
        trials=form.trials,
        seed=form.seed,
        asked=form.model_dump(mode="json", exclude=set(NO_RESULT)),
        release=release(),
        words={
            **{one.harness_id: f"{one.editor} on {one.model}" for one in plan.evolved},
            plan.base.harness_id: form.harness,
        },
        cycles=[vars(one) for one in plan.evolved],
    )
    return run_matrix(bench, order, form.tasks)
