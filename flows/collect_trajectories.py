"""Run episodes and land them."""

from typing import Any

from prefect import flow

from flows.prefect_stages import as_task, publish_summary
from schemas.forms import CollectForm
from tasks.collection import collect_split


@flow(name="collect-trajectories")
def collect_trajectories(form: CollectForm = CollectForm()) -> dict[str, Any]:  # noqa: B008
    """Run episodes and land them."""
    result = as_task(collect_split)(form)
    publish_summary("collect-trajectories", "Collect trajectories", result)
    return result
