"""Score models in harnesses, as a matrix."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_evaluation
from schemas.evaluation_forms import EvaluateForm
from tasks.evaluation import evaluate


@flow(name="evaluate-harness")
def evaluate_harness(form: EvaluateForm = EvaluateForm()) -> dict[str, Any]:  # noqa: B008
    """Score every model in every harness and compare the scores in pairs."""
    result = as_task(evaluate)(form)
    publish_evaluation("evaluate-harness", "Evaluate harness", result)
    return result
