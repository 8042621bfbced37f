"""A report: one cycle on one self-contained page; every number is a column of a query."""

from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from tasks.page_file import write_page
from tasks.presentation.page import render_page
from tasks.presentation.report import ReportRows, show_report
from tasks.reporting import count_edits
from tasks.stored_ids import find_cycle
from tasks.workbench import Workbench
from warehouse.reader import Reader

_QUERIES = Path(__file__).with_name("report_queries")


def write_report(cycle: str, path: Path) -> dict[str, Any]:
    """Write the page of a cycle, the newest without an id, whether finished or not.

    Raises:
        ConfigError: there is no such cycle, or the path is a folder.
        OSError: the page cannot be written.
    """
    with Workbench.open().warehouse.read() as reader:
        cycle_id = find_cycle(reader, cycle.strip())
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
