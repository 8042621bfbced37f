"""Why the model of a finished cycle does not benefit."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_summary
from schemas.forms import DiagnoseForm
from tasks.diagnosis import diagnose_cycle


@flow(name="diagnose-benefit")
def diagnose_benefit(form: DiagnoseForm = DiagnoseForm()) -> dict[str, Any]:  # noqa: B008
    """Why the model of a finished cycle does not benefit."""
    result = as_task(diagnose_cycle)(form)
    publish_summary("diagnose-benefit", "Diagnose benefit", result)
    return result
