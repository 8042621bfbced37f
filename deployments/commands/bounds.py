"""What `--dry-run` shows."""

from collections.abc import Mapping
from typing import Any

from deployments.console import emit_json, emit_text, folded, plain_text, table

_QUANTITIES = ("rollouts", "calls", "tokens", "cost_usd", "time_s")
_BOUNDS = ("lower", "likely", "upper")


def show_bounds(found: Mapping[str, Any], as_json: bool) -> None:
    """Print bounds as one object, or as a table with what they rest on."""
    if as_json:
        emit_json(found)
        return
    rows = [
        (name, *(found[name][bound] for bound in _BOUNDS)) if found[name] else (name, "-", "-", "-")
        for name in _QUANTITIES
    ]
    lines = [table(("", *_BOUNDS), rows), f"usage: {plain_text(found['usage_from'])}"]
    emit_text("\n".join([lines[0], *(folded(line) for line in [lines[1], *found["notes"]])]))
