"""Read recorded trajectories from files of this machine."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_summary
from schemas.trajectory_forms import ImportForm
from tasks.importing import import_trajectories as run_stage


@flow(name="import-trajectories")
def import_trajectories(form: ImportForm = ImportForm()) -> dict[str, Any]:  # noqa: B008
    """Read recorded trajectories from files of this machine."""
    result = as_task(run_stage)(form)
    publish_summary("import-trajectories", "Import trajectories", result)
    return result
