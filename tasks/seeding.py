"""Preparing a data folder: an empty warehouse, a first snapshot, the seed harnesses."""

from typing import Any

from tasks.harness_rows import harness_rows
from tasks.workbench import Workbench, seed_harness
from warehouse.seeds import seed_environments


def store_seeds() -> dict[str, Any]:
    """Make the data folder and store the base harness of every environment one ships for."""
    bench = Workbench.open()
    harnesses = [seed_harness(environment) for environment in seed_environments()]
    for harness in harnesses:
        bench.land(harness_rows(harness), "init")
    bench.commit()
    return {
        "home": str(bench.settings.home),
        "harnesses": [
            {"environment": harness.environment, "harness_id": harness.harness_id}
            for harness in harnesses
        ],
    }
