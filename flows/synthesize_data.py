"""Training examples for the benefit gaps of a cycle."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_summary
from schemas.forms import SynthesizeForm
from tasks.synthesis import synthesize_cycle


@flow(name="synthesize-data")
def synthesize_data(form: SynthesizeForm = SynthesizeForm()) -> dict[str, Any]:  # noqa: B008
    """Training examples for the benefit gaps of a cycle."""
    result = as_task(synthesize_cycle)(form)
    publish_summary("synthesize-data", "Synthesize data", result)
    return result
