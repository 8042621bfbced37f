"""The source-model protocol: evolve on one model, freeze, run the others."""

from collections.abc import Callable
from typing import Any

from prefect import flow

from flows.evolution_cycle import Caller
from flows.evolved_harness import evolved_harness
from flows.prefect_stages import as_task, publish_evaluation
from schemas.evaluation_forms import TransferForm
from schemas.settings import load_settings
from tasks.evolved_evaluation import Evolved, evaluate_transfer
from tasks.run_caps import run_within


@flow(name="transfer-harness")
def transfer_harness(form: TransferForm = TransferForm()) -> dict[str, Any]:  # noqa: B008
    """Evolve a harness on one model and score other models in it."""
    with run_within(form, load_settings()):
        result = run_transfer(form, as_task)
    publish_evaluation("transfer-harness", "Transfer of a harness", result)
    return result


def run_transfer(
    form: TransferForm, call: Caller, note: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """The cycle of the source model, then one evaluation of all models.

    Raises:
        ConfigError: a word names nothing, or the cycle accepted no edit.
    """
    if note:
        note(f"evolving on {form.source}")
    cycle_id, harness_id = evolved_harness(form.cycle(form.source, form.editor), call)
    evolved = Evolved(form.editor, form.source, cycle_id, harness_id)
    if note:
        note(f"frozen: {harness_id}")
    return call(evaluate_transfer)(form, evolved)
