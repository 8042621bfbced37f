"""Editors by models: every editor evolves the harness of every model, and all are scored."""

from collections.abc import Callable
from typing import Any

from prefect import flow

from flows.evolution_cycle import Caller
from flows.evolved_harness import evolved_harness
from flows.prefect_stages import as_task, publish_evaluation
from schemas.evaluation_forms import EditorsForm
from schemas.settings import load_settings
from tasks.evolved_evaluation import Evolved, evaluate_editors
from tasks.run_caps import run_within


@flow(name="compare-editors")
def compare_editors(form: EditorsForm = EditorsForm()) -> dict[str, Any]:  # noqa: B008
    """Evolve every model's harness with every editor and score what came of it."""
    with run_within(form, load_settings()):
        result = run_editors(form, as_task)
    publish_evaluation("compare-editors", "Editors by models", result)
    return result


def run_editors(
    form: EditorsForm, call: Caller, note: Callable[[str], None] | None = None
) -> dict[str, Any]:
    """The cycles one after another, then one evaluation over what they ended with.

    Raises:
        ConfigError: a word names nothing.
    """
    evolved: list[Evolved] = []
    for editor in dict.fromkeys(form.editors):
        for model in dict.fromkeys(form.models):
            if note:
                note(f"editor {editor} on {model}")
            cycle_id, harness_id = evolved_harness(form.cycle(model, editor), call)
            evolved.append(Evolved(editor, model, cycle_id, harness_id))
    return call(evaluate_editors)(form, evolved)
