"""A report: one cycle on one self-contained page; every number is a column of a query."""

import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from tasks.page_file import write_page
from tasks.presentation.page import render_page
from tasks.presentation.report import ReportRows, show_report
from tasks.reporting import count_edits
from tasks.workbench import Workbench
from warehouse.reader import Reader

_QUERIES = Path(__file__).with_name("report_queries")
_NEWEST = """
SELECT cycle_id FROM cycles
WHERE cycle_id NOT IN (
    SELECT arm_cycle_id FROM budget_arms WHERE arm <> 'evolution' AND arm_cycle_id IS NOT NULL
)
ORDER BY created_at DESC, cycle_id LIMIT 1
"""
_MATCHING = "SELECT cycle_id FROM cycles WHERE starts_with(cycle_id, ?) ORDER BY 1 LIMIT 4"
_ID = re.compile(r"cyc_[0-9a-f]{0,16}")
HINT = "see `tackroom sql 'SELECT cycle_id, environment, model FROM cycles'`"


def write_report(cycle: str, path: Path) -> dict[str, Any]:
    """Write the page of a cycle, the newest without an id, whether finished or not.

    Raises:
        ConfigError: there is no such cycle, or the path is a folder.
        OSError: the page cannot be written.
    """
    with Workbench.open().warehouse.read() as reader:
        cycle_id = _resolve(reader, cycle.strip())
        rows = read_rows(reader, cycle_id)
    page = render_page(show_report(rows))
    return {
        "file": str(write_page(path, page)),
        "cycle_id": cycle_id,
        "finished": rows.is_finished,
        "simulated": bool(rows.cycle[0]["simulated"]),
        "edits": count_edits(rows.edits),
        "bytes": len(page.encode("utf-8", "replace")),
    }


def read_rows(reader: Reader, cycle_id: str) -> ReportRows:
    """Run every query of the report for one cycle."""
    return ReportRows(
        **{
            field.name: reader.frame(_query(field.name), [cycle_id]).to_dicts()
            for field in fields(ReportRows)
        }
    )


@cache
def _query(name: str) -> str:
    return (_QUERIES / f"{name}.sql").read_text(encoding="utf-8")


def _resolve(reader: Reader, word: str) -> str:
    """The one cycle whose id is the word or starts with it."""
    if not word:
        newest = reader.scalar(_NEWEST)
        if newest is None:
            what = "there is no cycle yet"
            raise ConfigError(what, hint="run `tackroom cycle` first")
        return str(newest)
    found = [str(row[0]) for row in reader.frame(_MATCHING, [word]).rows()]
    named = f"`{word[:60]}`"
    if not found or not _ID.fullmatch(word):
        what = f"there is no cycle {named} in this warehouse"
        raise ConfigError(what, hint=HINT)
    if len(found) > 1 and word not in found:
        what = f"{named} is the start of several cycles, such as {', '.join(found[:3])}"
        raise ConfigError(what, hint="give more of it")
    return found[0]
