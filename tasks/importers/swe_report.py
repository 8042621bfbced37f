"""Reports of SWE-bench as records of verdicts: the run's report, or one of each instance.

Who graded nothing says nothing: an instance whose evaluation failed or was not run is unknown.
An empty patch was graded as what it is.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.importers.decoding import JsonValue, Undecodable, decode

MAX_BYTES = 64 << 20
_LISTS = {
    "resolved_ids": True,
    "unresolved_ids": False,
    "empty_patch_ids": False,
    "error_ids": None,
    "incomplete_ids": None,
    "resolved": True,
    "no_generation": False,
}
"""Lists of instances and what standing in them means; the last two are of older reports."""


def read_report(path: Path) -> list[dict[str, Any]] | None:
    """Records of a report, one an instance; null when the file is none."""
    if path.stat().st_size > MAX_BYTES:
        return None
    try:
        value = decode(path.read_text("utf-8", "replace")).value
    except (Undecodable, json.JSONDecodeError):
        return None
    if not isinstance(value, dict):
        return None
    records = list(_of_lists(value)) or list(_of_instances(value))
    return records or None


def _of_lists(report: dict[str, JsonValue]) -> Iterator[dict[str, Any]]:
    if not isinstance(report.get("resolved_ids", report.get("resolved")), list):
        return
    told: set[str] = set()
    for name, success in _LISTS.items():
        for instance in report.get(name) or ():
            if isinstance(instance, str) and instance not in told:
                told.add(instance)
                yield {"key": instance, "success": "unknown" if success is None else success}
    for instance in report.get("generated") or ():
        if isinstance(instance, str) and instance not in told:
            told.add(instance)
            yield {"key": instance, "success": False}


def _of_instances(report: dict[str, JsonValue]) -> Iterator[dict[str, Any]]:
    for instance, graded in report.items():
        if not isinstance(graded, dict) or not isinstance(graded.get("resolved"), bool):
            return
        yield {"key": instance, "success": graded["resolved"]}
