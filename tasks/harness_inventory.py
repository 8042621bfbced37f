"""What edits have brought into accepted harnesses, by world and layer, here and as shipped."""

from typing import Any

from schemas.fields import LAYERS
from tasks.evidence_card import find_card
from tasks.workbench import Workbench
from warehouse.seeds import evolved_folders

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
    return {"counts": counts, "components": rows, "shipped": shipped_harnesses(environment)}


def shipped_harnesses(environment: str = "") -> list[dict[str, Any]]:
    """Evolved harnesses that ship, with what their cards say; of one world or of all."""
    found = []
    for name, folder in evolved_folders().items():
        if environment not in ("", name):
            continue
        harness, card = find_card(str(folder))
        newest = card.acceptances[0] if card and card.acceptances else None
        base, final = (newest.sealed_base, newest.sealed_final) if newest else (None, None)
        found.append(
            {
                "environment": name,
                "harness_id": harness.harness_id,
                "models": ", ".join(card.models) if card else "",
                "simulated": card.simulated if card else None,
                "edits": sum(len(one.edits) for one in card.acceptances) if card else 0,
                "sealed_base": base.success if base else None,
                "sealed_final": final.success if final else None,
                "sealed_tasks": final.tasks if final else None,
            }
        )
    return found
