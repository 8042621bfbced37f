"""Label failed trajectories by rule priority and find patterns."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_summary
from schemas.trajectory_forms import AnnotateForm
from tasks.annotation import annotate_stored


@flow(name="annotate-failures")
def annotate_failures(form: AnnotateForm = AnnotateForm()) -> dict[str, Any]:  # noqa: B008
    """Label failed trajectories by rule priority and find patterns."""
    result = as_task(annotate_stored)(form)
    publish_summary("annotate-failures", "Annotate failures", result)
    return result
