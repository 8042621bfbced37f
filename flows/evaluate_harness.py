"""Score one model in one harness."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_summary
from schemas.forms import EvaluateForm
from tasks.evaluation import evaluate


@flow(name="evaluate-harness")
def evaluate_harness(form: EvaluateForm = EvaluateForm()) -> dict[str, Any]:  # noqa: B008
    """Score one model in one harness."""
    result = as_task(evaluate)(form)
    picture = list(result["splits"].items())
    publish_summary("evaluate-harness", "Evaluate harness", result, picture)
    return result
