"""Edit for imported failures; replay alone gates them."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_summary, publish_table
from schemas.forms import ImportedEvolutionForm
from tasks.imported_evolution import evolve_from_imports


@flow(name="evolve-harness")
def evolve_harness(form: ImportedEvolutionForm = ImportedEvolutionForm()) -> dict[str, Any]:  # noqa: B008
    """Edit for imported failures; replay alone gates them."""
    result = as_task(evolve_from_imports)(form)
    summary = {name: value for name, value in result.items() if name != "edits"}
    publish_summary("evolve-harness", "Evolve harness", summary)
    publish_table("gate-decisions", result["edits"], "Edits and verdicts")
    return result
