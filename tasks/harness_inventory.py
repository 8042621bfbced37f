"""What edits have brought into accepted harnesses, by world and layer."""

from typing import Any

from schemas.fields import LAYERS
from tasks.workbench import Workbench

_COMPONENTS = """
SELECT environment, layer, artifact, versions, harnesses, cycles, states, in_force,
       accepted_edits, e_value, wins, losses, delta
FROM evolved_components WHERE ? = '' OR environment = ?
"""


def evolved_components(environment: str = "") -> dict[str, Any]:
    """Components with their evidence, and how many there are, layers in their order.

    A world without an accepted harness has none; that is an answer and no error.
    """
    with Workbench.open().warehouse.read() as reader:
        rows = reader.frame(_COMPONENTS, [environment, environment]).to_dicts()
    rows.sort(key=lambda row: (row["environment"], LAYERS.index(row["layer"]), row["artifact"]))
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        by_layer = counts.setdefault(row["environment"], dict.fromkeys(LAYERS, 0))
        by_layer[row["layer"]] += 1
    return {"counts": counts, "components": rows}
